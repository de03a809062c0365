// SPDX-License-Identifier: GPL-2.0-or-later
// The interface of scheduling policies. A policy changes the ClusterState that it is given and sets yields; the engine
// derives decisions from that and checks them. Policies are deterministic: the same calls give the same answers on any
// machine.
#pragma once

#include <span>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/core/decision.h"

namespace dfrs {

/// What a policy returns besides the changed ClusterState.
struct Outcome {
  std::vector<YieldChange>* yields = nullptr;  ///< the policy appends every job whose yield changes
  Seconds wake_at = kNever;                    ///< call the policy again at this instant at the latest
};

/// A policy that knows no run times: it never sees an estimate.
class NonClairvoyantPolicy {
 public:
  virtual ~NonClairvoyantPolicy() = default;
  /// `events` as in Engine::step; the state already reflects completions and submissions. On a resync event the policy
  /// must forget what it remembers, or rebuild it from the view.
  virtual void decide(const ClusterView& view, std::span<const Event> events, ClusterState& state,
                      Outcome& outcome) = 0;
};

/// A policy that plans with the users' estimates.
class BatchPolicy {
 public:
  virtual ~BatchPolicy() = default;
  /// As NonClairvoyantPolicy::decide; `estimates` has a run time for every slot.
  virtual void decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
                      ClusterState& state, Outcome& outcome) = 0;
};

}  // namespace dfrs
