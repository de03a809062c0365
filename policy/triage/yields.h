// SPDX-License-Identifier: GPL-2.0-or-later
// Sets the yields of a mapping by the selected rule, and answers the questions of Triage's other parts about them.
//
// The yield of a job depends on the jobs that it is tied to: those that share overloaded nodes with it, directly or
// through others. Yields and weights are computed again for the jobs that are tied to a change of the mapping, or to a
// job whose weight needs another look; all others keep theirs. On a large, full cluster all jobs are tied together.
// Then the jobs that share an overloaded node with the change come first, then the jobs that share one with those, and
// so on, up to TriageOptions::tied jobs; these share what all others leave them.
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

/// Weights that a call leaves for later are looked at after that many seconds, scaled by TriageOptions::time_scale.
inline constexpr Seconds kLookOn = 2;

class Yields {
 public:
  Yields(TriageParts::Yields rule, const TriageOptions& options);

  /// Starts a call of the policy; Residents::begin() must come first. `at`: now. `run_time` as in DecisionContext,
  /// valid for this call. O(changed nodes), on a resync event O(jobs + nodes).
  void begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state, const Instant& at,
             std::span<const Seconds> run_time = {});

  /// Brings yields up to date with the mapping and, the first time in a call of the policy, with the weights: of those
  /// that need a look, at most TIED (but one at least) get it, in submission order, and those of jobs that have changed
  /// anyway. O(jobs + part log part), where the part is the jobs whose yields are computed and their nodes.
  void update(const ClusterView& view, const ClusterState& state, const Residents& residents);

  /// Whether a move pays. `job`, and no other job, must have moved since the last update, from `old_nodes`. The CPU
  /// that all jobs together gain (the sum of need x tasks x change of yield) over `lasts` seconds must exceed `price`
  /// (>= 0) by more than rounding. O(part log part).
  bool move_pays(const ClusterView& view, const ClusterState& state, const Residents& residents, JobSlot job,
                 std::span<const NodeIndex> old_nodes, Seconds lasts, double price);
  /// Keeps the yields that move_pays() has just computed. Without this call the previous yields stay, and the job must
  /// be back on its old nodes before the next call.
  void keep_move(const ClusterView& view, const ClusterState& state);

  /// The yield of a job that was placed at the last update.
  double of(JobSlot job) const { return yield_[job]; }
  /// Whether any job runs on an overloaded node. O(jobs).
  bool anyone_limited(const ClusterState& state) const;
  /// The first instant at which a weight needs another look if nothing else happens; soon if update() has left some.
  /// O(jobs).
  Seconds next_look(const ClusterState& state);

  /// Appends every running job whose yield or nodes differ from the view to the outcome. O(n log n) in the jobs whose
  /// yields were set in this call.
  void append_changes(const ClusterView& view, const ClusterState& state, Outcome& outcome);

 private:
  void begin_part(const ClusterState& state);
  void add_changed(const ClusterState& state, const Residents& residents);
  void seed_node(NodeIndex n, const ClusterState& state, const Residents& residents);
  void solve(const ClusterView& view, const ClusterState& state, const Residents& residents);
  void reserve_for_others(const ClusterView& view, const ClusterState& state, const Residents& residents);
  void add_due(const ClusterView& view, const ClusterState& state, const Residents& residents);
  double used_on(const ClusterView& view, const ClusterState& state, const Residents& residents, NodeIndex n);
  void keep(const ClusterView& view, const ClusterState& state);
  void set(const ClusterView& view, JobSlot job, double yield, bool limited);
  std::span<const NodeIndex> nodes_at_update(const ClusterState& state, std::size_t touched) const;
  void note_update(const ClusterState& state);
  bool look_due(JobSlot job, Seconds until);
  Seconds run_time_of(JobSlot job) const { return run_time_.empty() ? kUnknown : run_time_[job]; }

  TriageParts::Yields rule_;
  TriageOptions options_;
  std::size_t most_tied_;
  Instant at_;
  std::span<const Seconds> run_time_;

  std::vector<double> yield_;          // by slot
  std::vector<std::uint8_t> limited_;  // by slot: on an overloaded node
  std::vector<Seconds> look_;          // by slot: watch_[slot].at_least(), side by side for fast searches
  std::vector<WeightWatch> watch_;     // by slot: when its weight needs a look; never if it is not limited
  // The CPU used on an overloaded node, as long as its jobs and their yields are those of that version.
  struct Used {
    double cpu = 0;
    std::uint64_t version = ~std::uint64_t{0};  // Residents::changes()
  };
  std::vector<Used> used_;                // by node
  std::vector<std::uint8_t> overloaded_;  // by node, when yields were last kept
  bool nothing_known_ = true;
  bool looked_ = false;   // due weights have been looked at in this call
  bool overdue_ = false;  // but not all of them
  std::vector<JobSlot> due_;
  std::vector<NodeIndex> changed_;  // nodes that have changed since yields were last kept
  std::vector<JobSlot> set_;        // jobs whose yields were set in this call, possibly more than once
  // By index in state.touched(): the nodes of the first kept_touched_ jobs when yields were last kept.
  std::vector<std::vector<NodeIndex>> kept_nodes_;
  std::size_t kept_touched_ = 0;

  // The part whose yields are computed.
  std::vector<NodeIndex> seeds_;  // nodes that it started from
  ContentionGroup group_;
  CpuContention contention_;
  MaxMinYield equal_;
  WeightedMaxMinYield weighted_;
  std::vector<double> weights_, found_;  // by index into contention_.jobs()
};

}  // namespace dfrs::triage
