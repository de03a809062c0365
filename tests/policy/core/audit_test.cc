// SPDX-License-Identifier: GPL-2.0-or-later
// Hand-made bad decisions, all of which the audit must refuse, and good ones that it must accept.
#include "policy/core/audit.h"

#include <gtest/gtest.h>

#include <functional>

namespace dfrs {
namespace {

using Nodes = std::vector<NodeIndex>;

// Three nodes of CPU 1 and 100 MiB. Jobs: 0 waits (1 task, 60), 1 runs on node 0 (60, yield 1/2), 2 is paused (2 tasks,
// 50), 3 waits (1 task, 10).
class AuditByHand : public testing::Test {
 protected:
  void SetUp() override {
    nodes_.assign(3, {{1, {100}}, true});
    jobs_.resize(4);
    for (std::size_t k = 0; k < 4; ++k) jobs_[k].id = 10 + k;
    jobs_[0].state = JobState::waiting, jobs_[0].rigid[0] = 60;
    jobs_[1].state = JobState::running, jobs_[1].rigid[0] = 60, jobs_[1].yield = 0.5, jobs_[1].nodes = first_;
    jobs_[2].state = JobState::paused, jobs_[2].rigid[0] = 50, jobs_[2].tasks = 2;
    jobs_[3].state = JobState::waiting, jobs_[3].rigid[0] = 10;
  }
  void decide(DecisionKind kind, JobSlot job, const Nodes& nodes, double yield = 0) {
    decisions_.placements.push_back(
        {kind, job, static_cast<std::uint32_t>(decisions_.nodes.size()), static_cast<std::uint32_t>(nodes.size())});
    decisions_.nodes.insert(decisions_.nodes.end(), nodes.begin(), nodes.end());
    if (yield != 0) decisions_.yields.push_back({job, yield});
  }
  tl::expected<void, std::string> check() {
    const ClusterView view{100, nodes_, jobs_, 1};
    Audit audit;
    audit.resync(view);
    auto checked = audit.check(view, decisions_);
    decisions_.clear();
    return checked;
  }
  void expect_refused(const std::string& why) {
    const auto checked = check();
    ASSERT_FALSE(checked) << "expected: " << why;
    EXPECT_NE(checked.error().find(why), std::string::npos) << "got: '" << checked.error() << "'";
  }

  const Nodes first_{0};
  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  Decisions decisions_;
};

TEST_F(AuditByHand, GoodDecisionsPass) {
  EXPECT_TRUE(check());
  decide(DecisionKind::start, 0, {1}, 1);
  decide(DecisionKind::start, 3, {0}, 0.5);
  EXPECT_TRUE(check());
  // Jobs that start may use the room of jobs that leave.
  decide(DecisionKind::pause, 1, {});
  decide(DecisionKind::resume, 2, {0, 0}, 0.5);
  EXPECT_TRUE(check());
  decide(DecisionKind::move, 1, {2}, 1);
  decide(DecisionKind::start, 0, {0}, 1);
  EXPECT_TRUE(check());
}

TEST_F(AuditByHand, Capacities) {
  decide(DecisionKind::start, 0, {0}, 0.5);
  expect_refused("rigid resource 0 exceeded by 20");
  decide(DecisionKind::start, 3, {0}, 0.75);
  expect_refused("CPU allocated");
  decisions_.yields = {{1, 1.5}};
  expect_refused("not in (0, 1]");
  decisions_.yields = {{1, 0}};
  expect_refused("not in (0, 1]");
  decisions_.yields = {{1, -1}};
  expect_refused("not in (0, 1]");
  decisions_.yields = {{1, std::numeric_limits<double>::quiet_NaN()}};
  expect_refused("not in (0, 1]");
  decisions_.yields = {{0, 0.5}};
  expect_refused("does not run");
  decisions_.yields = {{77, 0.5}};
  expect_refused("does not run");
}

TEST_F(AuditByHand, Nodes) {
  decide(DecisionKind::resume, 2, {1}, 0.5);
  expect_refused("one node per task");
  decide(DecisionKind::resume, 2, {1, 1, 2}, 0.5);
  expect_refused("one node per task");
  decide(DecisionKind::resume, 2, {2, 1}, 0.5);
  expect_refused("ascend");
  decide(DecisionKind::start, 0, {3}, 1);
  expect_refused("no such node");
  nodes_[1].usable = false;
  decide(DecisionKind::start, 0, {1}, 1);
  expect_refused("not usable");
  NodeSet set(3);
  set.insert(1);
  jobs_[0].eligible = &set;
  decide(DecisionKind::start, 0, {2}, 1);
  expect_refused("eligible");
}

TEST_F(AuditByHand, States) {
  decide(DecisionKind::pause, 0, {});
  expect_refused("another state");
  decide(DecisionKind::resume, 0, {1}, 1);
  expect_refused("another state");
  decide(DecisionKind::start, 2, {1, 2}, 1);
  expect_refused("another state");
  decide(DecisionKind::move, 2, {1, 2}, 1);
  expect_refused("another state");
  decide(DecisionKind::start, 9, {1}, 1);
  expect_refused("does not exist");
  decide(DecisionKind::start, 0, {1});
  expect_refused("without a yield");
  decide(DecisionKind::start, 0, {1}, 1);
  decide(DecisionKind::start, 0, {2}, 1);
  expect_refused("twice");
  decide(DecisionKind::pause, 1, {});
  decide(DecisionKind::move, 1, {2}, 1);
  expect_refused("twice");
}

TEST_F(AuditByHand, Flags) {
  jobs_[1].flags.may_not_pause = true;
  decide(DecisionKind::pause, 1, {});
  expect_refused("may not be paused");
  jobs_[1].flags = {};
  jobs_[1].flags.may_not_move = true;
  decide(DecisionKind::move, 1, {2}, 1);
  expect_refused("may not be moved");
  const Nodes home{1, 2};
  jobs_[2].flags.may_not_move = true;
  jobs_[2].nodes = home;
  decide(DecisionKind::resume, 2, {1, 1}, 0.5);
  expect_refused("may not be moved");
  decide(DecisionKind::resume, 2, {1, 2}, 0.5);
  EXPECT_TRUE(check());
  jobs_[3].flags.exclusive = true;
  decide(DecisionKind::start, 3, {0}, 0.5);
  expect_refused("alone");
  jobs_[3].flags.exclusive = false;
  jobs_[1].flags.exclusive = true;
  decide(DecisionKind::start, 3, {0}, 0.5);
  expect_refused("alone");
  jobs_[3].flags.exclusive = true;
  jobs_[0].flags.exclusive = true;
  decide(DecisionKind::start, 0, {1}, 0.5);
  decide(DecisionKind::start, 3, {1}, 0.5);
  expect_refused("alone");
}

TEST_F(AuditByHand, WakeUpInThePast) {
  decisions_.wake_at = 99;
  expect_refused("wake-up");
  decisions_.wake_at = std::numeric_limits<double>::quiet_NaN();
  expect_refused("wake-up");
  decisions_.wake_at = 100;
  EXPECT_TRUE(check());
}

}  // namespace
}  // namespace dfrs
