// SPDX-License-Identifier: GPL-2.0-or-later
// The smallest host: docs/architecture.md shows it. Here it is kept compiling, and its decisions are checked.
#include <gtest/gtest.h>

#include <array>

#include "policy/core/engine.h"

namespace dfrs {
namespace {

TEST(ExampleHost, DrivesTheEngineThroughAStartAndAChangeOfYields) {
  // [the example
  const auto algorithm = parse_algorithm("GreedyP*");
  ASSERT_TRUE(algorithm) << algorithm.error().message;
  auto engine = Engine::create(*algorithm, EngineOptions{});
  ASSERT_TRUE(engine) << engine.error().message;

  // One node with 1000 MiB; two jobs with a task each, known so far is the first.
  std::array<NodeView, 1> nodes{};
  nodes[0].spec.rigid[kMemory] = 1000;
  std::array<JobView, 2> jobs{};
  for (JobView& job : jobs) job.rigid[kMemory] = 300;
  std::array<std::vector<NodeIndex>, 2> placement;

  // One call: show the cluster, carry out what comes back.
  const auto step = [&](Seconds now, std::vector<Event> events) {
    for (const Event& event : events) {
      if (event.kind == EventKind::submitted) jobs[event.job].state = JobState::waiting;
    }
    const auto decided = (*engine)->step(ClusterView{now, nodes, jobs, 1}, Estimates{}, events);
    ASSERT_TRUE(decided) << decided.error().message;
    const Decisions& decisions = **decided;
    for (const Decision& decision : decisions.placements) {
      JobView& job = jobs[decision.job];
      const std::span<const NodeIndex> where = decisions.nodes_of(decision);
      placement[decision.job].assign(where.begin(), where.end());
      job.nodes = placement[decision.job];
      job.state = decision.kind == DecisionKind::pause ? JobState::paused : JobState::running;
      job.clock = {job.clock.at(now), now, 0};  // whoever runs on gets a yield below
      job.yield = 0;
    }
    for (const YieldChange& change : decisions.yields) {
      JobView& job = jobs[change.job];
      job.clock = {job.clock.at(now), now, change.yield};  // progress so far, then the new speed
      job.yield = change.yield;
    }
  };

  step(0, {{EventKind::submitted, 0}});   // starts at full speed
  step(10, {{EventKind::submitted, 1}});  // both share the node's CPU
  // end of the example]
  EXPECT_EQ(jobs[0].state, JobState::running);
  EXPECT_EQ(jobs[1].state, JobState::running);
  EXPECT_EQ(placement[1], std::vector<NodeIndex>{0});
  EXPECT_EQ(jobs[0].yield, 0.5);
  EXPECT_EQ(jobs[1].yield, 0.5);
  EXPECT_EQ(jobs[0].virtual_time(20), 15.0);  // 10 s at 1, 10 s at 0.5
}

}  // namespace
}  // namespace dfrs
