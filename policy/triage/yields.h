// SPDX-License-Identifier: GPL-2.0-or-later
// The yields of a mapping by the rule that is set, and what Triage's other parts ask about them.
//
// The yield of a job depends on those that it is tied to: with which it shares overloaded nodes, directly or through
// others. They, and the weights behind them, are found again for the jobs that are tied to a change, and for those tied
// to a job whose weight is to be looked at again; all others keep theirs. On a large cluster that is full all jobs are
// tied together: those who share an overloaded node with the change, or with that job, come first, then those who share
// one with these, and so on as long as it is no more than TriageOptions::tied jobs; they share what all others leave
// them.
#pragma once

#include <vector>

#include "policy/core/policy.h"
#include "policy/triage/options.h"
#include "policy/triage/residents.h"
#include "policy/triage/weight_watch.h"
#include "policy/yield/contention_group.h"
#include "policy/yield/cpu_contention.h"
#include "policy/yield/max_min.h"
#include "policy/yield/weighted_max_min.h"

namespace dfrs::triage {

class Yields {
 public:
  Yields(TriageParts::Yields rule, const TriageOptions& options);

  /// At the beginning of a call of the policy, when the residents have had theirs. `heaviest`: the largest weight of
  /// any job in the system. O(changed nodes), or O(jobs + nodes) after a resync event.
  void begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state, double heaviest);

  /// Brings yields up to date with the mapping and the time. O(jobs), and O(part log part): the jobs for which they are
  /// found, and the nodes where these are.
  void update(const ClusterView& view, const ClusterState& state, const Residents& residents);

  /// Whether a move pays: `job` has moved from `old_nodes` since the last update, in this call, and no other job. The
  /// CPU that all together gain, sum of need x tasks x change of yield, over `lasts` seconds must exceed `price` (>= 0)
  /// by more than rounding. O(part log part).
  bool move_pays(const ClusterView& view, const ClusterState& state, const Residents& residents, JobSlot job,
                 std::span<const NodeIndex> old_nodes, Seconds lasts, double price);
  /// Keeps the yields that move_pays() has just found; without, those before it hold, and the job must be where it was
  /// before the next call.
  void keep_move(const ClusterView& view, const ClusterState& state);

  /// Of a job that was placed at the last update.
  double of(JobSlot job) const { return yield_[job]; }
  /// Whether a job runs on an overloaded node. O(jobs).
  bool anyone_limited(const ClusterState& state) const;
  /// The first instant at which a weight is to be looked at again if nothing else happens. O(jobs).
  Seconds next_look(const ClusterState& state);

  /// Appends to the outcome every running job whose yield, or whose nodes, are not what the view says. O(set in this
  /// call).
  void append_changes(const ClusterView& view, const ClusterState& state, Outcome& outcome);

 private:
  void begin_part(const ClusterState& state);
  void add_changed(const ClusterState& state, const Residents& residents);
  void seed_node(NodeIndex n, const ClusterState& state, const Residents& residents);
  void solve(const ClusterView& view, const ClusterState& state, const Residents& residents);
  void reserve_for_others(const ClusterView& view, const ClusterState& state, const Residents& residents);
  void keep(const ClusterView& view, const ClusterState& state);
  void set(const ClusterView& view, JobSlot job, double yield, bool limited);
  std::span<const NodeIndex> nodes_at_update(const ClusterState& state, std::size_t touched) const;
  void note_update(const ClusterState& state);
  bool look_due(JobSlot job, Seconds until);

  TriageParts::Yields rule_;
  TriageOptions options_;
  std::size_t most_tied_;
  double heaviest_ = 1;

  std::vector<double> yield_;             // by slot
  std::vector<std::uint8_t> limited_;     // by slot: on an overloaded node
  std::vector<Seconds> look_;             // by slot: watch_[slot].at_least(), together for those who look for the first
  std::vector<WeightWatch> watch_;        // by slot: when a weight is looked at again; never where CPU is not short
  std::vector<std::uint8_t> overloaded_;  // by node, as of when yields were last kept
  bool nothing_known_ = true;
  std::vector<NodeIndex> changed_;  // since yields were last kept
  std::vector<JobSlot> set_;        // jobs whose yields have been set in this call, perhaps more than once
  // Of the first jobs of state.touched(), where they were when yields were last kept.
  std::vector<std::vector<NodeIndex>> kept_nodes_;
  std::size_t kept_touched_ = 0;

  // Of the part for which yields are found.
  std::vector<NodeIndex> seeds_;  // nodes it began with
  ContentionGroup group_;
  CpuContention contention_;
  MaxMinYield equal_;
  WeightedMaxMinYield weighted_;
  std::vector<double> weights_, found_;  // by index into contention_.jobs()
};

}  // namespace dfrs::triage
