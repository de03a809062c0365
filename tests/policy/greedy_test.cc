// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/greedy.h"

#include <gtest/gtest.h>

#include "tests/oracle/greedy.h"
#include "tests/oracle/random_case.h"

namespace dfrs {
namespace {

using oracle::SnapshotCase;
using oracle::World;

std::vector<NodeIndex> nodes_of(const ClusterState& state, JobSlot job) {
  const auto nodes = state.nodes_of(job);
  return {nodes.begin(), nodes.end()};
}

class GreedyCases : public testing::TestWithParam<bool> {};

TEST_P(GreedyCases, FindsTheReferencesNodes) {
  int placed = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(6000); ++seed) {
    oracle::Dice dice(seed);
    const SnapshotCase random(dice, {.general = GetParam()});
    const ClusterView view = random.view();
    ClusterState state;
    state.resync(view);
    Greedy greedy;
    World world = random.world();
    for (JobSlot job : random.order) {
      if (state.placed(job)) continue;
      const bool expected = oracle::greedy_place(world, job);
      ASSERT_EQ(greedy.place(state, view, job), expected) << "seed " << seed << " job " << job;
      ASSERT_EQ(nodes_of(state, job), world.jobs[job].nodes) << "seed " << seed << " job " << job;
      ++(expected ? placed : refused);
    }
  }
  EXPECT_GT(placed, 50);
  EXPECT_GT(refused, 50);
}

INSTANTIATE_TEST_SUITE_P(Platforms, GreedyCases, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "General" : "EqualNodes"; });

class GreedyByHand : public testing::Test {
 protected:
  void nodes(std::vector<NodeSpec> specs) {
    for (const NodeSpec& spec : specs) nodes_.push_back({spec, true});
  }
  JobSlot job(std::uint32_t tasks, double need, RigidAmount memory, const std::vector<NodeIndex>& on = {}) {
    JobView view;
    view.id = jobs_.size() + 1;
    view.tasks = tasks;
    view.cpu_need = need;
    view.rigid[kMemory] = memory;
    view.state = on.empty() ? JobState::waiting : JobState::running;
    view.nodes = placements_.emplace_back(on);
    jobs_.push_back(view);
    return static_cast<JobSlot>(jobs_.size() - 1);
  }
  std::vector<NodeIndex> find(JobSlot slot) {
    const ClusterView view{0, nodes_, jobs_, 1};
    ClusterState state;
    state.resync(view);
    Greedy greedy;
    const auto found = greedy.find(state, jobs_[slot]);
    return {found.begin(), found.end()};
  }

  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  std::deque<std::vector<NodeIndex>> placements_;
};

using Nodes = std::vector<NodeIndex>;

TEST_F(GreedyByHand, TakesTheLeastLoadedNodeWithMemory) {
  nodes({{1, {100}}, {1, {100}}, {1, {100}}});
  job(1, 0.5, 10, {0});
  job(1, 0.25, 60, {1});
  job(1, 1.0, 10, {2});
  EXPECT_EQ(find(job(1, 1.0, 30)), Nodes{1});
  EXPECT_EQ(find(job(1, 1.0, 50)), Nodes{0});  // node 1 has 40 left
  EXPECT_EQ(find(job(1, 1.0, 95)), Nodes{});
}

TEST_F(GreedyByHand, TheLowestIndexWinsTies) {
  nodes({{1, {100}}, {1, {100}}, {1, {100}}});
  job(1, 0.5, 10, {0});
  EXPECT_EQ(find(job(1, 1.0, 10)), Nodes{1});
}

TEST_F(GreedyByHand, EachTaskSeesTheLoadOfThoseBefore) {
  nodes({{1, {100}}, {1, {100}}});
  job(1, 1.0, 10, {0});
  // Loads 1, 0: the first to 1 (0.5), then 1 (1.0), then 0 by index (1.5), then 1.
  EXPECT_EQ(find(job(3, 0.5, 10)), (Nodes{0, 1, 1}));
  EXPECT_EQ(find(job(4, 0.5, 10)), (Nodes{0, 1, 1, 1}));
}

TEST_F(GreedyByHand, CpuNeverRefuses) {
  nodes({{1, {100}}});
  EXPECT_EQ(find(job(10, 1.0, 10)), Nodes(10, 0));
  EXPECT_EQ(find(job(11, 1.0, 10)), Nodes{});
}

TEST_F(GreedyByHand, LoadIsRelativeToTheNodesSpeed) {
  nodes({{1, {100}}, {2, {100}}});
  job(1, 0.5, 10, {1});
  // With the task: 1.0 / 1 against 1.5 / 2.
  EXPECT_EQ(find(job(1, 1.0, 10)), Nodes{1});
}

}  // namespace
}  // namespace dfrs
