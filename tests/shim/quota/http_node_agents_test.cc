// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/quota/http_node_agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include <cmath>
#include <optional>
#include <thread>

#include "tests/shim/quota/test_node.h"
#include "tests/shim/support/error_of.h"

namespace dfrs::shim {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr std::uint32_t kLong = 10000;  // ms; waits end as soon as their condition holds

class Delivery : public testing::Test {
 protected:
  std::mutex mutex;
  std::vector<std::string> logged;

  HttpNodeAgentsOptions options() {
    HttpNodeAgentsOptions options;
    options.epoch = 7;
    options.auth = Munged::shared().auth();
    options.slurm_user = getuid();
    options.agent_user = getuid();
    options.refresh = milliseconds(100);
    options.retry_min = milliseconds(20);
    options.retry_max = milliseconds(100);
    options.log = [this](const std::string& message) {
      const std::lock_guard lock(mutex);
      logged.push_back(message);
    };
    return options;
  }
  std::string log() {
    const std::lock_guard lock(mutex);
    std::string all;
    for (const std::string& line : logged) all += line + "\n";
    return all;
  }

  template <typename Holds>
  static bool eventually(Holds&& holds) {
    const auto end = std::chrono::steady_clock::now() + milliseconds(kLong);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return true;
  }
};

const std::vector<JobQuota> kJobs{{3, 0.5, false}, {9, 2, true, true}};

TEST_F(Delivery, BringsStatesAndReports) {
  TestNode one("n1");
  TestNode two("n2");
  HttpNodeAgents agents(options());
  agents.set_agents(std::vector{one.address(), two.address()});
  EXPECT_FALSE(agents.report(0).current);
  EXPECT_TRUE(std::isinf(agents.report(0).age));
  agents.set_desired(0, kJobs);
  agents.set_desired(1, std::vector<JobQuota>{});
  ASSERT_TRUE(agents.wait(std::vector<std::size_t>{0, 1}, kLong)) << log();
  EXPECT_EQ(one.state().jobs, kJobs);
  EXPECT_EQ(one.state().order.epoch, 7u);
  EXPECT_EQ(two.state().jobs, std::vector<JobQuota>{});
  const NodeReport report = agents.report(0);
  EXPECT_TRUE(report.reachable);
  EXPECT_TRUE(report.current);
  EXPECT_LT(report.age, 10);
  EXPECT_NEAR(report.measured_age, 100 + report.age, 1);
  EXPECT_TRUE(report.last_request) << error_of(report.last_request);
  EXPECT_EQ(report.swap_total_mib, 1000u);
  EXPECT_EQ(report.swap_free_mib, 900u);
  ASSERT_EQ(report.jobs.size(), 2u);
  EXPECT_EQ(report.jobs[1].job_id, 9u);
  EXPECT_EQ(report.jobs[1].cpu_seconds, 1.5);
  EXPECT_EQ(log(), "");
}

// A job must not stand still until the next refresh.
TEST_F(Delivery, AsksOftenDuringAnAttemptToCheckpoint) {
  TestNode one("n1");
  TestNode two("n2");
  HttpNodeAgentsOptions rarely = options();
  rarely.refresh = std::chrono::hours(1);
  HttpNodeAgents agents(rarely);
  agents.set_agents(std::vector{one.address(), two.address()});
  std::vector<JobQuota> jobs = kJobs;
  agents.set_desired(1, jobs);
  jobs[0].checkpoint = {3, CheckpointPhase::kFreeze, 0, 1000, "/images"};
  agents.set_desired(0, jobs);
  ASSERT_TRUE(eventually([&] { return one.requests() >= 4; }));
  EXPECT_EQ(one.state().jobs, jobs);
  EXPECT_EQ(two.requests(), 1u);
}

TEST_F(Delivery, SaysNothingToNodesOfWhichNothingIsWanted) {
  // After a controller's restart its jobs are unknown at first: an empty state would lift every quota.
  TestNode one("n1");
  TestNode two("n2");
  HttpNodeAgents agents(options());
  agents.set_agents(std::vector{one.address(), two.address()});
  agents.set_desired(1, kJobs);
  ASSERT_TRUE(agents.wait(std::vector<std::size_t>{1}, kLong));
  ASSERT_TRUE(eventually([&] { return two.requests() >= 3; }));
  EXPECT_EQ(one.requests(), 0u);
  EXPECT_FALSE(agents.wait(std::vector<std::size_t>{0}, 0));
}

TEST_F(Delivery, ASessionOutlivesMunged) {
  Munged munged;
  TestNode one("n1", munged.auth());
  HttpNodeAgentsOptions ours = options();
  ours.auth = munged.auth();
  HttpNodeAgents agents(ours);
  agents.set_agents(std::vector{one.address()});
  const std::vector<std::size_t> all{0};
  agents.set_desired(0, kJobs);
  ASSERT_TRUE(agents.wait(all, kLong)) << log();
  munged.stop();
  agents.set_desired(0, std::vector<JobQuota>{});
  ASSERT_TRUE(agents.wait(all, kLong)) << log();
  EXPECT_EQ(one.state().jobs, std::vector<JobQuota>{});
  // An agent that has been restarted knows nothing of it.
  one.stop();
  one.start();
  agents.set_desired(0, kJobs);
  EXPECT_FALSE(agents.wait(all, 200));
  munged.start();
  ASSERT_TRUE(agents.wait(all, kLong)) << log();
  EXPECT_EQ(one.state().jobs, kJobs);
}

// It does not know the session: a request with a credential follows at once.
TEST_F(Delivery, ARestartedAgentCostsNoErrors) {
  TestNode one("n1");
  HttpNodeAgentsOptions rarely = options();
  rarely.refresh = std::chrono::hours(1);
  HttpNodeAgents agents(rarely);
  agents.set_agents(std::vector{one.address()});
  const std::vector<std::size_t> all{0};
  agents.set_desired(0, kJobs);
  ASSERT_TRUE(agents.wait(all, kLong)) << log();
  one.stop();
  one.start();
  agents.set_desired(0, std::vector<JobQuota>{});
  ASSERT_TRUE(agents.wait(all, kLong)) << log();
  EXPECT_EQ(one.counters().refusals[static_cast<std::size_t>(Refusal::unknown_session)], 1u);
  EXPECT_EQ(agents.counters().refused, 0u);
  EXPECT_EQ(log(), "");
}

TEST_F(Delivery, EveryRequestHasAnOrderOfItsOwn) {
  TestNode one("n1");
  HttpNodeAgents agents(options());
  agents.set_agents(std::vector{one.address()});
  agents.set_desired(0, kJobs);
  ASSERT_TRUE(eventually([&] { return one.requests() >= 4; }));  // refreshes
  const std::vector<StateOrder> orders = one.orders();
  for (std::size_t i = 1; i < orders.size(); ++i) EXPECT_LT(orders[i - 1], orders[i]);
  EXPECT_EQ(agents.counters().stale, 0u);
}

TEST_F(Delivery, AChangeIsSentAtOnceAndSameStatesAreNot) {
  HttpNodeAgentsOptions slow = options();
  slow.refresh = std::chrono::hours(1);
  TestNode one("n1");
  HttpNodeAgents agents(slow);
  agents.set_agents(std::vector{one.address()});
  agents.set_desired(0, kJobs);
  ASSERT_TRUE(agents.wait(std::vector<std::size_t>{0}, kLong));
  for (int i = 0; i < 10; ++i) agents.set_desired(0, kJobs);
  const std::vector<JobQuota> unsorted{{9, 2, true, true}, {3, 0.5, false}};
  agents.set_desired(0, unsorted);
  EXPECT_TRUE(agents.report(0).current);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(one.requests(), 1u);
  {
    const auto busy = one.busy();
    agents.set_desired(0, std::vector<JobQuota>{{3, 0.25, false}});
    EXPECT_FALSE(agents.report(0).current);
  }
  ASSERT_TRUE(agents.wait(std::vector<std::size_t>{0}, kLong));
  EXPECT_EQ(one.state().jobs[0].cpus, 0.25);
  EXPECT_EQ(one.requests(), 2u);
}

TEST_F(Delivery, AnUnreachableAgentGetsItsStateLater) {
  TestNode one("n1");
  TestNode two("n2");
  two.stop();
  HttpNodeAgents agents(options());
  agents.set_agents(std::vector{one.address(), two.address()});
  agents.set_desired(0, kJobs);
  agents.set_desired(1, kJobs);
  EXPECT_TRUE(agents.wait(std::vector<std::size_t>{0}, kLong));
  EXPECT_FALSE(agents.wait(std::vector<std::size_t>{0, 1}, 50));
  ASSERT_TRUE(eventually([&] { return !agents.report(1).last_request; }));
  const NodeReport report = agents.report(1);
  EXPECT_FALSE(report.reachable);
  EXPECT_FALSE(report.current);
  EXPECT_THAT(error_of(report.last_request), HasSubstr("n2"));
  // The desired state changes while it is down: it gets the newest.
  agents.set_desired(1, std::vector<JobQuota>{{4, 1, false}});
  two.start();
  ASSERT_TRUE(agents.wait(std::vector<std::size_t>{1}, kLong));
  EXPECT_EQ(two.state().jobs, (std::vector<JobQuota>{{4, 1, false}}));
  EXPECT_TRUE(agents.report(1).reachable);
  EXPECT_TRUE(agents.report(1).last_request) << error_of(agents.report(1).last_request);
  // One message when the error begins, and one when it ends.
  ASSERT_TRUE(eventually([&] { return log().find("no more errors") != std::string::npos; }));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(logged.size(), 2u);
}

// A node that boots for a job: its quota must not wait for the next attempt.
TEST_F(Delivery, AnAgentThatHasJustComeUpIsTriedAtOnce) {
  TestNode one("n1");
  one.stop();
  HttpNodeAgentsOptions patient = options();
  patient.retry_min = patient.retry_max = std::chrono::hours(1);
  HttpNodeAgents agents(patient);
  agents.set_agents(std::vector{one.address()});
  agents.set_desired(0, kJobs);
  ASSERT_TRUE(eventually([&] { return agents.counters().failed == 1; }));
  one.start();
  agents.retry_now(0);
  agents.retry_now(1);  // there is none
  EXPECT_TRUE(agents.wait(std::vector<std::size_t>{0}, kLong)) << log();
  EXPECT_EQ(agents.counters().failed, 1u);
}

TEST_F(Delivery, ARestartedAgentConverges) {
  TestNode one("n1");
  HttpNodeAgents agents(options());
  agents.set_agents(std::vector{one.address()});
  agents.set_desired(0, kJobs);
  ASSERT_TRUE(agents.wait(std::vector<std::size_t>{0}, kLong));
  one.stop();
  one.forget();
  one.start();
  EXPECT_TRUE(eventually([&] { return one.state().jobs == kJobs; })) << log();
}

TEST_F(Delivery, ARestartedControllerTakesOver) {
  TestNode one("n1");
  {
    HttpNodeAgents before(options());
    before.set_agents(std::vector{one.address()});
    before.set_desired(0, kJobs);
    ASSERT_TRUE(before.wait(std::vector<std::size_t>{0}, kLong));
  }
  HttpNodeAgentsOptions later = options();
  later.epoch = 8;
  HttpNodeAgents after(later);
  after.set_agents(std::vector{one.address()});
  after.set_desired(0, std::vector<JobQuota>{{1, 1, false}});
  ASSERT_TRUE(after.wait(std::vector<std::size_t>{0}, kLong));
  EXPECT_EQ(one.state().order.epoch, 8u);
  EXPECT_EQ(after.counters().stale, 0u);
}

TEST_F(Delivery, OutbidsAStateThatNobodyKeepsUp) {
  TestNode one("n1");
  one.hold({"n1", {50, 12}, {}});
  HttpNodeAgents agents(options());
  agents.set_agents(std::vector{one.address()});
  agents.set_desired(0, kJobs);
  ASSERT_TRUE(agents.wait(std::vector<std::size_t>{0}, kLong)) << log();
  EXPECT_EQ(one.state().order.epoch, 51u);
  EXPECT_EQ(agents.epoch(), 51u);
  EXPECT_GE(agents.counters().stale, 3u);
  EXPECT_THAT(log(), HasSubstr("another controller"));
}

TEST_F(Delivery, DoesNotFightAControllerThatHasTakenOver) {
  TestNode one("n1");
  HttpNodeAgents old(options());
  HttpNodeAgentsOptions later = options();
  later.epoch = 8;
  later.refresh = milliseconds(10);  // always newer when the old one asks again
  HttpNodeAgents current(later);
  current.set_agents(std::vector{one.address()});
  current.set_desired(0, kJobs);
  ASSERT_TRUE(current.wait(std::vector<std::size_t>{0}, kLong));
  old.set_agents(std::vector{one.address()});
  old.set_desired(0, std::vector<JobQuota>{});
  EXPECT_TRUE(eventually([&] { return old.counters().stale >= 6; }));
  EXPECT_EQ(old.epoch(), 7u);
  EXPECT_EQ(one.state().jobs, kJobs);
  EXPECT_TRUE(old.report(0).reachable);
  EXPECT_FALSE(old.report(0).current);
}

TEST_F(Delivery, AnotherKeyIsRefusedAndSaid) {
  const Munged stranger("another key");
  TestNode one("n1", stranger.auth());
  HttpNodeAgents agents(options());
  agents.set_agents(std::vector{one.address()});
  agents.set_desired(0, kJobs);
  ASSERT_TRUE(eventually([&] { return agents.counters().refused >= 2; }));
  EXPECT_EQ(one.requests(), 0u);
  EXPECT_THAT(error_of(agents.report(0).last_request), HasSubstr("MUNGE key"));
  EXPECT_FALSE(agents.report(0).reachable);
}

TEST_F(Delivery, ErrorsOfTheNodeAreReportedAndTriedAgain) {
  TestNode one("n1");
  one.fail_with("cpu.max: no such file");
  HttpNodeAgents agents(options());
  agents.set_agents(std::vector{one.address()});
  agents.set_desired(0, kJobs);
  ASSERT_TRUE(eventually([&] { return one.requests() >= 3; }));
  EXPECT_THAT(error_of(agents.report(0).last_request), HasSubstr("job 7: cpu.max"));
  EXPECT_TRUE(agents.report(0).reachable);
  EXPECT_FALSE(agents.report(0).current);
  one.fail_with("");
  EXPECT_TRUE(agents.wait(std::vector<std::size_t>{0}, kLong));
  EXPECT_TRUE(eventually([&] { return agents.report(0).last_request.has_value(); }));
}

// Listens, but never answers.
class SilentAgent {
 public:
  SilentAgent() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address_;
    EXPECT_EQ(::bind(fd_, reinterpret_cast<sockaddr*>(&address_), length), 0);
    EXPECT_EQ(::listen(fd_, 64), 0);
    EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address_), &length), 0);
  }
  SilentAgent(const SilentAgent&) = delete;
  SilentAgent& operator=(const SilentAgent&) = delete;
  ~SilentAgent() { ::close(fd_); }
  AgentAddress address(std::string node) const { return {std::move(node), "127.0.0.1", ntohs(address_.sin_port)}; }

 private:
  int fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address_{};
};

