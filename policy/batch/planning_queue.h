// SPDX-License-Identifier: GPL-2.0-or-later
// What planning batch policies share: running and waiting jobs with their estimates, queue orders, and full schedules,
// in which every job in the system has a start (Streit, "A Self-Tuning Job Scheduler Family with Dynamic Policy
// Switching", JSSPP 2003, section 5).
//
// A full schedule holds running jobs to their estimated ends, then advance reservations at the starts that were asked
// for, then variable jobs in the order of a policy, each at the earliest start that delays none placed before it:
// conservative backfilling. A job past its estimate is expected to end at any moment.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/batch/availability_profile.h"
#include "policy/batch/node_profile.h"
#include "policy/core/policy.h"

namespace dfrs {

/// The order in which waiting jobs are placed; equal ones keep the order of submission (Streit 2003, section 1).
enum class QueueOrder : std::uint8_t {
  fcfs,  ///< first come, first served
  sjf,   ///< shortest estimate first
  ljf,   ///< longest estimate first
};
inline constexpr std::array<QueueOrder, 3> kQueueOrders{QueueOrder::fcfs, QueueOrder::sjf, QueueOrder::ljf};

/// "FCFS", "SJF", "LJF".
const char* queue_order_name(QueueOrder order);

/// A job as plans see it.
struct PlanJob {
  Seconds submit = 0;
  Seconds duration = 0;  ///< the estimate, > 0
  Seconds reserved = 0;  ///< start asked for in advance; a variable job where it is not after `submit`
  Processors nodes = 0;  ///< whole nodes that it takes; on unequal nodes the least it may take
  std::uint64_t order = 0;
  Seconds planned = kNever;  ///< start in the plan that holds
  bool variable() const { return !(reserved > submit); }
};

/// A virtual schedule of the variable jobs.
struct PlannedStart {
  JobSlot job = kNoSlot;
  Seconds start = kNever;  ///< kNever: it can never run on the nodes there are
  Seconds end = kNever;
};
using Plan = std::vector<PlannedStart>;

/// When which nodes are free: counted where all are alike, one by one where they are not.
struct Timetable {
  struct Held {
    JobSlot job;
    std::vector<NodeIndex> nodes;  ///< one per task
  };
  AvailabilityProfile count;
  NodeProfile nodes;
  std::vector<Held> due;  ///< unequal nodes: of the jobs placed at the very start of the timetable
};

class PlanningQueue {
 public:
  struct Running {
    Seconds end;  ///< by the estimate
    JobSlot job;
    Processors nodes;
  };
  struct QueueChanges {
    bool resync = false;           ///< everything was taken from the view: no plan holds
    bool ended = false;            ///< a job left; or resync, and jobs run
    std::vector<JobSlot> arrived;  ///< in order of submission
  };

  explicit PlanningQueue(bool pack_tasks) : pack_tasks_(pack_tasks) {}

  /// Brings the queue up to date. O(running + waiting) per event at worst.
  void take(const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
            const ClusterState& state, QueueChanges& changes);

  /// Variable jobs that wait, in this order.
  std::span<const JobSlot> waiting(QueueOrder order) const { return orders_[static_cast<std::size_t>(order)]; }
  /// Jobs with a reserved start that wait for it, in order of submission.
  std::span<const JobSlot> reservations() const { return reservations_; }
  /// By estimated end.
  std::span<const Running> running() const { return running_; }
  const PlanJob& job(JobSlot slot) const { return jobs_[slot]; }
  /// All nodes alike and open to all jobs.
  bool equal_nodes() const { return uniform_; }
  /// Some job runs longer than estimated, so that no plan made before `now` can be relied on.
  bool overdue(Seconds now) const { return !running_.empty() && running_.front().end <= now; }

  /// The timetable with running jobs and reservations alone; sets the planned starts of the latter. A reservation that
  /// cannot be had at its time (running jobs, earlier reservations) gets the earliest start after it.
  /// O(running) and a place() per reservation.
  void begin_plan(const ClusterView& view, const ClusterState& state, Timetable& timetable);
  /// The earliest start >= not_before of the job; it is taken in the timetable.
  Seconds place(const ClusterView& view, const ClusterState& state, JobSlot job, Seconds not_before,
                Timetable& timetable);
  /// Places all variable jobs in this order behind what the timetable holds. A place() per job.
  void plan(const ClusterView& view, const ClusterState& state, QueueOrder order, Timetable& timetable, Plan& plan);

  /// Plans all jobs from now on, in this order, and lets the plan hold. A place() per job.
  void plan_all(const ClusterView& view, const ClusterState& state, QueueOrder order, Timetable& timetable, Plan& plan);
  /// Adds the jobs that arrived to the plan that holds. A place() per job.
  void plan_arrived(const ClusterView& view, const ClusterState& state, const QueueChanges& changes,
                    Timetable& timetable);

  /// This is when the job shall start from now on.
  void set_planned(JobSlot job, Seconds start) { jobs_[job].planned = start; }
  void adopt(const Plan& plan);

  /// Starts whatever is planned for now: reservations, then variable jobs, in order of submission. `timetable` is the
  /// one that the plan was made on; on unequal nodes at this very instant. Appends the jobs to `started`.
  void start_due(const ClusterView& view, ClusterState& state, const Timetable& timetable, Outcome& outcome,
                 std::vector<JobSlot>& started);
  /// The earliest planned start that comes without any event: of a reservation. kNever if there is none.
  Seconds next_start(Seconds now) const;

 private:
  void reset(const ClusterView& view, const Estimates& estimates, const ClusterState& state, QueueChanges& changes);
  void submit(const ClusterView& view, const Estimates& estimates, const ClusterState& state, JobSlot job);
  void complete(JobSlot job);
  void forget_waiting(JobSlot job);
  Processors nodes_for(const ClusterState& state, const JobView& job) const;
  bool start(const ClusterView& view, ClusterState& state, const Timetable& timetable, Outcome& outcome, JobSlot job);

  bool pack_tasks_;
  bool uniform_ = true;
  Processors capacity_ = 0;    // usable nodes
  Processors free_ = 0;        // of them without a job
  NodeIndex first_free_ = 0;   // no free node lies below
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
