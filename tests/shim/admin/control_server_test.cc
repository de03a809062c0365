// SPDX-License-Identifier: GPL-2.0-or-later
// The control port over real HTTP, with a munged of the test's own.
#include "shim/admin/control_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "shim/admin/history_json.h"
#include "shim/admin/metrics.h"
#include "shim/admin/status_json.h"
#include "shim/http/client.h"
#include "tests/shim/admin/sample_status.h"
#include "tests/shim/support/munged.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::shim {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kNobody = 65534;

class ControlPort : public ::testing::Test {
 protected:
  void SetUp() override {
    ControlServerOptions options;
    options.bind_address = "127.0.0.1";
    options.cluster = "test";
    options.auth = Munged::shared().auth();
    options.slurm_user = ::getuid();
    options.wake = [this] { ++wakes; };
    auto started = ControlServer::start(options, inspection, recorder);
    ASSERT_TRUE(started.has_value()) << started.error();
    server = std::move(*started);
  }

  tl::expected<HttpCallAnswer, HttpCallError> ask(const std::string& method, const std::string& target,
                                                  const std::string& body = {}) const {
    const Authenticator authenticator(Munged::shared().auth());
    const HttpCall call{"127.0.0.1", server->port(), method, target, controller_receiver("test"), body};
    HttpCallLimits limits;
    limits.timeout = std::chrono::seconds{20};
    return http_call(authenticator, call, limits, ::getuid());
  }
  std::pair<int, Json> get(const std::string& target) const { return parsed(ask("GET", target)); }
  std::pair<int, Json> post(const std::string& body) const { return parsed(ask("POST", "/v1/record", body)); }
  static std::pair<int, Json> parsed(const tl::expected<HttpCallAnswer, HttpCallError>& answer) {
    if (!answer) {
      ADD_FAILURE() << answer.error().message;
      return {};
    }
    return {answer->status, Json::parse(answer->body)};
  }

  FakeInspection inspection;
  record::Recorder recorder;
  std::atomic<int> wakes = 0;
  std::unique_ptr<ControlServer> server;
};

TEST_F(ControlPort, ShowsWhatTheControllerShows) {
  EXPECT_EQ(get("/v1/status").second, status_json(sample_status(), {}));
  EXPECT_EQ(get("/v1/nodes").second, nodes_json(sample_status()));
  EXPECT_EQ(get("/v1/repack").second, repack_json(sample_plan()));
  EXPECT_EQ(get("/v1/history").second, history_json(inspection.past()));
  EXPECT_EQ(get("/v1/version").second["cluster"], "test");
  const auto [status, explained] = get("/v1/explain?job=7");
  EXPECT_EQ(status, 200);
  EXPECT_EQ(explained["lines"][1], "its yield is 0.333");
  EXPECT_EQ(explained["summary"].dump(),
            R"({"since":90.0,"ended":false,"waited":10.0,"ran":50.0,"paused":0.0,"pauses":2,"moves":0,)"
            R"("text":"So far, job 7 waited 10 s to start, ran for 50 s and was paused 2 times for 0 s."})");
  ASSERT_EQ(explained["events"].size(), 1u);
  EXPECT_EQ(explained["events"][0]["event"], "started");
  EXPECT_EQ(explained["events"][0]["reason"], "room");
  EXPECT_EQ(explained["events"][0]["text"], "Job 7 starts on 2 nodes: there is room for it.");
  // Scripts rely on the schema's names.
  EXPECT_EQ(get("/v1/status").second["jobs"][2]["priority"], nullptr);
  EXPECT_EQ(get("/v1/status").second["jobs"][0]["nodes"]["n1"], 3);
}

TEST_F(ControlPort, WrongQuestions) {
  EXPECT_EQ(get("/v1/explain").first, 400);
  for (const char* job : {"", "0", "-1", "x", "7x", "4294967296"}) {
    EXPECT_EQ(get(std::string("/v1/explain?job=") + job).first, 400) << job;
  }
  const auto [status, answer] = get("/v1/explain?job=8");
  EXPECT_EQ(status, 404);
  EXPECT_EQ(answer["reason"], "no_such_job");
  EXPECT_THAT(answer["error"].get<std::string>(), HasSubstr("job 8"));
  EXPECT_FALSE(ask("GET", "/v1/nonsense").has_value());
}

// Each costs a repack, and every user may ask.
TEST_F(ControlPort, RepacksAreNotMadeFasterThanOneASecond) {
  const auto begin = std::chrono::steady_clock::now();
  int asked = 0;
  while (asked < 20) {
    EXPECT_EQ(get("/v1/repack").first, 200);
    ++asked;
  }
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LE(inspection.plans_made, 1 + seconds);
}

TEST_F(ControlPort, ARepackThatCannotBe) {
  inspection.plan_error = "nothing seen yet";
  const auto [status, answer] = get("/v1/repack");
  EXPECT_EQ(status, 409);
  EXPECT_EQ(answer["error"], "nothing seen yet");
}