TEST_F(Delivery, ASilentAgentDoesNotHoldUpOthers) {
  const SilentAgent silent;
  HttpNodeAgentsOptions few = options();
  few.max_parallel = 4;
  few.limits.timeout = milliseconds(300);
  TestNode live("live");
  std::vector<AgentAddress> addresses;
  for (int i = 0; i < 20; ++i) addresses.push_back(silent.address("silent" + std::to_string(i)));
  addresses.push_back(live.address());
  HttpNodeAgents agents(few);
  agents.set_agents(addresses);
  for (std::size_t i = 0; i < 20; ++i) agents.set_desired(i, kJobs);
  // Until the silent ones are known, they take all places in turn.
  ASSERT_TRUE(eventually([&] { return agents.counters().failed >= 20; }));
  agents.set_desired(20, kJobs);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(agents.wait(std::vector<std::size_t>{20}, kLong));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(250));
}

TEST_F(Delivery, TheListOfAgentsMayChange) {
  TestNode one("n1");
  TestNode two("n2");
  TestNode moved("n1");
  HttpNodeAgents agents(options());
  agents.set_agents(std::vector{one.address(), two.address()});
  agents.set_desired(0, kJobs);
  agents.set_desired(1, std::vector<JobQuota>{{5, 1, false}});
  ASSERT_TRUE(agents.wait(std::vector<std::size_t>{0, 1}, kLong));
  // Another order: states stay with their nodes.
  agents.set_agents(std::vector{two.address(), one.address()});
  EXPECT_TRUE(agents.report(0).current);
  EXPECT_TRUE(agents.report(1).current);
  agents.set_desired(0, std::vector<JobQuota>{{5, 1, false}});
  EXPECT_TRUE(agents.report(0).current);
  // Another address: the agent there gets the state.
  agents.set_agents(std::vector{moved.address()});
  EXPECT_TRUE(agents.wait(std::vector<std::size_t>{0}, kLong));
  EXPECT_EQ(moved.state().jobs, kJobs);
  // A node that goes and comes has no state of ours; indices beyond the list are harmless.
  agents.set_agents(std::vector<AgentAddress>{});
  agents.set_desired(0, kJobs);
  EXPECT_FALSE(agents.wait(std::vector<std::size_t>{0}, 0));
  EXPECT_FALSE(agents.report(3).reachable);
  agents.set_agents(std::vector{two.address()});
  EXPECT_FALSE(agents.report(0).current);
}

