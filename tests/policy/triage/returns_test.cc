// SPDX-License-Identifier: GPL-2.0-or-later
// Which paused jobs come back, and which would rather wait because their nodes are crowded.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "policy/core/algorithm.h"
#include "policy/core/engine.h"

namespace dfrs {
namespace {

// Three nodes of 1 CPU and 16 MiB. Node 0 has a job that leaves 3/4 of its CPU and 14 MiB, but has a large weight. The
// others have a job of 0.4 CPUs and 4 MiB each with so little weight that Triage would rather place a job beside it;
// but an equal share there is 1/1.4, too little to come back for.
class Returns : public testing::Test {
 protected:
  Returns() {
    jobs_[add(0.25, 2, 0)].weight = 100;
    for (const int node : {1, 2}) {
      JobView& resident = jobs_[add(0.4, 4, node)];
      resident.weight = 0.01;
      resident.flags.may_not_pause = true;
    }
  }

  // Without a node, the job is paused. The less progress it has made, the more urgent it is.
  JobSlot add(double cpu_need, RigidAmount memory, int node, Seconds progress = 10000) {
    JobView job;
    job.id = 100 + static_cast<JobId>(jobs_.size());
    job.cpu_need = cpu_need;
    job.rigid[kMemory] = memory;
    job.clock.base = progress;
    job.state = node < 0 ? JobState::paused : JobState::running;
    if (node >= 0) {
      job.yield = job.clock.rate = 1;
      job.clock.since = kNow;
      job.nodes = std::span(numbers_).subspan(static_cast<std::size_t>(node), 1);
    }
    jobs_.push_back(job);
    return static_cast<JobSlot>(jobs_.size() - 1);
  }

  std::vector<JobSlot> resumed() {
    std::array<NodeView, 3> nodes{};
    for (NodeView& node : nodes) node.spec.rigid[kMemory] = 16;
    const ClusterView view{kNow, nodes, jobs_, 1};
    const std::array events{Event{EventKind::resync, kNoSlot}};
    auto engine = Engine::create(*parse_algorithm("Triage/MOVE=NONE"), {});
    std::vector<JobSlot> slots;
    const auto decisions = (*engine)->step(view, {}, events);
    EXPECT_TRUE(decisions.has_value());
    for (const Decision& decision : (*decisions)->placements) {
      EXPECT_EQ(decision.kind, DecisionKind::resume);
      EXPECT_EQ((*decisions)->nodes_of(decision).front(), 0u);
      slots.push_back(decision.job);
    }
    return slots;
  }

  static constexpr Seconds kNow = 10000;

 private:
  std::array<NodeIndex, 3> numbers_{0, 1, 2};
  std::vector<JobView> jobs_;
};

TEST_F(Returns, AJobThatWouldBeCrowdedWaits) {
  add(1, 4, -1, 8000);
  EXPECT_EQ(resumed(), std::vector<JobSlot>{});
}

TEST_F(Returns, AJobWhoseMemoryFitsOnlyWhereItIsNotCrowdedComesBack) {
  const JobSlot large = add(1, 13, -1, 9000);
  EXPECT_EQ(resumed(), std::vector<JobSlot>{large});
}

// The first is more urgent. What is known of it says nothing of the second, which differs in memory only.
TEST_F(Returns, AJobThatWaitsDoesNotSpeakForOneOfOtherMemory) {
  add(1, 4, -1, 8000);
  const JobSlot large = add(1, 13, -1, 9000);
  EXPECT_EQ(resumed(), std::vector<JobSlot>{large});
}

TEST_F(Returns, JobsThatAreAlikeWaitTogether) {
  add(1, 4, -1, 8000);
  add(1, 4, -1, 9000);
  EXPECT_EQ(resumed(), std::vector<JobSlot>{});
}

}  // namespace
}  // namespace dfrs
