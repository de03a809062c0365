// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/cluster_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

JobView job_of(std::uint32_t tasks, RigidAmount memory) {
  JobView job;
  job.tasks = tasks;
  job.rigid[kMemory] = memory;
  return job;
}

// Two nodes of 1000 and 400 MiB. On the first a job of one task has 700.
struct TwoNodes {
  TwoNodes() {
    nodes[0].spec.rigid[kMemory] = 1000;
    nodes[1].spec.rigid[kMemory] = 400;
    jobs[0] = job_of(1, 700);
    resync();
    state.place(0, jobs[0], at);
  }
  void resync() { state.resync({0, nodes, jobs, 1}); }

  std::array<NodeView, 2> nodes{};
  std::array<JobView, 1> jobs{};
  const std::array<NodeIndex, 1> at{0};
  ClusterState state;
};

TEST(ClusterStateRoom, IsOfWhatIsFreeOrOfTheWholeNode) {
  TwoNodes two;
  EXPECT_EQ(two.state.room_for(job_of(9, 100), 0), 3u);
  EXPECT_EQ(two.state.room_alone(job_of(9, 100), 0), 9u) << "no more than it has tasks";
  EXPECT_EQ(two.state.room_alone(job_of(99, 100), 0), 10u);
  EXPECT_EQ(two.state.room_alone(job_of(99, 101), 0), 9u);
  EXPECT_EQ(two.state.room_for(job_of(9, 301), 0), 0u);
  EXPECT_EQ(two.state.room_alone(job_of(9, 400), 1), 1u);
  EXPECT_EQ(two.state.room_alone(job_of(9, 401), 1), 0u);
  EXPECT_EQ(two.state.room_alone(job_of(1, 401), 1), 0u) << "one task is too large as many are";
  EXPECT_EQ(two.state.room_alone(job_of(7, 0), 0), 7u);
}

TEST(ClusterStateRoom, NodesThatItMayNotUseHaveNone) {
  TwoNodes two;
  NodeSet second(2);
  second.insert(1);
  JobView job = job_of(2, 100);
  job.eligible = &second;
  EXPECT_EQ(two.state.room_alone(job, 0), 0u);
  EXPECT_EQ(two.state.room_for(job, 0), 0u);
  EXPECT_EQ(two.state.room_alone(job, 1), 2u);
  two.nodes[1].usable = false;
  two.resync();
  EXPECT_EQ(two.state.room_alone(job, 1), 0u);
  EXPECT_EQ(two.state.room_for(job, 1), 0u);
}

TEST(ClusterStateChanges, AreTheNodesWhereTasksCameOrWent) {
  TwoNodes two;
  const auto changed = [&] {
    return std::vector<NodeIndex>(two.state.changed_nodes().begin(), two.state.changed_nodes().end());
  };
  EXPECT_EQ(changed(), (std::vector<NodeIndex>{0}));
  two.state.forget_changes();
  EXPECT_TRUE(changed().empty());
  two.state.begin();
  two.state.remove(0, two.jobs[0]);
  const std::array<NodeIndex, 1> there{1};
  two.state.place(0, two.jobs[0], there);
  EXPECT_EQ(changed(), (std::vector<NodeIndex>{0, 1}));
  two.state.forget_changes();
  two.state.drop(0, two.jobs[0]);
  EXPECT_EQ(changed(), (std::vector<NodeIndex>{1}));
  two.resync();
  EXPECT_TRUE(changed().empty());
}

// The list is right whether it is read after each change or rarely, and although slots are reused.
TEST(ClusterStateActive, AreTheJobsInTheSystemInSubmissionOrder) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(200); ++seed) {
    oracle::Dice dice(seed);
    constexpr std::size_t kSlots = 40;
    std::array<NodeView, 1> nodes{};
    std::array<JobView, kSlots> jobs{};
    for (std::size_t k = 0; k < 5; ++k) jobs[k].state = JobState::waiting, jobs[k].id = k;
    ClusterState state;
    state.resync({0, nodes, jobs, 1});
    std::vector<JobSlot> expected{0, 1, 2, 3, 4};
    const std::uint32_t looks = dice.pick(std::vector<std::uint32_t>{3, 30, 100});
    for (int step = 0; step < 300; ++step) {
      const auto slot = static_cast<JobSlot>(dice.below(kSlots));
      const auto at = std::find(expected.begin(), expected.end(), slot);
      if (at == expected.end()) {
        state.add(slot);
        expected.push_back(slot);
      } else {
        state.drop(slot, jobs[slot]);
        expected.erase(at);
      }
      if (dice.chance(looks)) {
        const std::span<const JobSlot> active = state.active();
        ASSERT_EQ(std::vector<JobSlot>(active.begin(), active.end()), expected) << "seed " << seed;
      }
    }
  }
}

TEST(ClusterStateRoom, AloneThereAreNoOthers) {
  TwoNodes two;
  JobView job = job_of(1, 100);
  job.flags.exclusive = true;
  EXPECT_EQ(two.state.room_for(job, 0), 0u);
  EXPECT_EQ(two.state.room_alone(job, 0), 1u);
  two.jobs[0].flags.exclusive = true;
  two.resync();
  two.state.place(0, two.jobs[0], two.at);
  EXPECT_EQ(two.state.room_for(job_of(1, 100), 0), 0u);
  EXPECT_EQ(two.state.room_alone(job_of(1, 100), 0), 1u);
}

// Counts room by placing task after task.
TEST(ClusterStateRoom, AgreesWithCounting) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(500); ++seed) {
    oracle::Dice dice(seed);
    const auto dims = static_cast<std::size_t>(dice.between(1, kMaxRigid));
    std::array<NodeView, 1> nodes{};
    std::array<JobView, 2> jobs{};
    for (std::size_t d = 0; d < dims; ++d) {
      nodes[0].spec.rigid[d] = dice.between(0, 30);
      jobs[0].rigid[d] = dice.between(0, static_cast<int>(nodes[0].spec.rigid[d]));
      jobs[1].rigid[d] = dice.between(0, 8);
    }
    jobs[1].tasks = static_cast<std::uint32_t>(dice.between(1, 20));
    const auto count = [&](RigidVector left) {
      std::uint32_t tasks = 0;
      for (; tasks < jobs[1].tasks; ++tasks) {
        for (std::size_t d = 0; d < dims; ++d) {
          left[d] -= jobs[1].rigid[d];
          if (left[d] < 0) return tasks;
        }
      }
      return tasks;
    };
    ClusterState state;
    state.resync({0, nodes, jobs, dims});
    state.place(0, jobs[0], std::array<NodeIndex, 1>{0});
    RigidVector left = nodes[0].spec.rigid;
    EXPECT_EQ(state.room_alone(jobs[1], 0), count(left)) << "seed " << seed;
    for (std::size_t d = 0; d < dims; ++d) left[d] -= jobs[0].rigid[d];
    EXPECT_EQ(state.room_for(jobs[1], 0), count(left)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace dfrs
