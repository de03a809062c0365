// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/pausing/feedback.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dfrs {
namespace {

constexpr std::array<double, 3> kTiresias{1, 2, 5};
constexpr std::array<double, 3> kDoubling{1, 3, 7};  // sums of 1, 2, 4
constexpr double kRounding = 1e-9;                   // a job that is this close to a threshold has reached it

}  // namespace

Seconds FeedbackRule::threshold(std::size_t k) const { return first * (by_nodes ? kTiresias : kDoubling)[k]; }

std::size_t FeedbackRule::queue_of(Seconds service) const {
  std::size_t queue = 0;
  while (queue + 1 < queues && service >= threshold(queue) * (1 - kRounding)) ++queue;
  return queue;
}

void FeedbackPolicy::decide(const ClusterView& view, std::span<const Event> /*events*/, ClusterState& state,
                            Outcome& outcome) {
  ranked_.clear();
  for (const JobSlot job : state.active()) ranked_.push_back({rule_.queue_of(service(view.jobs[job], view.now)), job});
  std::stable_sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) { return a.queue < b.queue; });
  order_.clear();
  for (const Ranked& ranked : ranked_) order_.push_back(ranked.job);
  seats_.assign(view, order_, state, outcome);
  outcome.wake_at = next_drop(view, state);
}

// When the next running job passes a threshold, if a job waits for nodes.
Seconds FeedbackPolicy::next_drop(const ClusterView& view, const ClusterState& state) const {
  Seconds next = kNever;
  bool waits = false;
  for (const auto& [queue, job] : ranked_) {
    waits = waits || !state.placed(job);
    if (!state.placed(job) || queue + 1 >= rule_.queues) continue;
    const JobView& spec = view.jobs[job];
    const Seconds left = rule_.threshold(queue) / (rule_.by_nodes ? spec.tasks : 1) - spec.virtual_time(view.now);
    const Seconds begin = std::max(view.now, state.stays(job, spec) ? spec.clock.since : view.now);
    next = std::min(next, begin + left / (state.stays(job, spec) && spec.yield > 0 ? spec.yield : 1));
  }
  return waits ? std::max(next, std::nextafter(view.now, kNever)) : kNever;
}

}  // namespace dfrs
