// SPDX-License-Identifier: GPL-2.0-or-later
// A small host: it shows the engine a cluster, carries its decisions out and prints what jobs get.
// Left out: completions (state `absent`, event `completed`), penalties (`VirtualClock::since` in the future), and calls
// at `wake_at`, which policies with a period need. sim/host/simulation.cc has them all.
#include <array>
#include <cstdio>
#include <vector>

#include "policy/core/engine.h"

int main() {
  using namespace dfrs;
  const auto algorithm = parse_algorithm("GreedyP*");
  if (!algorithm) return std::fprintf(stderr, "%s\n", algorithm.error().message.c_str()), 1;
  auto engine = Engine::create(*algorithm, EngineOptions{});
  if (!engine) return std::fprintf(stderr, "%s\n", engine.error().message.c_str()), 1;

  // One node with 1000 MiB. Two jobs of one task with 300 MiB each.
  std::array<NodeView, 1> nodes{};
  nodes[0].spec.rigid[kMemory] = 1000;
  std::array<JobView, 2> jobs{};
  for (JobView& job : jobs) job.rigid[kMemory] = 300;
  std::array<std::vector<NodeIndex>, 2> placement;

  // One call: show the cluster, carry out the answer.
  const auto step = [&](Seconds now, const std::vector<Event>& events) {
    for (const Event& event : events) jobs[event.job].state = JobState::waiting;  // this host knows submissions only
    const auto decided = (*engine)->step(ClusterView{now, nodes, jobs, 1}, Estimates{}, events);
    if (!decided) return std::fprintf(stderr, "%s\n", decided.error().message.c_str()), false;
    const Decisions& decisions = **decided;
    for (const Decision& decision : decisions.placements) {
      JobView& job = jobs[decision.job];
      const std::span<const NodeIndex> where = decisions.nodes_of(decision);
      job.nodes = placement[decision.job] = {where.begin(), where.end()};
      job.state = decision.kind == DecisionKind::pause ? JobState::paused : JobState::running;
      job.clock = {job.clock.at(now), now, 0};  // jobs that run get their yield below
      job.yield = 0;
    }
    for (const YieldChange& change : decisions.yields) {
      JobView& job = jobs[change.job];
      job.clock = {job.clock.at(now), now, change.yield};  // progress so far, then the new speed
      job.yield = change.yield;
    }
    return true;
  };

  // The first job starts at full speed. When the second comes, they share the node's CPU.
  if (!step(0, {{EventKind::submitted, 0}}) || !step(10, {{EventKind::submitted, 1}})) return 1;
  for (std::size_t j = 0; const JobView& job : jobs) {
    std::printf("job %zu, node %u: yield %.2f, progress %.1f s\n", j++, job.nodes[0], job.yield, job.virtual_time(20));
  }
}
