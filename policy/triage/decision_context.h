// SPDX-License-Identifier: GPL-2.0-or-later
// The state that the parts of the policy share during one call.
#pragma once

#include <span>

#include "policy/triage/options.h"
#include "policy/triage/reservation.h"
#include "policy/triage/residents.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

struct DecisionContext {
  const ClusterView& view;
  ClusterState& state;
  Residents& residents;
  Instant at;
  const TriageOptions& options;
  std::span<const Event> events = {};
  std::span<const Seconds> run_time = {};    ///< by slot; empty if run times are not known
  std::span<const Seconds> limit = {};       ///< users' time limits by slot; empty if they are not used
  const Reservation* reservation = nullptr;  ///< of memory; null: none is ever made

  const JobView& job(JobSlot slot) const { return view.jobs[slot]; }
  bool knows() const { return !run_time.empty(); }
  Seconds run_time_of(JobSlot slot) const { return knows() ? run_time[slot] : kUnknown; }
  /// Whether the job must leave reserved memory alone.
  bool beside(JobSlot slot) const {
    if (reservation == nullptr || !reservation->made()) return false;
    if (limit.empty()) return reservation->keeps_off(job(slot), urgency(slot));
    return reservation->limits(job(slot), limit[slot], at.now);
  }
  double urgency(JobSlot slot) const { return triage::urgency(job(slot), at, options, run_time_of(slot)); }
  double pause_cost(JobSlot slot) const { return triage::pause_cost(job(slot), at, options, run_time_of(slot)); }

  void place(JobSlot slot, std::span<const NodeIndex> nodes) {
    state.place(slot, view.jobs[slot], nodes);
    residents.placed(state, slot);
  }
  void remove(JobSlot slot) {
    residents.removed(state, slot);
    state.remove(slot, view.jobs[slot]);
  }
  /// Whether a placed job is on the nodes where it was when the call began. O(its tasks).
  bool stayed(JobSlot slot) const { return state.stays(slot, view.jobs[slot]); }
};

}  // namespace dfrs::triage