TEST_F(ControlPort, RecordingOnAndOff) {
  const sim::TemporaryFolder folder;
  EXPECT_EQ(get("/v1/record").second["on"], false);
  const std::string path = folder / "r.jsonl";
  const auto [status, on] = post(json_text({{"on", path}}));
  EXPECT_EQ(status, 200);
  EXPECT_EQ(on["on"], true);
  EXPECT_EQ(on["path"], path);
  EXPECT_TRUE(recorder.wants_new_engine());
  EXPECT_EQ(wakes, 1) << "a record begins with the next step";
  EXPECT_EQ(get("/v1/status").second["record"]["on"], true);
  const auto [again, refused] = post(json_text({{"on", path}}));
  EXPECT_EQ(again, 409);
  EXPECT_THAT(refused["error"].get<std::string>(), HasSubstr("exists already"));
  EXPECT_EQ(post(R"({"off":true})").second["on"], false);
  EXPECT_FALSE(recorder.state().on);
  for (const char* wrong : {"", "{}", "[]", "x", R"({"on":1})", R"({"on":"relative"})", R"({"off":false})",
                            R"({"on":"/a","off":true})", R"({"on":"/a\u0000b"})", R"({"no":"/a"})"}) {
    EXPECT_EQ(post(wrong).first, 400) << wrong;
  }
  EXPECT_FALSE(recorder.state().on);
}

// Every user may read, as with squeue; only root and SlurmUser may write files.
TEST_F(ControlPort, OthersMayLookButNotRecord) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root, to ask as another user";
  const sim::TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) _exit(1);
    const Authenticator authenticator(Munged::shared().auth());
    HttpCallLimits limits;
    limits.timeout = std::chrono::seconds{20};
    const auto call = [&](const char* method, const char* target, const std::string& body) {
      const auto answer = http_call(
          authenticator, {"127.0.0.1", server->port(), method, target, controller_receiver("test"), body}, limits, 0);
      return answer ? answer->status : -1;
    };
    if (call("GET", "/v1/status", "") != 200) _exit(2);
    if (call("GET", "/v1/repack", "") != 200) _exit(3);
    if (call("POST", "/v1/record", json_text({{"on", folder / "r"}})) != 401) _exit(4);
    if (call("POST", "/v1/record", R"({"off":true})") != 401) _exit(5);
    _exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(folder.names().empty());
  EXPECT_FALSE(recorder.state().on);
}

// Another key: each side refuses the other.
// For Prometheus, which has no credential; the client shows words of an answer that nobody signed.
TEST_F(ControlPort, MetricsOnlyWhereTheyAreWanted) {
  EXPECT_THAT(ask("GET", "/metrics").error().message, HasSubstr("there is no /metrics"));
  ControlServerOptions options;
  options.bind_address = "127.0.0.1";
  options.cluster = "test";
  options.auth = Munged::shared().auth();
  options.slurm_user = ::getuid();
  options.metrics = true;
  server = std::move(*ControlServer::start(options, inspection, recorder));
  EXPECT_THAT(ask("GET", "/metrics").error().message, HasSubstr("carries no credential"));
  EXPECT_EQ(server->counters().answers.at({"GET /metrics", 200}), 1U);
}

TEST(ControllerMetrics, SaysWhatTheStatusSays) {
  ControllerStatus status = sample_status();
  status.deliveries.failed = 3;
  const std::string text = format_metrics(status, HttpCounters());
  for (const char* const line :
       {"dfrs_controller_steps_total 1234\n", "dfrs_quota_deliveries_total{result=\"failed\"} 3\n",
        "dfrs_job_pauses_total{job_id=\"7\",partition=\"dfrs\"} 1\n",
        "dfrs_job_quota_pending{job_id=\"7\",partition=\"dfrs\"} 1\n", "# TYPE dfrs_job_yield gauge\n",
        "dfrs_jobs{state=\"user-suspended\"} 0\n", "dfrs_node_cpus{node=\"n1\"} "}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, ::testing::Not(HasSubstr("simulate"))) << "names of jobs are their users' own";
  EXPECT_THAT(text, ::testing::Not(HasSubstr("nan")));
}

TEST_F(ControlPort, AnotherKeyIsRefused) {
  Munged other("another key");
  const Authenticator authenticator(other.auth());
  const HttpCall call{"127.0.0.1", server->port(), "GET", "/v1/status", controller_receiver("test"), ""};
  const auto answer = http_call(authenticator, call, {}, ::getuid());
  ASSERT_FALSE(answer.has_value());
  EXPECT_TRUE(answer.error().refused);
}

TEST_F(ControlPort, APortInUseIsAnError) {
  ControlServerOptions options;
  options.bind_address = "127.0.0.1";
  options.port = server->port();
  options.cluster = "test";
  const auto second = ControlServer::start(options, inspection, recorder);
  ASSERT_FALSE(second.has_value());
  EXPECT_THAT(second.error(), HasSubstr("in use"));
}

// Requests come while the scheduling thread changes the state.
TEST_F(ControlPort, Threads) {
  const sim::TemporaryFolder folder;
  std::atomic<bool> stop{false};
  std::thread scheduler([&] {
    const Algorithm algorithm = *parse_algorithm("EASY");
    const Decisions nothing;
    Seconds now = 0;
    while (!stop) {
      {
        const std::lock_guard lock(inspection.mutex);
        inspection.shown.steps += 1;
      }
      if (recorder.wants_new_engine()) recorder.begin(algorithm, {});
      recorder.step({now += 1, {}, {}, 1}, {}, {}, &nothing);
      std::this_thread::yield();
    }
  });
  std::thread asker([&] {
    for (int k = 0; k < 20; ++k) EXPECT_EQ(get("/v1/status").first, 200);
  });
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(post(json_text({{"on", folder / std::to_string(k)}})).first, 200);
    EXPECT_EQ(get("/v1/record").first, 200);
  }
  EXPECT_EQ(post(R"({"off":true})").first, 200);
  asker.join();
  stop = true;
  scheduler.join();
}

}  // namespace
}  // namespace dfrs::shim
