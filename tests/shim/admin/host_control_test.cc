// SPDX-License-Identifier: GPL-2.0-or-later
// The control port of a controller made as slurmctld makes it, through the C entries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

#include "record/replay.h"
#include "shim/admin/status_json.h"
#include "shim/controller.h"
#include "shim/http/client.h"
#include "tests/shim/support/munged.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::shim {
namespace {

using ::testing::HasSubstr;

std::string all_logged;

void log_line(int, const char* message) { all_logged += std::string(message) + "\n"; }

// A socket that keeps a port for itself until it is closed.
class Port {
 public:
  Port() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t length = sizeof address;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length), 0);
    number_ = ntohs(address.sin_port);
  }
  ~Port() { release(); }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  std::uint16_t number() const { return number_; }
  void release() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
  std::uint16_t number_ = 0;
};

class HostControl : public ::testing::Test {
 protected:
  void SetUp() override { all_logged.clear(); }
  void TearDown() override {
    if (controller != nullptr) dfrs_controller_destroy(controller);
  }
  void write_conf(std::uint16_t port, const std::string& more = {}) {
    std::ofstream(folder / "dfrs.conf") << "Partitions=dfrs\nQuotaMode=off\nAlgorithm=Greedy*/OPT=MIN\nControlPort="
                                        << port << "\n"
                                        << more;
  }
  void create() {
    const std::string conf = folder / "dfrs.conf";
    const std::string state = folder.path().string();
    const std::string socket = Munged::shared().socket();
    const dfrs_controller_paths paths{conf.c_str(), state.c_str(), "auth/munge", socket.c_str(),
                                      "test",       ::getuid(),    nullptr,      false};
    char error[256] = "";
    controller = dfrs_controller_create(&paths, log_line, error, sizeof error);
    ASSERT_NE(controller, nullptr) << error;
  }
  void reconfigure() {
    char error[256] = "";
    EXPECT_EQ(dfrs_controller_reconfigure(controller, error, sizeof error), 0) << error;
  }
  // Status and answer; 0 if there is no answer.
  std::pair<int, Json> ask(std::uint16_t port, const std::string& method, const std::string& target,
                           const std::string& body = {}, const std::string& host = "127.0.0.1") const {
    const Authenticator authenticator(Munged::shared().auth());
    HttpCallLimits limits;
    limits.timeout = std::chrono::seconds{20};
    const auto answer =
        http_call(authenticator, {host, port, method, target, controller_receiver("test"), body}, limits, ::getuid());
    if (!answer) return {0, Json()};
    return {answer->status, Json::parse(answer->body)};
  }
  void step(double now, std::span<const dfrs_job> jobs) {
    const dfrs_node node{"n1", "127.0.0.1", 6818, 4, 4000, 0, 0, true, false};
    const dfrs_snapshot snapshot{now, 1, &node, 1, jobs.data(), jobs.size()};
    dfrs_operations operations{};
    EXPECT_EQ(dfrs_controller_step(controller, &snapshot, &operations), 0);
  }

  const sim::TemporaryFolder folder;
  dfrs_controller* controller = nullptr;
};

dfrs_job pending_job(std::uint32_t id) {
  dfrs_job job{};
  job.key = {id, 0, 1700000000};
  job.flags = DFRS_JOB_BATCH;
  job.phase = DFRS_JOB_PENDING;
  job.tasks = 1;
  job.cpus_per_task = 4;
  job.memory_per_task = 100;
  job.time_limit = UINT32_MAX;
  job.name = "job";
  job.partition = "dfrs";
  return job;
}

TEST_F(HostControl, ShowsJobsAndRecordsWhatReplays) {
  Port port;
  write_conf(port.number());
  port.release();
  create();
  std::vector<dfrs_job> jobs{pending_job(7)};
  step(1700000001, jobs);
  const Json status = ask(port.number(), "GET", "/v1/status").second;
  ASSERT_EQ(status["jobs"].size(), 1U) << status;
  EXPECT_EQ(status["jobs"][0]["job"], 7);
  EXPECT_EQ(status["algorithm"], "Greedy*/OPT=MIN");
  EXPECT_EQ(ask(port.number(), "GET", "/v1/explain?job=7").first, 200);
  EXPECT_EQ(ask(port.number(), "GET", "/v1/explain?job=8").first, 404);
  EXPECT_EQ(ask(port.number(), "GET", "/v1/nodes").second["nodes"][0]["node"], "n1");
  EXPECT_EQ(ask(port.number(), "GET", "/v1/repack").first, 200);

  // Recording that begins in the middle of the run.
  const std::string path = folder / "record.jsonl";
  EXPECT_EQ(ask(port.number(), "POST", "/v1/record", json_text({{"on", path}})).first, 200);
  for (std::uint32_t k = 0; k < 5; ++k) {
    jobs.push_back(pending_job(8 + k));
    step(1700000002 + k, jobs);
  }
  EXPECT_EQ(ask(port.number(), "POST", "/v1/record", R"({"off":true})").second["on"], false);
  auto reader = record::RecordReader::open(path);
  ASSERT_TRUE(reader.has_value());
  const auto replayed = record::replay(*reader);
  ASSERT_TRUE(replayed.has_value());
  const record::ReplaySummary& summary = *replayed;
  EXPECT_FALSE(summary.difference.has_value());
  EXPECT_GT(summary.steps, 0U);
  EXPECT_EQ(summary.jobs, 6U);
}

