// SPDX-License-Identifier: GPL-2.0-or-later
// One call of the policy: what its parts look at and change.
#pragma once

#include <span>

#include "policy/triage/options.h"
#include "policy/triage/residents.h"
#include "policy/triage/urgency.h"

namespace dfrs::triage {

struct Call {
  const ClusterView& view;
  ClusterState& state;
  Residents& residents;
  Moment at;
  const TriageOptions& options;

  const JobView& job(JobSlot slot) const { return view.jobs[slot]; }

  void place(JobSlot slot, std::span<const NodeIndex> nodes) {
    state.place(slot, view.jobs[slot], nodes);
    residents.placed(state, slot);
  }
  void remove(JobSlot slot) {
    residents.removed(state, slot);
    state.remove(slot, view.jobs[slot]);
  }
  /// Whether a placed job is where it was when the call began. O(its tasks).
  bool stayed(JobSlot slot) const {
    const std::span<const NodeIndex> before = state.nodes_before(slot);
    const std::span<const NodeIndex> now = state.nodes_of(slot);
    return view.jobs[slot].state == JobState::running &&
           (before.data() == now.data() || std::equal(before.begin(), before.end(), now.begin(), now.end()));
  }
};

}  // namespace dfrs::triage
