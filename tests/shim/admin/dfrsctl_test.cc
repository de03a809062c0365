// SPDX-License-Identifier: GPL-2.0-or-later
// dfrsctl as its users run it, against a control port of the test's own.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "shim/admin/control_server.h"
#include "shim/admin/status_json.h"
#include "tests/cli/process.h"
#include "tests/shim/admin/sample_status.h"
#include "tests/shim/support/munged.h"
#include "tests/shim/support/sack_server.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::shim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Dfrsctl : public ::testing::Test {
 protected:
  void SetUp() override {
    start(::getuid());
    slurm_conf = folder.write(
        "slurm.conf", "ClusterName=test\nSlurmctldHost=nohost(127.0.0.1)\nSlurmUser=" + std::to_string(::getuid()) +
                          "\nAuthInfo=socket=" + Munged::shared().socket() + "\n");
    folder.write("dfrs.conf", "Partitions=p\nControlPort=" + std::to_string(server->port()) + "\n");
  }
  void start(uid_t slurm_user, std::uint16_t port = 0) {
    ControlServerOptions options;
    options.port = port;
    options.bind_address = "127.0.0.1";
    options.cluster = "test";
    options.slurm_user = slurm_user;
    options.requests_per_minute = 12;
    options.repacks_per_minute = 2;
    options.auth = auth;
    auto started = ControlServer::start(options, inspection, recorder);
    ASSERT_TRUE(started.has_value()) << started.error();
    server = std::move(*started);
  }
  sim::Outcome run(std::vector<std::string> arguments, sim::Surroundings surroundings = {}) const {
    surroundings.program = "dfrsctl";
    surroundings.environment.push_back("SLURM_CONF=" + slurm_conf);
    return sim::dfrs_sim(arguments, surroundings);
  }
  // Without files, which nobody may not read.
  sim::Outcome run_as_nobody(std::vector<std::string> words) const {
    for (const std::string& word :
         {std::string("--host=127.0.0.1"), "--port=" + std::to_string(server->port()), std::string("--cluster=test"),
          "--slurm-user=" + std::to_string(::getuid()), "--munge-socket=" + Munged::shared().socket()})
      words.push_back(word);
    words.insert(words.begin(), "dfrsctl");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string path = std::filesystem::path(sim::dfrs_sim_path()).parent_path() / "dfrsctl";
    const int program = ::open(path.c_str(), O_RDONLY);
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      ::dup2(ends[1], STDERR_FILENO);
      ::close(ends[1]);
      if (::setgid(65534) == 0 && ::setuid(65534) == 0) ::fexecve(program, arguments.data(), environ);
      _exit(99);
    }
    ::close(ends[1]);
    ::close(program);
    sim::Outcome outcome;
    outcome.command = "dfrsctl as another user";
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
      outcome.err.append(buffer, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
  }
  void expect_failure(const sim::Outcome& outcome, int code, const std::string& text) const {
    EXPECT_EQ(outcome.exit_code, code) << outcome.command << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, AllOf(::testing::StartsWith("dfrsctl: "), HasSubstr(text)));
  }

  AuthOptions auth = Munged::shared().auth();
  const sim::TemporaryFolder folder;
  FakeInspection inspection;
  record::Recorder recorder;
  std::unique_ptr<ControlServer> server;
  std::string slurm_conf;
};

TEST_F(Dfrsctl, FindsTheControllerAndShowsTables) {
  const sim::Outcome status = run({"status"});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_THAT(status.out, AllOf(HasSubstr("cluster test: GreedyPM*/per/OPT=MIN/MINVT=600"), HasSubstr("simulate"),
                                HasSubstr("n1:3,n2"), HasSubstr("not recording")));
  EXPECT_EQ(status.err, "");
  EXPECT_THAT(run({"nodes"}).out, HasSubstr("silent for 1:15: Connection refused"));
  EXPECT_EQ(run({"explain", "7"}).out, "job 7 runs on n1:3 n2:1\nits yield is 0.333\n");
  EXPECT_THAT(run({"repack", "--dry-run"}).out, HasSubstr("nothing has been done"));
  EXPECT_THAT(run({"version"}).out, HasSubstr("(cluster test)"));
}

TEST_F(Dfrsctl, JsonIsTheControllersOwn) {
  EXPECT_EQ(Json::parse(run({"status", "--json"}).out), status_json(sample_status(), {}));
  EXPECT_EQ(Json::parse(run({"--json", "nodes"}).out), nodes_json(sample_status()));
  EXPECT_EQ(Json::parse(run({"explain", "7", "--json"}).out)["job"], 7);
}

TEST_F(Dfrsctl, Recording) {
  const std::string path = folder / "r.jsonl.gz";
  EXPECT_EQ(run({"record", "show"}).out, "not recording\n");
  EXPECT_EQ(run({"record", "on", path}).out, "recording to " + path + " (0 steps)\n");
  EXPECT_TRUE(recorder.state().on);
  expect_failure(run({"record", "on", path}), 7, "exists already");
  EXPECT_EQ(run({"record", "off"}).out, "not recording; the last record is " + path + " (0 steps)\n");
}

