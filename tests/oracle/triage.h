// SPDX-License-Identifier: GPL-2.0-or-later
// Triage word by word (docs/reference/triage.md): every job and node looked at each time, remembered are only the times
// at which it wants to be called again, yields with the mapping they were set in, and which jobs it tried to move in
// vain. Shares with the policy its options and the input types alone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "policy/triage/options.h"
#include "sim/host/simulation.h"
#include "tests/oracle/world.h"

namespace dfrs::oracle {

/// Weighted max-min fair yields by slot (0 where not placed): y = min(1, level x weight), the level of all rises
/// together; when a node is full its jobs stop, the others go on.
std::vector<double> weighted_max_min_yields(const World& world, const std::vector<double>& weights);
/// The same for the jobs of `rising` alone, who have what the others leave them; those keep theirs, `yields`.
std::vector<double> weighted_max_min_yields(const World& world, const std::vector<double>& weights,
                                            std::set<JobSlot> rising, std::vector<double> yields);

/// Compares every decision of a run with the reference's for the same view.
class TriageLockstep final : public sim::StepObserver {
 public:
  /// By slot; must outlive this. `run_time`: what clairvoyant/Triage knows; `limit`: what Triage/LIMITS is told. Empty:
  /// nothing.
  TriageLockstep(const TriageParts& parts, const TriageOptions& options, std::span<const Seconds> run_time = {},
                 std::span<const Seconds> limit = {})
      : parts_(parts), options_(options), run_time_(run_time), limit_(limit) {}

  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;
  /// The first difference, empty if there was none.
  const std::string& difference() const { return difference_; }
  std::uint64_t pauses() const { return pauses_; }
  std::uint64_t moves() const { return moves_; }
  /// How often more jobs were tied to a change than TriageOptions::tied, and not all of them had new yields.
  std::uint64_t cuts() const { return cuts_; }
  /// How often a job's weight needed a look and did not get it.
  std::uint64_t late() const { return late_; }
  /// How often more jobs could have gone for a crowded one than TriageOptions::tried.
  std::uint64_t few_tried() const { return few_tried_; }
  /// How often a job was placed beside reserved memory, and how often one found no place beside it but one on it.
  std::uint64_t beside() const { return beside_; }
  std::uint64_t kept_off() const { return kept_off_; }
  /// How often a job that no pause could help collected nodes.
  std::uint64_t collections() const { return collections_; }

 private:
  using Nodes = std::optional<std::vector<NodeIndex>>;

  void take(const ClusterView& view, std::span<const Event> events);
  std::string compare(const ClusterView& view, const Decisions& decisions);

  double urgency(JobSlot job) const;
  double pause_cost(JobSlot job) const;
  double harm(JobSlot job) const;
  double user_weight(JobSlot job) const;
  double kept_part() const;
  bool knows() const { return !run_time_.empty(); }
  Seconds left(JobSlot job) const;
  Seconds length(JobSlot job) const;
  NodeIndex lane_end(JobSlot job) const;
  // Memory for one job from an instant on.
  struct Reserved {
    Seconds shadow = 0;
    double urgency = 0;              // of the job, if it collects nodes
    std::vector<RigidVector> later;  // free then beside it, by node
  };
  void reserve(JobSlot job);
  void collect(JobSlot job);
  std::uint32_t room_later(const Reserved& reserved, JobSlot job, NodeIndex n) const;
  bool goes_beside(JobSlot job) const;
  bool leaves_reserved(JobSlot job, const std::vector<NodeIndex>& chosen, NodeIndex n) const;
  double yield_weight(JobSlot job, Seconds later, double yield) const;
  Seconds look_again(JobSlot job) const;
  bool admit();
  bool admit_round(std::set<JobSlot>& put_out, bool& paused);
  bool attend(JobSlot job, double urgent, std::set<JobSlot>& put_out, std::set<JobSlot>& counted, bool& paused);
  double equal_share(JobSlot job, const std::vector<NodeIndex>& nodes) const;
  bool has_room(JobSlot job, double most_load) const;
  struct Held {
    double whole = 0;  // memory of all nodes
    double all = 0;
    double user = 0;
    double alike = 0;
    bool any_alike = false;
    Seconds least_progress = kNever;  // of the user's jobs that hold some
  };
  double size_of(JobSlot job) const;
  Held held(JobSlot job, const std::set<JobSlot>& counted) const;
  double urgency_by_share(JobSlot job, const std::set<JobSlot>& counted) const;
  bool holds_alike(JobSlot job, const std::set<JobSlot>& counted) const;
  bool may_start(JobSlot job, const std::set<JobSlot>& counted) const;
  bool may_probe(JobSlot job, const std::set<JobSlot>& counted) const;
  void put(JobSlot job, const std::vector<NodeIndex>& nodes, std::set<JobSlot>& counted);
  double lost_work(JobSlot job) const;
  bool make_room(JobSlot job, std::set<JobSlot>& put_out, std::set<JobSlot>& counted, double urgency, double most_load);
  Nodes place(JobSlot job) const;
  double resident_yield(JobSlot job) const;
  void set_yields();
  double shortage() const;
  bool move_jobs();
  bool limited(JobSlot job) const;
  void add_tied(std::set<JobSlot>& jobs) const;

  TriageParts parts_;
  TriageOptions options_;
  std::span<const Seconds> run_time_, limit_;
  std::optional<Reserved> reserved_;
  bool any_refused_ = false;  // in this round
  const ClusterView* view_ = nullptr;
  World world_;
  std::vector<double> yields_;  // by slot
  std::vector<JobSlot> order_;
  bool first_ = true;
  Seconds next_admission_ = kNever;
  Seconds next_moves_ = kNever;
  double heaviest_ = 1;
  std::optional<World> set_in_;       // the mapping that yields_ were set in
  std::map<JobSlot, Seconds> known_;  // jobs that have had yields, and when their weight is looked at again
  std::set<NodeIndex> stirred_;       // who was there has ended, or has another need
  std::map<JobSlot, std::pair<JobId, Seconds>> tried_;  // jobs not moved, and their progress then
  std::string difference_;
  std::uint64_t pauses_ = 0;
  std::uint64_t moves_ = 0;
  std::uint64_t cuts_ = 0;
  std::uint64_t few_tried_ = 0;
  std::uint64_t late_ = 0;
  bool looked_ = false;   // at weights, in this call
  bool overdue_ = false;  // but not at all of them
  std::uint64_t beside_ = 0;
  std::uint64_t kept_off_ = 0;
  std::uint64_t collections_ = 0;
};

}  // namespace dfrs::oracle
