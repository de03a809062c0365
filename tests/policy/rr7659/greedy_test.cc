// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/rr7659/greedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

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

// A plain second implementation: for each task a scan of all nodes.
std::vector<NodeIndex> plain_nodes(const ClusterState& state, const JobView& job) {
  std::vector<double> load(state.node_count());
  std::vector<std::uint32_t> taken(state.node_count(), 0);
  for (NodeIndex n = 0; n < load.size(); ++n) load[n] = (state.cpu_load(n) + job.cpu_need) / state.cpu_capacity(n);
  std::vector<NodeIndex> chosen;
  for (std::uint32_t task = 0; task < job.tasks; ++task) {
    NodeIndex best = 0;
    bool found = false;
    for (NodeIndex n = 0; n < load.size(); ++n) {
      if ((found && load[n] >= load[best]) || taken[n] >= state.room_for(job, n)) continue;
      best = n;
      found = true;
    }
    if (!found) return {};
    chosen.push_back(best);
    ++taken[best];
    load[best] += job.cpu_need / state.cpu_capacity(best);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// Clusters so large that nodes are kept sorted by load. The needs are not dyadic fractions: loads that differ by
// rounding alone must not change a choice. Jobs come and go one by one, and sometimes most of them at once, as in a
// repack.
TEST_P(GreedyCases, ChoosesOnLargeClustersAsByALookAtAllNodes) {
  int placed = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(6); ++seed) {
    oracle::Dice dice(seed);
    const std::size_t dims = GetParam() ? static_cast<std::size_t>(dice.between(1, kMaxRigid)) : 1;
    const std::vector<NodeView> nodes = oracle::random_nodes(dice, dice.between(1030, 1500), GetParam(), dims);
    std::deque<NodeSet> sets;
    std::vector<JobView> jobs;
    for (int k = 0; k < 900; ++k) {
      const auto [tasks, need, rigid, flags] =
          oracle::random_requirements(dice, dice.chance(5) ? 300 : 12, GetParam(), dims);
      JobView job;
      job.id = static_cast<JobId>(k);
      job.state = JobState::waiting;
      job.tasks = tasks;
      job.cpu_need = dice.chance(60) ? 0.1 * dice.between(1, 10) : need;
      job.rigid = rigid;
      job.flags.exclusive = flags.exclusive && dice.chance(30);
      if (GetParam() && dice.chance(10)) job.eligible = &sets.emplace_back(oracle::random_set(dice, nodes.size()));
      jobs.push_back(job);
    }
    ClusterView view;
    view.nodes = nodes;
    view.jobs = jobs;
    view.rigid_dims = dims;
    ClusterState state;
    state.resync(view);
    state.begin();
    Greedy greedy;
    for (int step = 0; step < 1500; ++step) {
      const JobSlot job = dice.below(static_cast<std::uint32_t>(jobs.size()));
      if (dice.chance(1)) {
        for (JobSlot other = 0; other < jobs.size(); ++other) {
          if (state.placed(other) && dice.chance(40)) state.remove(other, jobs[other]);
        }
      } else if (state.placed(job)) {
        state.remove(job, jobs[job]);
      } else {
        const std::vector<NodeIndex> expected = plain_nodes(state, jobs[job]);
        ASSERT_EQ(greedy.place(state, view, job), !expected.empty()) << "seed " << seed << " step " << step;
        ASSERT_EQ(nodes_of(state, job), expected) << "seed " << seed << " step " << step;
        ++(expected.empty() ? refused : placed);
      }
    }
  }
  EXPECT_GT(placed, 500);
  EXPECT_GT(refused, 5);
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
