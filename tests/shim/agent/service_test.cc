// SPDX-License-Identifier: GPL-2.0-or-later
// The agent behind its routes, and the delivery of quotas in front of them, on control groups of plain files.
#include "shim/agent/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "shim/agent/log.h"
#include "shim/agent/metrics.h"
#include "shim/http/client.h"
#include "shim/quota/http_node_agents.h"
#include "tests/shim/agent/fake_cgroups.h"
#include "tests/shim/agent/no_page_out.h"
#include "tests/shim/support/error_of.h"
#include "tests/shim/support/munged.h"

namespace dfrs::shim {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class Service : public testing::Test {
 protected:
  Service() { start(); }
  void start() {
    auto groups = open_job_groups({tree.root(), "dfrs", "n1"}, tree);
    auto folder = RunFolder::open(run / "n1");
    if (!groups || !folder) {
      ADD_FAILURE() << (groups ? folder.error() : groups.error());
      return;
    }
    AgentOptions options;
    options.node = "n1";
    agent = std::make_unique<Agent>(options, std::move(*groups), std::move(*folder), page_out);
    HttpServerOptions http;
    http.bind_address = "127.0.0.1";
    http.port = port;
    http.auth = Munged::shared().auth();
    http.administrator = getuid();
    auto started = AgentService::start(*agent, "n1", http);
    ASSERT_TRUE(started) << started.error();
    service = std::move(*started);
    port = service->port();
  }
  void stop() {
    service.reset();
    agent.reset();
  }
  tl::expected<HttpCallAnswer, HttpCallError> ask(const std::string& method, const std::string& target,
                                                  const std::string& body = {}) const {
    HttpCallLimits limits;
    limits.timeout = std::chrono::seconds(30);  // not under test; with a sanitizer two seconds are short
    return http_call(us, {"127.0.0.1", port, method, target, node_receiver("n1"), body}, limits, getuid());
  }
  std::string quota(std::uint32_t job) const {
    return tree.text("cpu/dfrs/n1/job_" + std::to_string(job) + "/cpu.cfs_quota_us");
  }

  FakeCgroups tree{FakeCgroups::Version::v1};
  Folder run;
  NoPageOut page_out;
  Authenticator us{Munged::shared().auth()};
  std::unique_ptr<Agent> agent;
  std::unique_ptr<AgentService> service;
  std::uint16_t port = 0;
};

TEST_F(Service, AppliesAndReports) {
  const auto answer = ask("POST", kDesiredTarget, format_desired({"n1", {1, 1}, {{12, 0.5, false, false}}}));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(parse_report(answer->body)->applied, (StateOrder{1, 1}));
  EXPECT_EQ(quota(12), "5000");
  const auto report = ask("GET", kReportTarget);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(parse_report(report->body)->applied, (StateOrder{1, 1}));
}

TEST_F(Service, RefusesWhatIsOldOrNotUnderstood) {
  const std::string state = format_desired({"n1", {2, 5}, {{12, 0.5, false, false}}});
  ASSERT_EQ(ask("POST", kDesiredTarget, state)->status, 200);
  // The same state with another credential, as in a replay after munged has forgotten the first.
  const auto again = ask("POST", kDesiredTarget, state);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->status, 409);
  EXPECT_EQ(*parse_stale(again->body), (StateOrder{2, 5}));
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("\0\xff\x80", 3), std::string(200000, '['),
        format_desired({"n2", {3, 1}, {}}), state.substr(0, state.size() / 2)}) {
    const auto answer = ask("POST", kDesiredTarget, body);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 400) << body.substr(0, 100);
    EXPECT_THAT(answer->body, HasSubstr("\"bad_request\""));
  }
  EXPECT_EQ(quota(12), "5000");
  EXPECT_EQ(agent->metrics().counters.malformed, 6u);
  EXPECT_EQ(agent->metrics().counters.stale, 1u);
}

TEST_F(Service, HealthAndMetricsAreOpen) {
  // The client expects a signed answer and there is none; its message quotes the answer.
  EXPECT_THAT(ask("GET", "/healthz").error().message, HasSubstr("no credential"));
  EXPECT_EQ(service->counters().answers.at({"GET /healthz", 200}), 1u);
  EXPECT_THAT(ask("GET", "/metrics").error().message, HasSubstr("no credential"));
  EXPECT_EQ(service->counters().answers.at({"GET /metrics", 200}), 1u);
  EXPECT_THAT(format_metrics(agent->metrics(), service->counters(), agent->cgroup_version()),
              HasSubstr("route=\"GET /healthz\",status=\"200\"} 1\n"));
}

// From the controller to the node: quotas are in force, through restarts of the agent.
TEST_F(Service, DeliveryReachesTheGroups) {
  HttpNodeAgentsOptions options;
  options.auth = Munged::shared().auth();
  options.slurm_user = getuid();
  options.agent_user = getuid();
  options.refresh = milliseconds(100);
  options.retry_min = milliseconds(20);
  options.retry_max = milliseconds(100);
  HttpNodeAgents agents(options);
  const std::vector<std::size_t> all{0};
  agents.set_agents(std::vector<AgentAddress>{{"n1", "127.0.0.1", port}});
  agents.set_desired(0, std::vector<JobQuota>{{12, 0.5, false, false}});
  ASSERT_TRUE(agents.wait(all, 10000)) << error_of(agents.report(0).last_request);
  EXPECT_EQ(quota(12), "5000");
  stop();
  agents.set_desired(0, std::vector<JobQuota>{{12, 0.7, false, false}});
  EXPECT_FALSE(agents.wait(all, 100));
  EXPECT_EQ(quota(12), "5000");  // the agent is down: its quotas stay
  start();
  ASSERT_TRUE(agents.wait(all, 10000)) << error_of(agents.report(0).last_request);
  EXPECT_EQ(quota(12), "7000");
  // Its run folder is lost.
  stop();
  std::filesystem::remove_all(run / "n1");
  tree.remove_group("cpu/dfrs/n1/job_12");
  start();
  for (int i = 0; i < 1000 && !tree.exists("cpu/dfrs/n1/job_12/cpu.cfs_quota_us"); ++i)
    std::this_thread::sleep_for(milliseconds(10));
  for (int i = 0; i < 1000 && quota(12) != "7000"; ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(quota(12), "7000");
}

TEST(LogLimit, LetsAFewThroughInAMinute) {
  LogLimit limit(2);
  const auto begin = LogLimit::Clock::now();
  EXPECT_EQ(limit.pass("a", begin), std::optional<std::string>("a"));
  EXPECT_EQ(limit.pass("b", begin), std::optional<std::string>("b"));
  EXPECT_FALSE(limit.pass("c", begin));
  EXPECT_FALSE(limit.pass("d", begin + std::chrono::seconds(59)));
  EXPECT_EQ(limit.pass("e", begin + std::chrono::seconds(60)),
            std::optional<std::string>("e (2 more such messages were left out)"));
  EXPECT_EQ(limit.pass("f", begin + std::chrono::seconds(61)), std::optional<std::string>("f"));
}

}  // namespace
}  // namespace dfrs::shim
