// SPDX-License-Identifier: GPL-2.0-or-later
// The state that the parts of the policy share during one call.
#pragma once

#include <span>

#include "policy/triage/options.h"
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

  const JobView& job(JobSlot slot) const { return view.jobs[slot]; }

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
