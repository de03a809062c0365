// SPDX-License-Identifier: GPL-2.0-or-later
// dfrsd as a program, on this machine's own control groups: needs root and cgroup version 1 there.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <signal.h>
#include <spawn.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/process.h"
#include "shim/agent/cgroup/job_groups.h"
#include "shim/quota/http_node_agents.h"
#include "tests/sanitizers.h"
#include "tests/shim/support/error_of.h"
#include "tests/shim/support/munged.h"

extern char** environ;

namespace dfrs::shim {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Dfrsd : public testing::Test {
 protected:
  void SetUp() override {
    const char* const named = ::getenv("DFRSD");
    program_ = named != nullptr ? named : "./dfrsd";
    if (::access(program_.c_str(), X_OK) != 0) GTEST_SKIP() << program_ << " is not built (environment: DFRSD)";
    if (getuid() != 0) GTEST_SKIP() << "needs root, to make control groups";
    struct statfs about{};
    if (::statfs("/sys/fs/cgroup/cpu", &about) != 0 || about.f_type != CGROUP_SUPER_MAGIC)
      GTEST_SKIP() << "needs cgroup version 1 at /sys/fs/cgroup/cpu";
  }
  void TearDown() override {
    stop();
    auto groups = open_job_groups({"/sys/fs/cgroup", tree_, "n1"});
    if (!groups) return;
    const auto jobs = (*groups)->list();
    for (std::size_t i = 0; jobs && i < jobs->size(); ++i) (*groups)->remove_if_empty((*jobs)[i]);
    for (const char* const controller : {"cpu", "cpuacct"}) {
      const std::string top = std::string("/sys/fs/cgroup/") + controller + "/" + tree_;
      ::rmdir((top + "/n1").c_str());
      ::rmdir(top.c_str());
    }
  }

