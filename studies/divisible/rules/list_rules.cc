// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/list_rules.h"

#include <algorithm>
#include <cmath>

#include "studies/divisible/rules/list_schedule.h"

namespace dfrs::divisible {
namespace {

// The paper's databanks in MB, section 5.3.
constexpr double kLeastSize = 10;
constexpr double kGreatestSize = 1000;

constexpr double kAfterChange = 1e-9;

}  // namespace

ListScheduler::ListScheduler(ListRule rule, const Readings& readings, std::span<const JobView> jobs)
    : rule_(rule), instants_(readings.bender02_instants), bounds_(readings.bender02) {
  if (readings.bender02 == Bender02Reading::limits) {
    least_ = kLeastSize;
    greatest_ = kGreatestSize;
  } else if (readings.bender02 == Bender02Reading::instance) {
    for (const JobView& job : jobs) bound(job);
  }
}

void ListScheduler::bound(const JobView& job) {
  least_ = std::min(least_, job.size);
  greatest_ = std::max(greatest_, job.size);
}

bool ListScheduler::small(const JobView& job) const { return job.size <= std::sqrt(greatest_ / least_) * least_; }

double ListScheduler::key(const JobView& job) const {
  switch (rule_) {
    case ListRule::spt:
      return job.size;
    case ListRule::srpt:
      return job.remaining;
    case ListRule::swrpt:
      return swrpt_key(job.remaining, job.weight);
    case ListRule::mct_div:
      return job.release;
    case ListRule::bender02:
      break;
  }
  const double spread = greatest_ / least_;
  return (job.release - ranked_at_) / (small(job) ? std::sqrt(spread) : spread);
}

// The first instant at which a small job passes a large one that is older: where
// (t - small release) / sqrt(D) = (t - large release) / D.
Seconds ListScheduler::next_change(const View& view) const {
  const double root = std::sqrt(greatest_ / least_);
  Seconds next = kNever;
  for (const JobIndex s : view.active) {
    if (!small(view.jobs[s])) continue;
    for (const JobIndex l : view.active) {
      if (l >= s) break;  // by release
      if (small(view.jobs[l])) continue;
      const Seconds at = (root * view.jobs[s].release - view.jobs[l].release) / (root - 1);
      if (at > ranked_at_) next = std::min(next, at);
    }
  }
  return next;
}

void ListScheduler::decide(const View& view, Decision& decision) {
  if (instants_ != Bender02Instants::releases || view.arrived > 0) ranked_at_ = view.now;
  // A little later than a change, so that rounding does not leave the order as it was.
  if (instants_ == Bender02Instants::always) ranked_at_ += kAfterChange * (1 + view.now);
  if (bounds_ == Bender02Reading::seen) {
    for (const JobView& job : view.jobs.last(view.arrived)) bound(job);
  } else if (bounds_ == Bender02Reading::active) {
    least_ = kNever;
    greatest_ = 0;
    for (const JobIndex j : view.active) bound(view.jobs[j]);
  }
  keys_.resize(view.jobs.size());
  for (const JobIndex j : view.active) keys_[j] = key(view.jobs[j]);
  order_.assign(view.active.begin(), view.active.end());
  std::stable_sort(order_.begin(), order_.end(), [&](JobIndex a, JobIndex b) { return keys_[a] < keys_[b]; });
  list_schedule(view, order_, decision);
  if (rule_ == ListRule::bender02 && instants_ == Bender02Instants::always) decision.wake_at = next_change(view);
}

}  // namespace dfrs::divisible
