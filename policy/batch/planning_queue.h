// SPDX-License-Identifier: GPL-2.0-or-later
// What planning batch policies share: running and waiting jobs with their estimates, queue orders, and full schedules,
// which give every job in the system a start (Streit, "A Self-Tuning Job Scheduler Family with Dynamic Policy
// Switching", JSSPP 2003, section 5).
//
// A full schedule contains the running jobs up to their estimated ends, then advance reservations at the starts asked
// for, then variable jobs in the order of a policy, each at the earliest start that delays none placed before it
// (conservative backfilling). A job that has outlasted its estimate is expected to end at any moment.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/batch/availability_profile.h"
#include "policy/batch/node_profile.h"
#include "policy/core/policy.h"

namespace dfrs {

/// The order in which waiting jobs are placed; ties keep the order of submission (Streit 2003, section 1).
enum class QueueOrder : std::uint8_t {
  fcfs,  ///< first come, first served
  sjf,   ///< shortest estimate first
  ljf,   ///< longest estimate first
};
inline constexpr std::array<QueueOrder, 3> kQueueOrders{QueueOrder::fcfs, QueueOrder::sjf, QueueOrder::ljf};

/// "FCFS", "SJF", "LJF".
const char* queue_order_name(QueueOrder order);

/// What a plan knows of a job.
struct PlanJob {
  Seconds submit = 0;
  Seconds duration = 0;      ///< the estimate, > 0
  Seconds reserved = 0;      ///< start asked for in advance; not after `submit`: a variable job
  Processors nodes = 0;      ///< whole nodes that it takes; on unequal nodes, the least number
  std::uint64_t order = 0;   ///< of submission
  Seconds planned = kNever;  ///< start in the current plan
  bool variable() const { return !(reserved > submit); }
};

struct PlannedStart {
  JobSlot job = kNoSlot;
  Seconds start = kNever;  ///< kNever: it can never run on these nodes
  Seconds end = kNever;
};
/// A schedule of the variable jobs.
using Plan = std::vector<PlannedStart>;

/// When nodes are free: their number if all are alike, otherwise node by node.
struct Timetable {
  struct Held {
    JobSlot job;
    std::vector<NodeIndex> nodes;  ///< one per task
  };
  AvailabilityProfile count;
  NodeProfile nodes;
  std::vector<Held> due;  ///< on unequal nodes: the nodes of jobs that start when the timetable begins
};

class PlanningQueue {
 public:
  struct Running {
    Seconds end;  ///< by the estimate
    JobSlot job;
    Processors nodes;
  };
  struct QueueChanges {
    bool resync = false;           ///< everything was taken from the view, and no plan is valid
    bool ended = false;            ///< a job has left, or a resync has found running jobs
    std::vector<JobSlot> arrived;  ///< in order of submission
  };

  explicit PlanningQueue(bool pack_tasks) : pack_tasks_(pack_tasks) {}

  /// Takes events into the queue. O(running + waiting) per event at worst.
  void take(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
            const ClusterState& state, QueueChanges& changes);

  /// The waiting variable jobs, in this order.
  std::span<const JobSlot> waiting(QueueOrder order) const { return orders_[static_cast<std::size_t>(order)]; }
  /// The jobs that wait for a reserved start, in order of submission.
  std::span<const JobSlot> reservations() const { return reservations_; }
  /// The running jobs, by estimated end.
  std::span<const Running> running() const { return running_; }
  const PlanJob& job(JobSlot slot) const { return jobs_[slot]; }
  /// Whether all nodes are alike and open to all jobs.
  bool equal_nodes() const { return uniform_; }
  /// Whether some job has outlasted its estimate, so that no plan made before `now` is reliable.
  bool overdue(Seconds now) const { return !running_.empty() && running_.front().end <= now; }

  /// Makes a timetable of the running jobs and reservations, and sets the planned starts of the latter. A reservation
  /// that running jobs or earlier reservations rule out gets the earliest start after its own. O(running) and a place()
  /// per reservation.
  void begin_plan(const ClusterView& view, const ClusterState& state, Timetable& timetable);
  /// The job's earliest start >= not_before, which it takes in the timetable. kNever if there is none.
  Seconds place(const ClusterView& view, const ClusterState& state, JobSlot job, Seconds not_before,
                Timetable& timetable);
  /// Adds all variable jobs to the timetable, in this order. A place() per job.
  void plan(const ClusterView& view, const ClusterState& state, QueueOrder order, Timetable& timetable, Plan& plan) {
    plan_jobs(view, state, waiting(order), timetable, plan);
  }
  /// Adds these variable jobs to the timetable. A place() per job.
  void plan_jobs(const ClusterView& view, const ClusterState& state, std::span<const JobSlot> jobs,
                 Timetable& timetable, Plan& plan);

  /// Plans all jobs in this order and makes that the current plan. A place() per job.
  void plan_all(const ClusterView& view, const ClusterState& state, QueueOrder order, Timetable& timetable, Plan& plan);
  /// Adds the jobs that arrived to the current plan. A place() per job.
  void plan_arrived(const ClusterView& view, const ClusterState& state, const QueueChanges& changes,
                    Timetable& timetable);

  /// Sets the job's start in the current plan.
  void set_planned(JobSlot job, Seconds start) { jobs_[job].planned = start; }
  /// Makes `plan` the current plan.
  void adopt(const Plan& plan);

  /// Starts the jobs that are planned for now: reservations, then variable jobs, in order of submission. `timetable` is
  /// that of the plan, which on unequal nodes must have been made at this instant. Appends the jobs to `started`.
  void start_due(const ClusterView& view, ClusterState& state, const Timetable& timetable, Outcome& outcome,
                 std::vector<JobSlot>& started);
  /// The earliest planned start that does not coincide with an event, which is that of a reservation; kNever if there
  /// is none.
  Seconds next_start(Seconds now) const;

 private:
  void reset(const ClusterView& view, const Estimates& estimates, const ClusterState& state, QueueChanges& changes);
  void submit(const ClusterView& view, const Estimates& estimates, const ClusterState& state, JobSlot job);
  void complete(JobSlot job);
  void forget_waiting(JobSlot job);
  bool start(const ClusterView& view, ClusterState& state, const Timetable& timetable, Outcome& outcome, JobSlot job);

  bool pack_tasks_;
  bool uniform_ = true;
  Processors free_ = 0;        // usable nodes without a job
  NodeIndex first_free_ = 0;   // all nodes below have jobs
  std::vector<PlanJob> jobs_;  // by slot
  std::array<std::vector<JobSlot>, 3> orders_;
  std::vector<JobSlot> reservations_;
  std::vector<Running> running_;
  std::vector<AvailabilityProfile::Release> releases_;
  std::vector<NodeIndex> nodes_;
  std::vector<JobSlot> due_;
  std::vector<std::uint32_t> tasks_by_node_;
};

}  // namespace dfrs
