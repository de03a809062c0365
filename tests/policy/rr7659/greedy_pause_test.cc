// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/rr7659/greedy_pause.h"

#include <gtest/gtest.h>

#include "tests/oracle/greedy.h"
#include "tests/oracle/random_case.h"

namespace dfrs {
namespace {

using Nodes = std::vector<NodeIndex>;

Nodes nodes_of(const ClusterState& state, JobSlot job) {
  const auto nodes = state.nodes_of(job);
  return {nodes.begin(), nodes.end()};
}

// `by_load`: adds so many unusable nodes that nodes are kept sorted by load. That must change nothing.
struct Tested {
  bool general;
  Victims victims;
  bool by_load;
  bool places_first;
};

class GreedyPauseCases : public testing::TestWithParam<Tested> {};

TEST_P(GreedyPauseCases, PlacesAndPausesAsTheReference) {
  const auto [general, victims, by_load, places_first] = GetParam();
  int paused = 0, moved = 0, refused = 0, known = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(by_load ? 1500 : 6000); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.general = general});
    ClusterView view = random.view();
    std::vector<NodeView> nodes = random.nodes;
    if (by_load) nodes.resize(1100, NodeView{NodeSpec{}, false});
    view.nodes = nodes;
    ClusterState state;
    state.resync(view);
    state.begin();
    for (int look = 0; look < 40 && state.nodes_by_load().empty(); ++look) continue;
    known += state.nodes_by_load().empty() ? 0 : 1;
    GreedyPause pauser(places_first);
    oracle::World world = random.world();
    for (JobSlot job : random.order) {
      if (view.jobs[job].state != JobState::waiting) continue;
      const bool expected = oracle::greedy_admit(world, job, victims == Victims::move, places_first);
      ASSERT_EQ(pauser.admit(state, view, job, PriorityRule{}, victims), expected) << "seed " << seed;
      refused += expected ? 0 : 1;
      for (JobSlot other : random.order) {
        ASSERT_EQ(nodes_of(state, other), world.jobs[other].nodes) << "seed " << seed << " job " << other;
      }
    }
    for (JobSlot other : random.order) {
      if (view.jobs[other].state != JobState::running) continue;
      if (!state.placed(other)) ++paused;
      const Nodes before(view.jobs[other].nodes.begin(), view.jobs[other].nodes.end());
      if (state.placed(other) && nodes_of(state, other) != before) ++moved;
    }
  }
  EXPECT_EQ(known > 500, by_load) << known;
  EXPECT_GT(paused, 50);
  EXPECT_EQ(moved > 5, victims == Victims::move) << moved;
  EXPECT_GT(refused, 3);
}

