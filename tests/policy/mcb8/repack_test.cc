// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/mcb8/repack.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/oracle/mcb8.h"
#include "tests/oracle/random_case.h"

namespace dfrs {
namespace {

using Nodes = std::vector<NodeIndex>;
using oracle::SnapshotCase;

Nodes nodes_of(const ClusterState& state, JobSlot job) {
  const auto nodes = state.nodes_of(job);
  return {nodes.begin(), nodes.end()};
}

RemapLimit random_limit(oracle::Dice& dice) {
  const auto kind = dice.pick<RemapLimit::Kind>(
      {RemapLimit::Kind::none, RemapLimit::Kind::min_flow_time, RemapLimit::Kind::min_virtual_time});
  return {kind, kind == RemapLimit::Kind::min_flow_time ? 300.0 : 24.0};
}

// Whether the nodes are of all kinds, and in which order equal jobs are taken.
class RepackCases : public testing::TestWithParam<std::tuple<bool, Ties>> {};

TEST_P(RepackCases, MaxYieldAsTheReference) {
  const auto [general, ties] = GetParam();
  int left_out = 0, unchanged = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(3000); ++seed) {
    oracle::Dice dice(seed);
    const bool large = seed % 100 == 0;
    const SnapshotCase random(dice, {.max_nodes = large ? 60 : 6, .max_jobs = large ? 90 : 12, .general = general});
    const RemapLimit limit = random_limit(dice);
    const ClusterView view = random.view();
    ClusterState state;
    state.resync(view);
    state.begin();
    oracle::World world = random.world();
    const double expected = oracle::mcb8(world, limit, ties);
    ASSERT_DOUBLE_EQ(Repack(ties).max_yield(state, view, PriorityRule{}, limit), expected) << "seed " << seed;
    unchanged += expected == 0 ? 1 : 0;
    for (JobSlot job : random.order) {
      ASSERT_EQ(nodes_of(state, job), world.jobs[job].nodes) << "seed " << seed << " job " << job;
      left_out += state.placed(job) ? 0 : 1;
    }
  }
  EXPECT_GT(left_out, 300);
  if (general) {
    EXPECT_GT(unchanged, 10);
  }
}

TEST_P(RepackCases, MinStretchAsTheReference) {
  const auto [general, ties] = GetParam();
  int reached = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(3000); ++seed) {
    oracle::Dice dice(seed);
    const bool large = seed % 100 == 0;
    const SnapshotCase random(dice, {.max_nodes = large ? 60 : 6, .max_jobs = large ? 90 : 12, .general = general});
    const RemapLimit limit = random_limit(dice);
    const Seconds period = dice.chance(50) ? 512 : 64;  // dyadic, for exact yields
    const ClusterView view = random.view();
    ClusterState state;
    state.resync(view);
    state.begin();
    oracle::World world = random.world();
    const double expected = oracle::mcb8_stretch(world, limit, period, ties);
    ASSERT_DOUBLE_EQ(Repack(ties).min_stretch(state, view, PriorityRule{}, limit, period), expected) << "seed " << seed;
    reached += expected > 0 ? 1 : 0;
    for (JobSlot job : random.order) {
      ASSERT_EQ(nodes_of(state, job), world.jobs[job].nodes) << "seed " << seed << " job " << job;
    }
  }
  EXPECT_GT(reached, 300);
}

std::string name_of(const testing::TestParamInfo<std::tuple<bool, Ties>>& tested) {
  const auto [general, ties] = tested.param;
  const std::string platform = general ? "General" : "EqualNodes";
  return platform + (ties == Ties::newest ? "Newest" : ties == Ties::priority ? "ByPriority" : "");
}

INSTANTIATE_TEST_SUITE_P(Platforms, RepackCases,
                         testing::Combine(testing::Bool(), testing::Values(Ties::oldest, Ties::newest, Ties::priority)),
                         name_of);

// Two jobs of one task and need 1 share one node at Y = 1/2; the search starts from [0.01, 1].
TEST(Repack, YieldsOfTheBisection) {
  const std::vector<NodeView> nodes(1, {{1, {100}}, true});
  std::vector<JobView> jobs(2);
  for (JobView& job : jobs) {
    job.state = JobState::waiting;
    job.rigid[kMemory] = 50;
  }
  const ClusterView view{0, nodes, jobs, 1};
  ClusterState state;
  state.resync(view);
  state.begin();
  // 0.505 no, 0.2575, 0.38125, 0.443125, 0.4740625, 0.48953125, 0.497265625 yes; 0.505 - 0.497... < 0.01.
  EXPECT_DOUBLE_EQ(Repack().max_yield(state, view, PriorityRule{}, RemapLimit{}), 0.497265625);
}

