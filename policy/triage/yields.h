// SPDX-License-Identifier: GPL-2.0-or-later
// The yields of a mapping by the rule that is set, and what Triage's other parts ask about them.
//
// Yields hang on those whom a job is tied to: with whom it shares overloaded nodes, directly or through others. They,
// and the weights behind them, are found anew for the jobs that are tied to a change, and for those tied to a job whose
// weight is to be looked at again; everybody else keeps theirs.
#pragma once

#include <vector>

#include "policy/policy.h"
#include "policy/triage/options.h"
#include "policy/triage/residents.h"
#include "policy/yield/max_min.h"
#include "policy/yield/sharing.h"
#include "policy/yield/weighted_max_min.h"

namespace dfrs::triage {

class Yields {
 public:
  Yields(TriageParts::Yields rule, const TriageOptions& options) : rule_(rule), options_(options) {}

  /// At the beginning of a call of the policy, when the residents have had theirs. `heaviest`: the largest weight of any
  /// job in the system. O(changed nodes), or O(jobs + nodes) after a resync event.
  void begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state, double heaviest);

  /// Brings yields up to date with the mapping and the time. O(jobs + part log part), the part being what is tied to a
  /// change.
  void update(const ClusterView& view, const ClusterState& state, const Residents& residents);

  /// The CPU that all together gain by the last change of the mapping, sum of need x tasks x change of yield, 0 where it is but
  /// rounding: `job` has
  /// moved from `old_nodes` since the last update, in this call, and nobody else. O(part log part).
  double gain_of_move(const ClusterView& view, const ClusterState& state, const Residents& residents, JobSlot job,
                      std::span<const NodeIndex> old_nodes);
  /// Keeps the yields that gain_of_move() has just found; without, those before it hold.
  void keep_move(const ClusterView& view, const ClusterState& state);

  /// Of a job that was placed at the last update.
  double of(JobSlot job) const { return yield_[job]; }
  /// Whether somebody runs on an overloaded node. O(jobs).
  bool anyone_limited(const ClusterState& state) const;
  /// The first instant at which a weight is to be looked at again if nothing else happens. O(jobs).
  Seconds next_look(const ClusterState& state) const;

  /// Appends to the outcome every running job whose yield, or whose nodes, are not what the view says. O(set in this call).
  void name(const ClusterView& view, const ClusterState& state, Outcome& outcome);

 private:
  void begin_part();
  void seed_node(NodeIndex n, const ClusterState& state, const Residents& residents);
  void seed_job(JobSlot job);
  void solve(const ClusterView& view, const ClusterState& state, const Residents& residents);
  void keep(const ClusterView& view, const ClusterState& state);

  TriageParts::Yields rule_;
  TriageOptions options_;
  double heaviest_ = 1;

  std::vector<double> yield_;             // by slot
  std::vector<std::uint8_t> limited_;     // by slot: on an overloaded node
  std::vector<Seconds> look_;             // by slot: when a weight is looked at again; kNever where CPU is not short
  std::vector<std::uint8_t> overloaded_;  // by node, as of when yields were last kept
  bool afresh_ = true;                    // nothing is known
  std::vector<NodeIndex> changed_;        // in this call
  std::vector<JobSlot> set_;              // jobs whose yields have been set in this call, perhaps more than once

  // The part that is looked at; marks hold the number of the look that set them.
  std::uint64_t look_number_ = 0;
  std::vector<std::uint64_t> job_mark_;   // by slot
  std::vector<std::uint64_t> node_mark_;  // by node: is in nodes_
  std::vector<NodeIndex> seeds_;
  std::vector<JobSlot> jobs_;
  std::vector<NodeIndex> nodes_;  // overloaded ones
  Sharing sharing_;
  MaxMinYield equal_;
  WeightedMaxMinYield weighted_;
  std::vector<double> weights_;  // by index into sharing_.jobs()
  std::vector<double> yields_;
};

}  // namespace dfrs::triage