TEST_F(Delivery, OffLiftsQuotasOnceAndIsSilentThen) {
  TestNode one("n1");
  one.hold({"n1", {3, 1}, kJobs});
  TestNode away("n2");
  away.stop();
  HttpNodeAgentsOptions off = options();
  off.enabled = false;
  HttpNodeAgents agents(off);
  agents.set_agents(std::vector{one.address(), away.address()});
  agents.set_desired(0, kJobs);
  EXPECT_TRUE(agents.wait(std::vector<std::size_t>{0, 1}, kLong));
  ASSERT_TRUE(eventually([&] { return one.requests() == 1 && agents.counters().failed == 6; }));
  EXPECT_EQ(one.state().jobs, std::vector<JobQuota>{});
  std::this_thread::sleep_for(milliseconds(300));  // three refreshes
  EXPECT_EQ(one.requests(), 1u);
  EXPECT_EQ(agents.counters().failed, 6u);
  // The same list causes no request; a new node does.
  TestNode three("n3");
  agents.set_agents(std::vector{one.address(), three.address()});
  ASSERT_TRUE(eventually([&] { return three.requests() == 1; }));
  EXPECT_EQ(one.requests(), 1u);
}

// An agent that has been restarted is told once more than one that has not.
TEST_F(Delivery, OffCountsNoAttemptInASessionThatHasEnded) {
  TestNode one("n1");
  one.fail_with("cannot");
  HttpNodeAgentsOptions off = options();
  off.enabled = false;
  off.retry_min = milliseconds(60);
  off.retry_max = milliseconds(2000);
  HttpNodeAgents agents(off);
  agents.set_agents(std::vector{one.address()});
  ASSERT_TRUE(eventually([&] { return one.requests() == 5; }));
  one.stop();  // the sixth attempt, the last one, follows after 960 ms
  one.start();
  EXPECT_TRUE(eventually([&] { return one.requests() == 6; }));
}

