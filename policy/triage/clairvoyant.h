// SPDX-License-Identifier: GPL-2.0-or-later
// A yardstick: Triage where run times are known. It says how much a policy that does not know them could still gain. No
// live system can run it.
//
// Its rules are Triage's with the flow time at a job's end in place of the flow time so far, and the run time in place
// of the progress. Jobs that may never be paused have lanes (lanes.h) instead of shares of memory, and reservations
// by their run times (reservation.h).
#pragma once

#include "policy/core/policy.h"
#include "policy/triage/core.h"

namespace dfrs {

class ClairvoyantTriage final : public BatchPolicy {
 public:
  explicit ClairvoyantTriage(const TriageOptions& options) : core_({}, options) {}

  /// What it goes by: the host's penalty, scale and limit on tied jobs, and constants for known run times.
  static TriageOptions rules(const TriageOptions& host);

  /// `estimates` are true run times (PolicyTraits::knows_run_times).
  void decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events, ClusterState& state,
              Outcome& outcome) override {
    core_.decide(view, {.known = estimates.run_time, .limit = estimates.run_time}, events, state, outcome);
  }

 private:
  triage::Core core_;
};

}  // namespace dfrs
