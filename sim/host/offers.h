// SPDX-License-Identifier: GPL-2.0-or-later
// Repeats the submission of jobs for which a policy that pauses for arrivals found none to pause, because their runs
// were too young: as the live side does (shim/controller/offers.h), once such a run may be ended.
#pragma once

#include <unordered_map>
#include <vector>

#include "policy/core/units.h"
#include "policy/core/view.h"
#include "sim/host/job_slots.h"

namespace dfrs::sim {

class Offers {
 public:
  /// `slots` must outlive it, and must not be reused for other jobs.
  explicit Offers(JobSlots& slots) : slots_(slots) {}

  /// When the next offer is due; kNever: there is none.
  Seconds next() const;
  /// A job that still waits and whose offer is due; kNoSlot: none. O(offers).
  JobSlot take(Seconds now);
  /// Afterwards: plans offers of the jobs that were submitted, or offered, in a call with these events and still wait.
  /// `may_end`: when the first run that is too young now may be ended; kNever: there is none.
  void plan(std::span<const Event> events, Seconds may_end, Seconds now);

 private:
  struct Offer {
    JobSlot job = kNoSlot;
    Seconds at = 0;
  };

  JobSlots& slots_;
  std::vector<Offer> offers_;
  std::unordered_map<JobSlot, std::uint32_t> planned_;  // so far, by job
};

}  // namespace dfrs::sim