TEST_F(Delivery, StopsAtOnce) {
  const SilentAgent silent;
  std::optional<HttpNodeAgents> agents(std::in_place, options());
  agents->set_agents(std::vector{silent.address("silent")});
  agents->set_desired(0, kJobs);
  ASSERT_TRUE(eventually([&] { return agents->counters().sent >= 1; }));
  const auto begin = std::chrono::steady_clock::now();
  agents.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(1500));
}

// With so many nodes no connection is kept for the next request.
TEST_F(Delivery, NodesOfALargeClusterAreReachedAgainAndAgain) {
  TestNode first("n0"), last("n2000");
  std::vector<AgentAddress> addresses{first.address()};
  for (int i = 1; i < 2000; ++i) addresses.push_back({"n" + std::to_string(i), "192.0.2.1", 1});
  addresses.push_back(last.address());
  const std::vector<std::size_t> both{0, 2000};
  HttpNodeAgents agents(options());
  agents.set_agents(addresses);
  for (int round = 1; round <= 5; ++round) {
    for (const std::size_t i : both) agents.set_desired(i, std::vector<JobQuota>{{7, round * 0.1, false}});
    ASSERT_TRUE(agents.wait(both, kLong)) << log();
    EXPECT_EQ(first.state().jobs[0].cpus, round * 0.1);
    EXPECT_EQ(last.state().jobs[0].cpus, round * 0.1);
  }
}

// Many threads change states all the time; at the end every node has its last one.
TEST_F(Delivery, ManyNodesConverge) {
  constexpr std::size_t kNodes = 40;
  std::vector<std::unique_ptr<TestNode>> nodes;
  std::vector<AgentAddress> addresses;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < kNodes; ++i) {
    nodes.push_back(std::make_unique<TestNode>("n" + std::to_string(i)));
    addresses.push_back(nodes.back()->address());
    all.push_back(i);
  }
  HttpNodeAgents agents(options());
  agents.set_agents(addresses);
  for (int round = 1; round <= 10; ++round) {
    for (std::size_t i = 0; i < kNodes; ++i)
      agents.set_desired(i, std::vector<JobQuota>{{static_cast<std::uint32_t>(i + 1), round * 0.1, false}});
    if (round == 5) nodes[3]->stop();
    if (round == 9) nodes[3]->start();
    std::this_thread::sleep_for(milliseconds(10));
  }
  ASSERT_TRUE(agents.wait(all, kLong)) << log();
  for (std::size_t i = 0; i < kNodes; ++i) EXPECT_EQ(nodes[i]->state().jobs[0].cpus, 1.0) << i;
}

}  // namespace
}  // namespace dfrs::shim
