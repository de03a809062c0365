// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/triage/losses.h"

#include <algorithm>
#include <numeric>

#include "policy/core/algorithm.h"
#include "sim/metrics/metrics.h"

namespace dfrs::sim::triage_study {
namespace {

constexpr Seconds kStretchFloor = 10;
constexpr std::size_t kOneIn = 100;  // the worst jobs: one in so many

double memory_share(const Job& job, const Platform& platform) {
  const RigidAmount node = platform.nodes.front().rigid[kMemory];
  return node > 0 ? static_cast<double>(job.rigid[kMemory]) / static_cast<double>(node) : 0;
}

int class_of(double value, double small, double medium) { return value <= small ? 0 : value <= medium ? 1 : 2; }

std::array<int, 3> classes_of(const Job& job, const Platform& platform) {
  return {memory_class(job, platform), width_class(job), length_class(job)};
}

}  // namespace

Seconds lost_by(const JobTimes& times, Cause cause) {
  switch (cause) {
    case Cause::to_start:
      return times.to_start;
    case Cause::paused:
      return times.paused;
    case Cause::penalty:
      return times.penalty;
    case Cause::shared:
      break;
  }
  return times.shared;
}

Cause main_cause(const JobTimes& times) {
  Cause most = Cause::to_start;
  for (const Cause cause : {Cause::paused, Cause::penalty, Cause::shared}) {
    if (lost_by(times, cause) > lost_by(times, most)) most = cause;
  }
  return most;
}

int memory_class(const Job& job, const Platform& platform) { return class_of(memory_share(job, platform), 0.1, 0.5); }
int width_class(const Job& job) { return class_of(job.tasks, 1, 16); }
int length_class(const Job& job) { return class_of(job.run_time, 60, 3600); }

Result<Losses> losses_of(const Instance& instance, std::string_view algorithm, const SimOptions& options) {
  JobTimesObserver observer(instance.jobs.size(), options.penalty);
  const RunOutcome run = simulate(instance, parse_algorithm(algorithm).value(), options, &observer);
  if (!run) return tl::unexpected(run.error());

  Losses losses;
  losses.instance = instance.name;
  std::vector<double> stretches;
  for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
    stretches.push_back(bounded_stretch(instance.jobs[k], run->jobs[k], kStretchFloor));
    const std::array<int, 3> classes = classes_of(instance.jobs[k], instance.platform);
    for (std::size_t of = 0; of < classes.size(); ++of) ++losses.jobs[of][static_cast<std::size_t>(classes[of])];
  }
  std::vector<std::size_t> order(stretches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return stretches[a] > stretches[b]; });
  order.resize(std::min(order.size(), std::max<std::size_t>(1, order.size() / kOneIn)));
  for (const std::size_t k : order) {
    const Job& job = instance.jobs[k];
    const JobTimes& times = observer.times()[k];
    losses.worst.push_back({job, stretches[k], memory_share(job, instance.platform), times, main_cause(times),
                            classes_of(job, instance.platform)});
  }
  return losses;
}

}  // namespace dfrs::sim::triage_study