// (flow + T) s = vt + y T: flow 600, vt 150, T 600.
TEST(Repack, YieldForStretchByHand) {
  JobView job;
  job.submit = 400;
  job.clock = {150, 1e9, 0};
  EXPECT_DOUBLE_EQ(yield_for_stretch(job, 1000, 600, 0.5), (1200 * 0.5 - 150) / 600);
  EXPECT_DOUBLE_EQ(yield_for_stretch(job, 1000, 600, 0.1), kYieldAccuracy);
  EXPECT_DOUBLE_EQ(yield_for_stretch(job, 1000, 600, 1), 1.75);
}

// A job below the bound keeps its node although the packing prefers another one; above the bound it moves.
TEST(Repack, MinvtPinsYoungJobs) {
  const std::vector<NodeView> nodes(2, {{1, {100}}, true});
  const Nodes second{1};
  std::vector<JobView> jobs(1);
  jobs[0].state = JobState::running;
  jobs[0].rigid[kMemory] = 50;
  jobs[0].nodes = second;
  jobs[0].clock = {599, 1000, 0};
  const RemapLimit minvt{RemapLimit::Kind::min_virtual_time, 600};
  const RemapLimit minft{RemapLimit::Kind::min_flow_time, 600};
  const auto nodes_after = [&](Seconds now, Seconds vt, const RemapLimit& limit) {
    jobs[0].clock.base = vt;
    const ClusterView view{now, nodes, jobs, 1};
    ClusterState state;
    state.resync(view);
    state.begin();
    Repack().max_yield(state, view, PriorityRule{}, limit);
    return nodes_of(state, 0);
  };
  EXPECT_EQ(nodes_after(1000, 599, RemapLimit{}), Nodes{0});
  EXPECT_EQ(nodes_after(1000, 599, minvt), Nodes{1});
  EXPECT_EQ(nodes_after(1000, 600, minvt), Nodes{0});
  EXPECT_EQ(nodes_after(599, 10, minft), Nodes{1});
  EXPECT_EQ(nodes_after(600, 10, minft), Nodes{0});
}

// Tasks on a node that is down do not count against the other nodes.
TEST(Repack, AJobThatStaysOnAnUnusableNodeTakesNoRoomElsewhere) {
  const std::vector<NodeView> nodes{{{1, {100}}, false}, {{1, {100}}, true}};
  const Nodes down{0};
  std::vector<JobView> jobs(2);
  jobs[0].state = JobState::running;
  jobs[0].flags.may_not_move = true;
  jobs[0].rigid[kMemory] = 90;
  jobs[0].nodes = down;
  jobs[1].state = JobState::waiting;
  jobs[1].rigid[kMemory] = 60;
  const ClusterView view{1000, nodes, jobs, 1};
  ClusterState state;
  state.resync(view);
  state.begin();
  EXPECT_EQ(Repack().max_yield(state, view, PriorityRule{}, RemapLimit{}), 1);
  EXPECT_EQ(nodes_of(state, 0), Nodes{0});
  EXPECT_EQ(nodes_of(state, 1), Nodes{1});
}

// Removal is by priority: of three jobs of which two fit, the one that ran longest waits.
TEST(Repack, LeavesOutTheLowestPriority) {
  const std::vector<NodeView> nodes(1, {{1, {100}}, true});
  const Nodes first{0};
  std::vector<JobView> jobs(3);
  for (std::size_t k = 0; k < 3; ++k) {
    jobs[k].state = k == 2 ? JobState::waiting : JobState::running;
    jobs[k].rigid[kMemory] = 40;
    if (k != 2) jobs[k].nodes = first;
  }
  jobs[0].clock = {500, 1000, 0};
  jobs[1].clock = {100, 1000, 0};
  const ClusterView view{1000, nodes, jobs, 1};
  ClusterState state;
  state.resync(view);
  state.begin();
  Repack().max_yield(state, view, PriorityRule{}, RemapLimit{});
  EXPECT_FALSE(state.placed(0));
  EXPECT_TRUE(state.placed(1));
  EXPECT_TRUE(state.placed(2));
}

}  // namespace
}  // namespace dfrs
