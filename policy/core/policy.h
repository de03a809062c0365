// SPDX-License-Identifier: GPL-2.0-or-later
// What a scheduling policy is. A policy changes the ClusterState it is handed and names yields; the engine makes
// decisions of that and checks them. Deterministic: the same calls give the same answers on any machine.
#pragma once

#include <span>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/core/decision.h"

namespace dfrs {

/// What a policy leaves besides the changed ClusterState.
struct Outcome {
  std::vector<YieldChange>* yields = nullptr;  ///< append: every job whose yield is new
  Seconds wake_at = kNever;                    ///< when to be called at the latest
};

/// A policy that must do without run times: it is never handed an estimate.
class NonClairvoyantPolicy {
 public:
  virtual ~NonClairvoyantPolicy() = default;
  /// `events` as in Engine::step; the state already knows of completions and submissions. After a resync event
  /// whatever the policy remembered must be forgotten or taken from the view.
  virtual void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state,
                      Outcome& outcome) = 0;
};

/// A policy that plans with the users' estimates.
class BatchPolicy {
 public:
  virtual ~BatchPolicy() = default;
  virtual void decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
                      ClusterState& state, Outcome& outcome) = 0;
};

}  // namespace dfrs
