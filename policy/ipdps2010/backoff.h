// SPDX-License-Identifier: GPL-2.0-or-later
// Bounded exponential backoff of jobs that could not start (IPDPS 2010, section III.A).
#pragma once

#include <span>
#include <vector>

#include "policy/core/units.h"

namespace dfrs::ipdps2010 {

/// Seconds until the next attempt of a job that has failed `attempts` >= 1 times: min(2^12, 2^attempts).
Seconds backoff_delay(unsigned attempts);

/// The jobs to try again, in order of their first failure.
class Backoff {
 public:
  /// Notes one more failed attempt of the job, and returns when it is due again. O(jobs).
  Seconds failed(JobSlot job, Seconds now);
  /// Drops a job that has started or left. O(jobs).
  void forget(JobSlot job);
  void clear() { jobs_.clear(); }

  /// The jobs that are due, in order of their first failure. Valid until the next call of due().
  std::span<const JobSlot> due(Seconds now);
  /// When the next job is due; kNever if there is none.
  Seconds next() const;

 private:
  struct Entry {
    JobSlot job;
    unsigned attempts;
    Seconds due;
  };
  std::vector<Entry> jobs_;
  std::vector<JobSlot> due_;
};

}  // namespace dfrs::ipdps2010
