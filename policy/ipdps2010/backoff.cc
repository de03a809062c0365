// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/ipdps2010/backoff.h"

#include <algorithm>

namespace dfrs::ipdps2010 {

Seconds backoff_delay(unsigned attempts) { return static_cast<Seconds>(1u << std::min(attempts, 12u)); }

Seconds Backoff::failed(JobSlot job, Seconds now) {
  auto at = std::find_if(jobs_.begin(), jobs_.end(), [&](const Entry& e) { return e.job == job; });
  if (at == jobs_.end()) at = jobs_.insert(jobs_.end(), Entry{job, 0, 0});
  ++at->attempts;
  at->due = now + backoff_delay(at->attempts);
  return at->due;
}

void Backoff::forget(JobSlot job) {
  std::erase_if(jobs_, [&](const Entry& e) { return e.job == job; });
}

std::span<const JobSlot> Backoff::due(Seconds now) {
  due_.clear();
  for (const Entry& e : jobs_) {
    if (e.due <= now) due_.push_back(e.job);
  }
  return due_;
}

Seconds Backoff::next() const {
  Seconds next = kNever;
  for (const Entry& e : jobs_) next = std::min(next, e.due);
  return next;
}

}  // namespace dfrs::ipdps2010
