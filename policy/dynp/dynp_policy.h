// SPDX-License-Identifier: GPL-2.0-or-later
// The dynP scheduler family: FCFS, SJF and LJF with conservative backfilling on full schedules, one of them at a time
// (Streit 2003, section 3; slackness and reduced future are its section 6).
//
// - basic: when a job is submitted and enough jobs wait, their average estimate chooses the policy, and all are planned
//   again.
// - self-tuning: whenever a job is submitted or ends and two or more jobs wait, all three policies make a full
//   schedule, and a decider chooses by the quality of these; the chosen schedule holds.
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
  std::uint32_t threshold = 5;  ///< basic: decide only if so many jobs wait, the new one included
  ScheduleQuality quality = ScheduleQuality::response_by_width;
  /// Self-tuning: another policy's schedule must be better than that of the present one by this share of it, 0 .. < 1.
  double slack = 0;
  ReducedFuture future;  ///< self-tuning
};

/// One call of a decider.
struct DynpDecision {
  Seconds now = 0;
  std::size_t backlog = 0;           ///< jobs waiting when it was asked, those included that start right away
  std::optional<DeciderCase> found;  ///< self-tuning only
  QueueOrder before = QueueOrder::fcfs;
  QueueOrder after = QueueOrder::fcfs;
};

/// For statistics. Has no say in what is decided.
class DynpListener {
 public:
  virtual ~DynpListener() = default;
  virtual void on_decision(const DynpDecision& decision) = 0;
  virtual void on_start(JobSlot job, QueueOrder policy) = 0;
};

/// "dynP/basic", "dynP/advanced/ARTwW/slack=0.05", ... (policy/dynp/family.cc). With a listener, which may be null and
/// must outlive what is made of the policy, it is good for one simulation at a time.
Algorithm named(const DynpAlgorithm& algorithm, DynpListener* listener = nullptr);

/// Cost: three placements in a plan per waiting job and event where it tunes itself, else one at most; as of
/// ConservativePolicy.
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
  void replan(const ClusterView& view, const ClusterState& state);
  void report(DynpDecision decision);

  DynpAlgorithm algorithm_;
  DynpListener* listener_;
  QueueOrder policy_ = QueueOrder::fcfs;
  PlanningQueue::QueueChanges changes_;
  Timetable timetable_;  // the plan that holds
  Timetable base_;       // running jobs and reservations alone
  std::array<Timetable, 3> virtual_timetables_;
  std::array<Plan, 3> virtual_plans_;
  Plan scratch_;
  std::vector<JobSlot> started_;
};

}  // namespace dfrs
