// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rules/list_rules.h"

#include <algorithm>
#include <cmath>

#include "studies/divisible/rules/list_schedule.h"

namespace dfrs::divisible {

double ListScheduler::key(const View& view, const JobView& job) const {
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
  const bool small = job.size <= std::sqrt(spread) * least_;
  return (job.release - view.now) / (small ? std::sqrt(spread) : spread);
}

void ListScheduler::decide(const View& view, Decision& decision) {
  for (const JobView& job : view.jobs.last(view.arrived)) {
    least_ = std::min(least_, job.size);
    greatest_ = std::max(greatest_, job.size);
  }
  keys_.resize(view.jobs.size());
  for (const JobIndex j : view.active) keys_[j] = key(view, view.jobs[j]);
  order_.assign(view.active.begin(), view.active.end());
  std::stable_sort(order_.begin(), order_.end(), [&](JobIndex a, JobIndex b) { return keys_[a] < keys_[b]; });
  list_schedule(view, order_, decision);
}

}  // namespace dfrs::divisible