  std::vector<std::string> words(std::vector<std::string> more) const {
    std::vector<std::string> all{program_,
                                 "--node",
                                 "n1",
                                 "--bind",
                                 "127.0.0.1",
                                 "--port",
                                 "0",
                                 "--run-dir",
                                 run_ / "%n",
                                 "--munge-socket",
                                 Munged::shared().socket(),
                                 "--slurm-user",
                                 "0",
                                 "--cgroup-tree",
                                 tree_};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  pid_t spawn(std::vector<std::string> arguments) const {
    std::vector<char*> pointers;
    for (std::string& word : arguments) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, (run_ / "log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t pid = -1;
    EXPECT_EQ(::posix_spawnp(&pid, pointers[0], &actions, nullptr, pointers.data(), environ), 0) << arguments[0];
    posix_spawn_file_actions_destroy(&actions);
    return pid;
  }
  int run_to_end(std::vector<std::string> more) const {
    int status = 0;
    ::waitpid(spawn(words(std::move(more))), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string log() const { return file_text(run_ / "log"); }
  /// Its port, from its log.
  std::uint16_t start(std::vector<std::string> wrapper = {}) {
    std::vector<std::string> all = std::move(wrapper);
    for (std::string& word : words({"--report-interval", "0.1"})) all.push_back(std::move(word));
    pid_ = spawn(all);
    for (int i = 0; i < 1000; ++i) {
      const std::string text = log();
      if (const std::size_t at = text.find(" port "); at != std::string::npos && text.find("cgroup v1") != text.npos)
        return static_cast<std::uint16_t>(std::stoi(text.substr(at + 6)));
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
        break;
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    ADD_FAILURE() << "dfrsd does not start:\n" << log();
    return 0;
  }
  int stop() {
    if (pid_ < 0) return -1;
    ::kill(pid_, SIGTERM);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string quota(std::uint32_t job) const {
    return file_text("/sys/fs/cgroup/cpu/" + tree_ + "/n1/job_" + std::to_string(job) + "/cpu.cfs_quota_us");
  }
  static HttpNodeAgentsOptions delivery() {
    HttpNodeAgentsOptions options;
    options.auth = Munged::shared().auth();
    options.refresh = milliseconds(100);
    options.retry_min = milliseconds(20);
    options.retry_max = milliseconds(100);
    return options;
  }

  std::string program_;
  const std::string tree_ = "dfrs-program-" + std::to_string(::getpid());
  Folder run_;
  pid_t pid_ = -1;
};

TEST_F(Dfrsd, HoldsQuotasAndGoesOnAfterARestart) {
  HttpNodeAgents agents(delivery());
  const auto tell = [&](std::uint16_t port, double cpus) {
    agents.set_agents(std::vector<AgentAddress>{{"n1", "127.0.0.1", port}});
    agents.set_desired(0, std::vector<JobQuota>{{12, cpus, false, false}});
    return agents.wait(std::vector<std::size_t>{0}, 10000);
  };
  ASSERT_TRUE(tell(start(), 0.5)) << log() << error_of(agents.report(0).last_request);
  EXPECT_EQ(quota(12), "5000\n");
  EXPECT_EQ(file_text(run_ / "n1/quotas"), "12 5000 10000\n");
  EXPECT_EQ(stop(), 0);
  EXPECT_EQ(quota(12), "5000\n");
  EXPECT_THAT(log(), HasSubstr("quotas stay in force"));
  ASSERT_TRUE(tell(start(), 0.6)) << log() << error_of(agents.report(0).last_request);
  EXPECT_EQ(quota(12), "6000\n");
  EXPECT_THAT(log(), HasSubstr("continuing with state"));
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ASSERT_TRUE(tell(start(), 0.7)) << log() << error_of(agents.report(0).last_request);
  EXPECT_EQ(quota(12), "7000\n");
}

TEST_F(Dfrsd, ClocksDoNotMatter) {
  if (under_address_sanitizer()) GTEST_SKIP() << "faketime and AddressSanitizer both want to be loaded first";
  // faketime itself would run dfrsd as its child, which stop() does not reach.
  const auto library = base::run_program({.words = {"faketime", "-f", "+0s", "printenv", "LD_PRELOAD"}});
  if (!library || library->exit_code != 0) GTEST_SKIP() << "needs faketime (Debian: apt-get install faketime)";
  const std::string preload = "LD_PRELOAD=" + library->out.substr(0, library->out.find('\n'));
  for (const char* const shift : {"+10s", "-10s"}) {
    HttpNodeAgents agents(delivery());
    agents.set_agents(
        std::vector<AgentAddress>{{"n1", "127.0.0.1", start({"env", preload, std::string("FAKETIME=") + shift})}});
    agents.set_desired(0, std::vector<JobQuota>{{12, *shift == '+' ? 0.5 : 0.6, false, false}});
    EXPECT_TRUE(agents.wait(std::vector<std::size_t>{0}, 10000)) << log() << error_of(agents.report(0).last_request);
    EXPECT_EQ(quota(12), *shift == '+' ? "5000\n" : "6000\n");
    EXPECT_LT(agents.report(0).age, 10);
    stop();
    std::filesystem::remove_all(run_ / "n1");  // each run starts without state
  }
}

TEST_F(Dfrsd, ReleaseLiftsEveryQuota) {
  {
    HttpNodeAgents agents(delivery());
    agents.set_agents(std::vector<AgentAddress>{{"n1", "127.0.0.1", start()}});
    agents.set_desired(0, std::vector<JobQuota>{{12, 0.5, false, false}, {13, 0.5, false, false}});
    ASSERT_TRUE(agents.wait(std::vector<std::size_t>{0}, 10000)) << log();
  }
  EXPECT_EQ(run_to_end({"--release"}), 4) << log();  // the agent still runs
  EXPECT_THAT(log(), HasSubstr("another dfrsd"));
  stop();
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  const std::string group = "/sys/fs/cgroup/cpu/" + tree_ + "/n1/job_12/";
  std::ofstream(group + "cgroup.procs") << child << std::flush;
  EXPECT_EQ(run_to_end({"--release"}), 0) << log();
  EXPECT_THAT(log(), HasSubstr("quotas of 1 job on n1 are lifted"));
  EXPECT_EQ(quota(12), "-1\n");
  EXPECT_EQ(quota(13), "");
  EXPECT_EQ(file_text(run_ / "n1/quotas"), "");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(Dfrsd, SaysWhatIsWrongBeforeItStarts) {
  EXPECT_EQ(run_to_end({"--check"}), 0) << log();
  EXPECT_THAT(log(), HasSubstr("ready to run"));
  EXPECT_EQ(run_to_end({"--check", "--munge-socket", "/nowhere"}), 2) << log();  // the option is there twice
  EXPECT_EQ(run_to_end({"--bogus"}), 2);
  EXPECT_THAT(log(), AllOf(StartsWith("dfrsd: "), HasSubstr("--bogus"), HasSubstr("--help")));
  EXPECT_EQ(run_to_end({"--cores-per-cpu", "0"}), 2);
  EXPECT_EQ(run_to_end({"--help"}), 0);
  EXPECT_THAT(log(), HasSubstr("Exit codes"));
  const auto with = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> all = words({"--check"});
    *(std::find(all.begin(), all.end(), option) + 1) = value;
    int status = 0;
    ::waitpid(spawn(all), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(with("--munge-socket", "/nowhere"), 5);
  EXPECT_THAT(log(), HasSubstr("/nowhere"));
  EXPECT_EQ(with("--slurm-user", "nobody-of-that-name"), 2);
  EXPECT_THAT(log(), HasSubstr("SlurmUser"));
  EXPECT_EQ(with("--run-dir", "/proc/nowhere"), 4);
  EXPECT_THAT(log(), HasSubstr("--run-dir"));
  EXPECT_EQ(with("--bind", "192.0.2.1"), 5);
  EXPECT_THAT(log(), HasSubstr("192.0.2.1"));
  EXPECT_EQ(with("--node", "a/b"), 4);
}

}  // namespace
}  // namespace dfrs::shim
