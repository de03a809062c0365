// SPDX-License-Identifier: GPL-2.0-or-later
// The yields of a mapping by the rule that is set, and what Triage's other parts ask about them.
//
// Yields hang on those whom a job is tied to: with whom it shares overloaded nodes, directly or through others. They,
// and the weights behind them, are found anew for the jobs that are tied to a change, and for those tied to a job whose
// weight is to be looked at again; everybody else keeps theirs.
#pragma once

#include <array>
#include <vector>

#include "policy/policy.h"
#include "policy/triage/options.h"
#include "policy/triage/residents.h"
#include "policy/triage/weight_watch.h"
#include "policy/yield/max_min.h"
#include "policy/yield/sharing.h"
#include "policy/yield/tied_jobs.h"
#include "policy/yield/weighted_max_min.h"

namespace dfrs::triage {

class Yields {
 public:
  Yields(TriageParts::Yields rule, const TriageOptions& options) : rule_(rule), options_(options) {}

  /// At the beginning of a call of the policy, when the residents have had theirs. `heaviest`: the largest weight of
  /// any job in the system. O(changed nodes), or O(jobs + nodes) after a resync event.
  void begin(const ClusterView& view, std::span<const Event> events, const ClusterState& state, double heaviest);

  /// Brings yields up to date with the mapping and the time. O(jobs + part log part), the part being what is tied to a
  /// change.
  void update(const ClusterView& view, const ClusterState& state, const Residents& residents);

  /// Whether a move pays: `job` has moved from `old_nodes` since the last update, in this call, and nobody else. The
  /// CPU that all together gain, sum of need x tasks x change of yield, over `lasts` seconds must exceed `price` (>= 0)
  /// by more than rounding. O(part log part), with URGENT yields mostly O(jobs whose yields change and their nodes).
  bool move_pays(const ClusterView& view, const ClusterState& state, const Residents& residents, JobSlot job,
                 std::span<const NodeIndex> old_nodes, Seconds lasts, double price);
  /// Keeps the yields that move_pays() has just found; without, those before it hold, and the job must be where it was
  /// before the next call.
  void keep_move(const ClusterView& view, const ClusterState& state);

  /// Of a job that was placed at the last update.
  double of(JobSlot job) const { return yield_[job]; }
  /// Whether somebody runs on an overloaded node. O(jobs).
  bool anyone_limited(const ClusterState& state) const;
  /// The first instant at which a weight is to be looked at again if nothing else happens. O(jobs).
  Seconds next_look(const ClusterState& state);

  /// Appends to the outcome every running job whose yield, or whose nodes, are not what the view says. O(set in this
  /// call).
  void name(const ClusterView& view, const ClusterState& state, Outcome& outcome);

 private:
  /// Jobs that are tied together, with the yields found for them.
  struct Part {
    TiedJobs tied;
    Sharing sharing;
    MaxMinYield equal;
    WeightedMaxMinYield weighted;
    std::vector<double> weights, yields;  // by index into sharing.jobs()
  };
  /// What was done for the move that is tried: all who are tied to it were collected and solved for in trial(); or
  /// kept() was changed; or its sharing alone was, and the yields, and what led to them, are in trial().
  enum class Tried { no, solved, followed, found_anew };

  Part& kept() { return parts_[kept_at_]; }
  Part& trial() { return parts_[1 - kept_at_]; }
  void begin_part(const ClusterState& state);
  void seed_node(NodeIndex n, const ClusterState& state, const Residents& residents);
  void solve(const ClusterView& view, const ClusterState& state, const Residents& residents);
  void keep(const ClusterView& view, const ClusterState& state);
  void set(const ClusterView& view, JobSlot job, double yield, bool limited);
  bool solved_move_pays(const ClusterView& view, const ClusterState& state, const Residents& residents, JobSlot job,
                        std::span<const NodeIndex> old_nodes, Seconds lasts, double price);
  bool can_follow(const ClusterState& state, JobSlot job, std::span<const NodeIndex> old_nodes, std::uint32_t& index);
  bool follow(const ClusterView& view, const ClusterState& state, std::uint32_t moved, double& gain, double& magnitude);
  void keep_followed(const ClusterView& view, const ClusterState& state);
  void after_trial(const ClusterState& state);
  void unfollow();
  bool look_due(JobSlot job, Seconds until);

  TriageParts::Yields rule_;
  TriageOptions options_;
  double heaviest_ = 1;
  double all_cpu_ = 0;  // of all nodes together

  std::vector<double> yield_;             // by slot
  std::vector<std::uint8_t> limited_;     // by slot: on an overloaded node
  std::vector<Seconds> look_;             // by slot: watch_[slot].at_least(), together for those who look for the first
  std::vector<WeightWatch> watch_;        // by slot: when a weight is looked at again; never where CPU is not short
  std::vector<std::uint8_t> overloaded_;  // by node, as of when yields were last kept
  bool afresh_ = true;                    // nothing is known
  std::vector<NodeIndex> changed_;        // in this call
  std::vector<JobSlot> set_;              // jobs whose yields have been set in this call, perhaps more than once

  std::vector<NodeIndex> seeds_;  // nodes that trial(), or the move that is tried, began with
  std::array<Part, 2> parts_;     // what was last kept, and what is tried
  std::size_t kept_at_ = 0;
  bool kept_holds_ = false;  // kept() is of this call, and the mapping is what it was found for
  Tried tried_ = Tried::no;
};

}  // namespace dfrs::triage