TEST_F(Dfrsctl, WrongUsage) {
  expect_failure(run({}), 2, "subcommand");
  expect_failure(run({"stats"}), 2, "unknown subcommand 'stats'; did you mean 'status'?");
  expect_failure(run({"--json", "--port", "7", "node"}), 2, "did you mean 'nodes'?");
  expect_failure(run({"explain"}), 2, "JOB");
  expect_failure(run({"explain", "x"}), 2, "x");
  expect_failure(run({"explain", "0"}), 2, "0");
  expect_failure(run({"repack"}), 2, "--dry-run");
  expect_failure(run({"record"}), 2, "ACTION");
  expect_failure(run({"record", "on"}), 2, "name the FILE");
  expect_failure(run({"record", "on", "relative"}), 2, "absolute");
  expect_failure(run({"record", "off", "/x"}), 2, "takes no FILE");
  expect_failure(run({"status", "--port", "0"}), 2, "--port");
  EXPECT_THAT(run({"--help"}).out, HasSubstr("Exit codes"));
  EXPECT_THAT(run({"--version"}).out, HasSubstr("dfrsctl "));
}

TEST_F(Dfrsctl, ErrorsSayWhatToDo) {
  expect_failure(run({"explain", "8"}), 7, "job 8 is not in a managed partition");
  expect_failure(run({"status", "--slurm-conf", folder / "none"}), 4, "--slurm-conf");
  expect_failure(run({"status", "--conf", folder.write("bad", "ControlPot=1\n")}), 3, "did you mean 'ControlPort'?");
  expect_failure(run({"status", "--cluster", "other"}), 6, "refused");
  expect_failure(run({"status", "--munge-socket", folder / "none"}), 5, "munged");
  EXPECT_EQ(run({"status"}, {.output_is_closed_pipe = true}).exit_code, 4);
  server.reset();
  expect_failure(run({"status", "--wait", "0"}), 5, "Is slurmctld running, with dfrs' folder first in its PluginDir");
}

// Its port is found in a dfrs.conf that is wrong elsewhere: slurmctld goes on with the last good one.
TEST_F(Dfrsctl, AWrongConfIsAWarning) {
  folder.write("dfrs.conf", "Partitions=p\nPerod=5\nControlPort=" + std::to_string(server->port()) + "\n");
  const sim::Outcome outcome = run({"status"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("dfrs.conf:2: Perod"));
  folder.write("dfrs.conf", "Partitions=p\nControlPort=many\n");
  expect_failure(run({"status"}), 3, "the control port is not known");
}

TEST_F(Dfrsctl, TriesAgainWhileSlurmctldIsReconfigured) {
  const std::uint16_t port = server->port();
  server.reset();
  const sim::Outcome in_vain = run({"status", "--wait", "1"});
  EXPECT_EQ(in_vain.exit_code, 5);
  EXPECT_THAT(in_vain.err, AllOf(HasSubstr("Tries again for 1 s (--wait)"), HasSubstr("Is slurmctld running")));
  EXPECT_THAT(run({"status", "--wait", "0"}).err, ::testing::Not(HasSubstr("Tries again")));
  sim::Surroundings surroundings;
  surroundings.program = "dfrsctl";
  surroundings.environment.push_back("SLURM_CONF=" + slurm_conf);
  sim::BackgroundRun waiting({"version", "--wait", "60"}, surroundings);
  std::this_thread::sleep_for(std::chrono::seconds{1});  // it has asked at least once by now
  start(::getuid(), port);
  const sim::Outcome outcome = waiting.finish();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("controller"));
}

// Only root can be another user.
TEST_F(Dfrsctl, SaysThatAUserAsksTooOften) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root, to ask as another user";
  EXPECT_EQ(run_as_nobody({"repack", "--dry-run"}).exit_code, 0);
  expect_failure(run_as_nobody({"repack", "--dry-run"}), 7,
                 "user id 65534 asks too often: /v1/repack is limited to 2 requests a minute; try again in");
  EXPECT_EQ(run({"repack", "--dry-run"}).exit_code, 0) << "root has no limit";
}

// A cluster without MUNGE: dfrsctl sees that in slurm.conf.
TEST_F(Dfrsctl, AuthSlurm) {
  const SackServer slurm;
  auth = slurm.auth();
  start(::getuid());
  slurm_conf = folder.write("sack.conf", "ClusterName=test\nSlurmctldHost=nohost(127.0.0.1)\nSlurmUser=" +
                                             std::to_string(::getuid()) + "\nAuthType=auth/slurm\n");
  const std::string port = std::to_string(server->port());
  const sim::Outcome status = run({"status", "--port", port, "--sack-socket", slurm.socket()});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  sim::Surroundings named;
  named.environment.push_back("SLURM_SACK_SOCKET=" + slurm.socket());
  EXPECT_EQ(run({"status", "--port", port}, named).exit_code, 0);
  expect_failure(run({"status", "--port", port, "--sack-socket", folder / "none"}), 5, "sackd");
  const SackServer stranger("another key of sixteen bytes");
  expect_failure(run({"status", "--port", port, "--sack-socket", stranger.socket()}), 6, "slurm.key");
  expect_failure(run({"status", "--port", port, "--munge-socket", Munged::shared().socket()}), 6, "not a credential");
}

// A backup controller that has taken over is found.
TEST_F(Dfrsctl, TriesEveryHost) {
  slurm_conf = folder.write("two.conf",
                            "ClusterName=test\nSlurmctldHost=a(127.0.0.2)\nSlurmctldHost=b(127.0.0.1)\nSlurmUser=" +
                                std::to_string(::getuid()) + "\nAuthInfo=socket=" + Munged::shared().socket() + "\n");
  const sim::Outcome status = run({"status"});
  EXPECT_EQ(status.exit_code, 0) << status.err;
}

}  // namespace
}  // namespace dfrs::shim