std::vector<Tested> all_tested() {
  std::vector<Tested> all;
  for (const bool general : {false, true}) {
    for (const Victims victims : {Victims::pause, Victims::move}) {
      for (const bool by_load : {false, true}) {
        for (const bool places_first : {false, true}) all.push_back({general, victims, by_load, places_first});
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Platforms, GreedyPauseCases, testing::ValuesIn(all_tested()), [](const auto& tested) {
  return std::string(tested.param.general ? "General" : "EqualNodes") +
         (tested.param.victims == Victims::move ? "Move" : "Pause") + (tested.param.by_load ? "ByLoad" : "") +
         (tested.param.places_first ? "PlacesFirst" : "");
});

// One node of 100 MiB unless said otherwise; priorities by virtual time at flow time 100.
class GreedyPauseByHand : public testing::Test {
 protected:
  void SetUp() override { nodes_.assign(1, {{1, {100}}, true}); }
  JobSlot running(RigidAmount memory, Seconds virtual_time, const Nodes& on) {
    JobView job;
    job.id = jobs_.size() + 1;
    job.state = JobState::running;
    job.tasks = static_cast<std::uint32_t>(on.size());
    job.rigid[kMemory] = memory;
    job.clock.base = virtual_time;
    job.clock.since = 1e9;
    job.nodes = placements_.emplace_back(on);
    jobs_.push_back(job);
    return static_cast<JobSlot>(jobs_.size() - 1);
  }
  JobSlot incoming(std::uint32_t tasks, RigidAmount memory) {
    JobView job;
    job.id = jobs_.size() + 1;
    job.state = JobState::waiting;
    job.tasks = tasks;
    job.rigid[kMemory] = memory;
    job.submit = 100;
    jobs_.push_back(job);
    return static_cast<JobSlot>(jobs_.size() - 1);
  }
  bool admit(JobSlot job, Victims victims, bool places_first = false) {
    const ClusterView view{100, nodes_, jobs_, 1};
    state_.resync(view);
    state_.begin();
    return GreedyPause(places_first).admit(state_, view, job, PriorityRule{}, victims);
  }

  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  std::deque<Nodes> placements_;
  ClusterState state_;
};

TEST_F(GreedyPauseByHand, PausesTheJobThatRanMost) {
  const JobSlot young = running(40, 5, {0});
  const JobSlot old = running(40, 50, {0});
  const JobSlot job = incoming(1, 50);
  EXPECT_TRUE(admit(job, Victims::pause));
  EXPECT_TRUE(state_.placed(young));
  EXPECT_FALSE(state_.placed(old));
  EXPECT_TRUE(state_.placed(job));
}

TEST_F(GreedyPauseByHand, UnmarksWhomTheNewJobDoesNotNeedGone) {
  // Marked by increasing priority: small (20 MiB), then large (60). Without large alone it fits, so small stays.
  const JobSlot small = running(20, 50, {0});
  const JobSlot large = running(60, 5, {0});
  const JobSlot job = incoming(1, 70);
  EXPECT_TRUE(admit(job, Victims::pause));
  EXPECT_TRUE(state_.placed(small));
  EXPECT_FALSE(state_.placed(large));
}

// Both are marked. Beside the small one the new job fits on node 1; placed first, it takes the first of two empty
// nodes.
TEST_F(GreedyPauseByHand, PlacedFirstTheNewJobMayNeedMoreGone) {
  nodes_.assign(2, {{1, {100}}, true});
  const JobSlot small = running(30, 50, {0});
  const JobSlot wide = running(50, 20, {0, 1});
  const JobSlot job = incoming(1, 80);
  EXPECT_TRUE(admit(job, Victims::pause));
  EXPECT_EQ(nodes_of(state_, job), Nodes{1});
  EXPECT_EQ(nodes_of(state_, small), Nodes{0});
  EXPECT_FALSE(state_.placed(wide));
  EXPECT_TRUE(admit(job, Victims::pause, true));
  EXPECT_EQ(nodes_of(state_, job), Nodes{0});
  EXPECT_FALSE(state_.placed(small));
  EXPECT_FALSE(state_.placed(wide));
}

TEST_F(GreedyPauseByHand, OfEqualPrioritiesTheLaterSubmissionIsPaused) {
  const JobSlot first = running(50, 10, {0});
  const JobSlot second = running(50, 10, {0});
  EXPECT_TRUE(admit(incoming(1, 50), Victims::pause));
  EXPECT_TRUE(state_.placed(first));
  EXPECT_FALSE(state_.placed(second));
}

TEST_F(GreedyPauseByHand, MovesTheVictimWhereItFindsRoom) {
  nodes_.assign(2, {{1, {100}}, true});
  const JobSlot victim = running(40, 50, {0});
  const JobSlot other = running(60, 5, {1});
  // A task of 90 fits only on node 0 once the victim is gone; the victim fits beside the other one.
  const JobSlot job = incoming(1, 90);
  EXPECT_TRUE(admit(job, Victims::move));
  EXPECT_EQ(nodes_of(state_, job), Nodes{0});
  EXPECT_EQ(nodes_of(state_, victim), Nodes{1});
  EXPECT_EQ(nodes_of(state_, other), Nodes{1});
}

TEST_F(GreedyPauseByHand, ChangesNothingForAJobThatCanNeverFit) {
  const JobSlot a = running(40, 5, {0});
  EXPECT_FALSE(admit(incoming(2, 60), Victims::move));
  EXPECT_EQ(nodes_of(state_, a), Nodes{0});
}

TEST_F(GreedyPauseByHand, WhoMayNotBePausedStays) {
  const JobSlot kept = running(60, 50, {0});
  jobs_[kept].flags.may_not_pause = true;
  const JobSlot other = running(30, 5, {0});
  EXPECT_FALSE(admit(incoming(1, 50), Victims::pause));
  EXPECT_TRUE(state_.placed(other));
  EXPECT_TRUE(admit(incoming(1, 40), Victims::pause));
  EXPECT_TRUE(state_.placed(kept));
  EXPECT_FALSE(state_.placed(other));
}

}  // namespace
}  // namespace dfrs
