// SPDX-License-Identifier: GPL-2.0-or-later
// The dynP scheduler family switches between FCFS, SJF and LJF with conservative backfilling on full schedules (Streit
// 2003, section 3; section 6 for slackness and reduced future).
//
// - basic: when a job is submitted and enough jobs wait, their average estimate determines the policy, and all of them
// are
//   planned again.
// - self-tuning: whenever a job is submitted or ends and two or more jobs wait, each of the three policies makes a full
//   schedule, and a decider chooses the one that becomes the plan by their quality.
//
// The first policy is FCFS.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "policy/batch/options.h"
#include "policy/batch/planning_policy.h"
#include "policy/core/algorithm.h"
#include "policy/dynp/decider.h"
#include "policy/dynp/quality.h"

namespace dfrs {

struct DynpAlgorithm {
  enum class Decider : std::uint8_t { basic, simple, advanced };

  Decider decider = Decider::advanced;
  BasicBounds bounds;           ///< basic: 0 < lower <= upper
  std::uint32_t threshold = 5;  ///< basic: decide only if at least this many jobs wait, with the new one
  ScheduleQuality quality = ScheduleQuality::response_by_width;
  /// Self-tuning: a schedule must beat that of the current policy by this fraction, in [0, 1), to replace it.
  double slack = 0;
  ReducedFuture future;  ///< self-tuning
  /// Self-tuning: the policies share one queue. The chosen one sorts it: FCFS by submission, SJF and LJF by estimate;
  /// LJF takes jobs from the end. FCFS is judged by a plan of the queue in its present order, with new jobs at the end.
  /// If it is then chosen, it sorts the queue and makes a new plan. False: each policy has a queue in its own order.
  bool shared_queue = false;
};

/// One call of a decider.
struct DynpDecision {
  Seconds now = 0;
  std::size_t backlog = 0;           ///< waiting jobs, including those that start at this instant
  std::optional<DeciderCase> found;  ///< self-tuning only
  QueueOrder before = QueueOrder::fcfs;
  QueueOrder after = QueueOrder::fcfs;
};

/// Collects statistics. Does not influence decisions.
class DynpListener {
 public:
  virtual ~DynpListener() = default;
  virtual void on_decision(const DynpDecision& decision) = 0;
  virtual void on_start(JobSlot job, QueueOrder policy) = 0;
};

/// The algorithm with its name: "dynP/basic", "dynP/advanced/ARTwW/slack=0.05", ... (policy/dynp/family.cc). `listener`
/// may be null and must outlive the policies that the algorithm makes; with one, run one simulation at a time.
Algorithm named(const DynpAlgorithm& algorithm, DynpListener* listener = nullptr);

/// Cost per event: three placements in a plan per waiting job if self-tuning (four when FCFS takes over a shared
/// queue), otherwise at most one. See ConservativePolicy for the cost of a placement.
class DynpPolicy final : public PlanningPolicy {
 public:
  /// `listener` may be null; else it must outlive the policy.
  DynpPolicy(const DynpAlgorithm& algorithm, const BatchOptions& options, DynpListener* listener)
      : PlanningPolicy(options), algorithm_(algorithm), listener_(listener) {}

 private:
  void step(const ClusterView& view, const Estimates& estimates, std::span<const Event> events, ClusterState& state,
            Outcome& outcome) override;
  void tune(const ClusterView& view, const ClusterState& state);
  bool decide_by_estimates(Seconds now);
  std::span<const JobSlot> standing_queue();
  void replan(const ClusterView& view, const ClusterState& state);
  void report(DynpDecision decision);

  DynpAlgorithm algorithm_;
  DynpListener* listener_;
  QueueOrder policy_ = QueueOrder::fcfs;
  PlanningQueue::QueueChanges changes_;
  Timetable timetable_;  // of the current plan
  Timetable base_;       // running jobs and reservations alone
  std::array<Timetable, 3> virtual_timetables_;
  std::array<Plan, 3> virtual_plans_;
  Plan scratch_;
  std::vector<JobSlot> standing_;     // the queue that the policies share
  std::vector<std::uint8_t> is_new_;  // by slot: has arrived since the queue was sorted
  std::vector<JobSlot> started_;
};

}  // namespace dfrs
