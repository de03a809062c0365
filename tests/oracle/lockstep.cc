// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/lockstep.h"
#include "policy/rr7659/algorithm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tests/oracle/policy.h"
#include "tests/oracle/yields.h"

namespace dfrs::oracle {

using Objective = DfrsAlgorithm::Objective;

void Lockstep::on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  if (!difference_.empty()) return;
  difference_ = compare(view, events, decisions);
  if (!difference_.empty()) {
    difference_ = fmt::format("{} at {} s: {}", named(algorithm_).name, view.now, difference_);
  }
}

std::string Lockstep::compare(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  StepInput step;
  const bool resync = follow(order_, view, events, first_);
  first_ = false;
  bool completions = false;
  for (const Event& event : events) {
    completions = completions || event.kind == EventKind::completed;
    if (event.kind == EventKind::submitted) step.submitted.push_back(event.job);
  }
  if (resync) last_tick_ = -1;
  step.freed = completions || resync;
  const bool periodic = algorithm_.periodic != DfrsAlgorithm::Periodic::nothing;
  const bool events_of_jobs = completions || !step.submitted.empty();
  step.tick = periodic && is_tick_time(view.now, options_.period) && last_tick_ != view.now &&
              !(options_.ticks_apart && events_of_jobs);
  if (step.tick) last_tick_ = view.now;

  World world = world_of(view, order_);
  world.flow_floor = options_.priority_floor;
  decide(world, algorithm_, step, options_.period);

  // What the engine made of it.
  const std::vector<std::vector<NodeIndex>> actual = placements_after(view, decisions, order_);
  for (JobSlot job : order_) {
    if (actual[job] != world.jobs[job].nodes) {
      return fmt::format("slot {} on {}, the reference has {}", job, actual[job], world.jobs[job].nodes);
    }
  }
  const bool by_stretch =
      algorithm_.objective == Objective::max_stretch || algorithm_.objective == Objective::avg_stretch;
  // Yields on stretch follow the progress made, but are set at ticks and completions alone.
  if (by_stretch && !step.tick && !step.freed) return {};
  return compare_yields(view, world, decisions);
}

std::string Lockstep::compare_yields(const ClusterView& view, const World& world, const Decisions& decisions) const {
  constexpr double kTolerance = 1e-9;
  constexpr double kOptimality = 1e-6;  // of solvers and bisections
  std::vector<double> actual(view.jobs.size(), 0.0);
  for (JobSlot job : order_) {
    if (world.jobs[job].placed()) actual[job] = view.jobs[job].yield;
  }
  for (const YieldChange& change : decisions.yields) actual[change.job] = change.yield;
  if (!yields_fit(world, actual, kTolerance)) return "yields that do not fit";

  if (algorithm_.objective == Objective::min_yield) {
    const std::vector<double> expected = max_min_yields(world);
    for (JobSlot job : order_) {
      if (std::abs(actual[job] - expected[job]) > kTolerance) {
        return fmt::format("slot {} has yield {}, the reference {}", job, actual[job], expected[job]);
      }
    }
    return {};
  }
  if (algorithm_.objective == Objective::avg_yield) {
    double sum = 0;
    for (JobSlot job : order_) {
      sum += actual[job];
      if (world.jobs[job].placed() && actual[job] < common_yield(world) * (1 - kOptimality)) {
        return fmt::format("slot {} has yield {}, below the common one", job, actual[job]);
      }
    }
    const double best = best_yield_sum(world);
    if (std::abs(sum - best) > kOptimality * best) return fmt::format("sum of yields {}, best is {}", sum, best);
    return {};
  }
  const Seconds rest = tick_after(view.now, options_.period) - view.now;
  const std::vector<double> level = max_stretch_yields(world, rest);
  if (algorithm_.objective == Objective::max_stretch) {
    for (JobSlot job : order_) {
      if (std::abs(actual[job] - level[job]) > kOptimality) {
        return fmt::format("slot {} has yield {}, the reference {}", job, actual[job], level[job]);
      }
    }
    return {};
  }
  const double best = least_stretch_sum(world, rest);
  const double sum = stretch_sum(world, actual, rest);
  if (std::abs(sum - best) > 4 * kOptimality * best) return fmt::format("sum of stretches {}, best is {}", sum, best);
  return {};
}

}  // namespace dfrs::oracle