// slurmctld also schedules without the port, and tries again at a reconfigure.
TEST_F(HostControl, APortThatIsTakenAndOneThatChanges) {
  Port first;
  write_conf(first.number());
  create();
  EXPECT_THAT(all_logged, HasSubstr("cannot open the control port for dfrsctl"));
  EXPECT_THAT(all_logged, HasSubstr("in use"));
  step(1700000001, {});
  first.release();
  reconfigure();
  EXPECT_EQ(ask(first.number(), "GET", "/v1/version").first, 200);
  Port second;
  write_conf(second.number());
  second.release();
  reconfigure();
  EXPECT_EQ(ask(second.number(), "GET", "/v1/version").first, 200);
  EXPECT_EQ(ask(first.number(), "GET", "/v1/version").first, 0) << "nobody is there any more";
}

// As when a backup controller on the same host gives control back: it lets its port go a little later.
TEST_F(HostControl, APortThatIsTakenAtFirstIsTriedAgain) {
  Port port;
  write_conf(port.number());
  create();
  step(1700000001, {});
  EXPECT_EQ(ask(port.number(), "GET", "/v1/version").first, 0);
  port.release();
  step(1700000001.5, {});
  EXPECT_EQ(ask(port.number(), "GET", "/v1/version").first, 0) << "not more than once a second";
  step(1700000003, {});
  EXPECT_EQ(ask(port.number(), "GET", "/v1/version").first, 200);
  EXPECT_THAT(all_logged, HasSubstr("the control port for dfrsctl is open now"));
}

// Slurm ends and starts its scheduler in one process when a reconfiguration fails or control is given back.
TEST_F(HostControl, ASecondControllerOfAProcessSurvivesAWrongFile) {
  Port port;
  write_conf(port.number());
  port.release();
  create();
  dfrs_controller_destroy(controller);
  write_conf(port.number(), "Perod=5\n");
  create();
  EXPECT_THAT(all_logged, HasSubstr("Perod"));
  const Json status = ask(port.number(), "GET", "/v1/status").second;
  EXPECT_THAT(status["config_error"].get<std::string>(), HasSubstr("Perod"));
  write_conf(port.number());
  reconfigure();
  EXPECT_TRUE(ask(port.number(), "GET", "/v1/status").second["config_error"].is_null());
}

// Where ControlAddress says, and nowhere else; a change moves the port.
TEST_F(HostControl, ListensOnControlAddressOnly) {
  Port port;
  write_conf(port.number(), "ControlAddress=127.0.0.2\n");
  port.release();
  create();
  EXPECT_EQ(ask(port.number(), "GET", "/v1/version", {}, "127.0.0.2").first, 200);
  EXPECT_EQ(ask(port.number(), "GET", "/v1/version").first, 0);
  write_conf(port.number(), "ControlAddress=127.0.0.1\n");
  reconfigure();
  EXPECT_EQ(ask(port.number(), "GET", "/v1/version").first, 200);
  EXPECT_EQ(ask(port.number(), "GET", "/v1/version", {}, "127.0.0.2").first, 0);
}

TEST_F(HostControl, AnAuthTypeThatIsNotSupported) {
  write_conf(1);
  const std::string conf = folder / "dfrs.conf";
  const std::string state = folder.path().string();
  const dfrs_controller_paths paths{conf.c_str(), state.c_str(), "auth/none", nullptr,
                                    "test",       ::getuid(),    nullptr,     false};
  char error[256] = "";
  EXPECT_EQ(dfrs_controller_create(&paths, log_line, error, sizeof error), nullptr);
  EXPECT_THAT(error, HasSubstr("AuthType=auth/none is not supported"));
}

TEST_F(HostControl, RecordFile) {
  Port port;
  const std::string path = folder / "r.jsonl";
  write_conf(port.number(), "RecordFile=" + path + "\n");
  port.release();
  create();
  EXPECT_EQ(ask(port.number(), "GET", "/v1/record").second["path"], path);
  const std::vector<dfrs_job> jobs{pending_job(7)};
  step(1700000001, jobs);
  EXPECT_GT(ask(port.number(), "GET", "/v1/record").second["steps"], 0);
  // Another name begins another record; the same one leaves it alone.
  reconfigure();
  EXPECT_EQ(ask(port.number(), "GET", "/v1/record").second["path"], path);
  write_conf(port.number(), "RecordFile=" + (folder / "other") + "\n");
  reconfigure();
  EXPECT_EQ(ask(port.number(), "GET", "/v1/record").second["path"], folder / "other");
  dfrs_controller_destroy(controller);
  create();
  EXPECT_EQ(ask(port.number(), "GET", "/v1/record").second["path"], folder / "other.1") << "nothing is overwritten";
  auto reader = record::RecordReader::open(path);
  ASSERT_TRUE(reader.has_value());
  const auto step = reader->next();
  ASSERT_TRUE(step.has_value());
  EXPECT_TRUE(*step);
}

}  // namespace
}  // namespace dfrs::shim
