// SPDX-License-Identifier: GPL-2.0-or-later
// Who holds memory that Triage cannot take back without loss.
//
// Where pauses are free, a job that fills memory gives way to the next. Where a pause would lose the run, or nothing
// may be paused, jobs of seconds wait behind whatever fills the memory. Then shares decide:
//
// - Order. Of the jobs that may not be paused without loss, those go first whose user holds least: urgency is divided
// by
//   1 + CROWD x held / N, held being the memory of such jobs of this user with the same number of tasks, and N that of
//   all nodes. A task of which k fit into a node of average size counts as a k-th of that: with tasks of 0.4 of a node,
//   two on each, memory is full.
// - Threshold, for jobs that may never be paused: with u held by the user and U by all users, a job of size s starts
// only
//   if u + s <= SHARE (N - U - s), as in switches with shared buffers: the fuller the memory, the smaller the share
//   of one user, and some memory always stays free for others. A user who holds nothing with jobs of that number of
//   tasks starts wherever the job fits: it is likely another program, and may be a short one.
// - Probes: over the threshold a job may still start, after all others: of these jobs the latest submission first, if s
//   is at most 0.3 (N - U), and if every such job of the user that runs has a progress of PROBE x s / (N - U). Short
//   probes leave at once, and the next one starts; long ones fill what is left ever more slowly. Jobs of a series are
//   much alike: those submitted last are least like those that run and hold the memory. No probe starts while a job
//   that may never be paused, and is no probe, waits for memory. PROBE is divided by the cube of the part of all jobs
//   in the system that cannot be paused without loss: where others could give way to short jobs, long probes do more
//   harm.
// - Time limits, if they are used: there is no threshold for a job whose limit is an hour or less. While no job in the
//   system may ever be paused, urgency is also divided by limit / 10 s.
//
// A user whose jobs are the only ones in the system shares with nobody: there is no threshold.
//
// Users that are not known (0) have no shares: their jobs start as memory allows.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/triage/decision_context.h"
#include "policy/triage/kind_numbers.h"

namespace dfrs::triage {

/// A probe takes at most this part of the memory left.
inline constexpr double kProbePart = 0.3;
/// Jobs of up to this time limit, in seconds, have no threshold.
inline constexpr Seconds kBriefLimit = 3600;

class MemoryShares {
 public:
  /// Takes stock of the placed jobs. O(jobs + nodes), O(1) if all jobs can be paused without loss.
  void count(const DecisionContext& context);
  /// A job has been placed since.
  void placed(const DecisionContext& context, JobSlot job);

  /// Whether some job may not be paused without loss. If not, shares change nothing.
  bool matter() const { return matter_; }
  /// Whether some job may not be paused without loss, and some job can be.
  bool mixed() const { return matter_ && kept_part_ > 0; }
  /// Whether no job in the system may ever be paused.
  bool all_stay() const { return matter_ && all_stay_; }
  /// The urgency by which a waiting job is attended to. It only falls as more jobs are placed.
  double urgency_by_share(const DecisionContext& context, JobSlot job) const;
  /// False if the job's user holds too much for it to start, except as a probe.
  bool may_start(const DecisionContext& context, JobSlot job) const;
  /// Whether a job that may not start otherwise may start as a probe.
  bool may_probe(const DecisionContext& context, JobSlot job) const;

 private:
  // A user who holds some.
  struct Holder {
    double held = 0;
    Seconds least_progress = kNever;  // of these jobs
  };
  // Jobs of the same user and number of tasks.
  struct Alike {
    double held = 0;
    bool any = false;
  };

  double size(const JobView& job) const;
  const Alike& alike(JobSlot slot, const JobView& job) const;
  const Holder& holder(JobSlot slot, const JobView& job) const;
  bool holds_alike(const DecisionContext& context, JobSlot slot) const;
  static std::uint64_t kind(const JobView& job) { return std::uint64_t{job.user} << 32 | job.tasks; }
  void add(JobSlot slot, const JobView& job, Seconds progress);

  bool matter_ = false;
  bool several_users_ = false;
  double kept_part_ = 0;   // of the jobs in the system that can be paused without loss
  bool all_stay_ = false;  // no job in the system may ever be paused
  double whole_ = 0;       // memory of all nodes, MiB
  RigidAmount node_ = 0;   // of a node on average
  double held_ = 0;        // of it by all jobs that may not be paused without loss
  KindNumbers<std::uint32_t> users_;
  KindNumbers<std::uint64_t> kinds_;
  std::vector<Holder> by_user_;  // by number
  std::vector<Alike> by_kind_;   // by number
};

}  // namespace dfrs::triage
