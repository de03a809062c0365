// SPDX-License-Identifier: GPL-2.0-or-later
// What the controller knows of a job: facts as Slurm last showed them (or as an operation just left them), the
// policy's wish, progress, and history. Plain data; the parts of the controller that own a field say so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/core/measured_need.h"
#include "policy/core/units.h"
#include "policy/core/view.h"
#include "shim/controller.h"

namespace dfrs::shim {

/// What the policy wants of a job.
enum class Wish : std::uint8_t {
  none,     ///< the engine does not know it: blocked, backing off, ending
  waiting,  ///< in the queue, never placed
  running,  ///< on Job::target
  paused,
};

/// How a job is paused.
enum class PauseWay : std::uint8_t { none, suspend, requeue };

struct Job {
  // ---- identity (identity.h) ----
  std::uint32_t id = 0;
  std::uint32_t restarts = 0;
  std::int64_t submit = 0;  ///< Slurm's, of this run; a requeue sets it anew
  std::uint32_t user = 0;

  // ---- facts (observer.h, results.h) ----
  dfrs_job_phase phase = DFRS_JOB_BLOCKED;
  std::uint32_t flags = 0;  ///< dfrs_job_flag
  std::uint32_t tasks = 1;
  std::uint32_t cpus_per_task = 1;
  std::uint64_t memory_per_task = 0;      ///< MiB
  std::uint32_t time_limit = UINT32_MAX;  ///< minutes
  std::int64_t begin_time = 0;
  std::int64_t end_time = 0;
  std::uint32_t priority = 0;  ///< Slurm's
  std::uint32_t qos_priority = 0;
  double fair_share = -1;  ///< below 0: not known
  std::string name, partition, comment, blocked_reason;
  std::vector<NodeIndex> at;        ///< node of each task, ascending; where it runs or is suspended, else empty
  std::vector<NodeIndex> last_at;   ///< where its last run was
  std::vector<std::uint64_t> mask;  ///< eligible nodes as in the snapshot; empty: all
  NodeSet eligible;                 ///< the same for the policy
  bool exclusive = false;           ///< its flag, as it was when it took its nodes
  bool shares = false;       ///< exclusive, but found sharing nodes all the same: it cannot be shown as exclusive
  bool keeps_memory = true;  ///< while suspended by its user: Slurm keeps it for the job, unless we had taken it before
  std::uint64_t seen = 0;    ///< number of the snapshot that showed it last

  // ---- wish (engine_driver.h) ----
  Wish wish = Wish::none;
  JobSlot slot = kNoSlot;
  std::vector<NodeIndex> target;  ///< wish running: a node per task, ascending
  double yield = 0;               ///< wish running
  double given = 0;               ///< the yield of its quota where it runs: `yield`, but for one that is leaving
  PauseWay way = PauseWay::none;  ///< wish paused, or moving: how its run ends
  bool known_to_policy = false;   ///< was submitted to an engine before
  bool enter_quietly = false;     ///< comes (back) to the policy as one that waits already: it forces nobody out
  bool can_suspend = false;       ///< now (pause_rules.h)
  bool can_requeue = false;
  Seconds pausable_at = 0;  ///< running, in no way pausable: when it may become so by itself (kNever: unknown)

  // ---- weight (weights.h) ----
  double weight = 1;        ///< for the policy
  double weight_value = 0;  ///< what it is made of; 0: nothing

  // ---- CPU need (needs.h); parts of what it asks for ----
  double need = 1;        ///< as the policy knows it
  MeasuredNeed measured;  ///< as last measured
  struct CpuSample {
    double cpu_seconds = 0;
    Seconds at = 0;
  };
  std::vector<CpuSample> samples;  ///< the last ones that count, by distinct node of `at`; empty: a new beginning
  double sampled_quota = 0;        ///< the least quota since then, in parts of what it asks for

  // ---- what a pause or a move would cost now (pause_costs.h) ----
  Seconds pause_cost = -1;  ///< negative: neither may be, or not known
  Seconds move_cost = -1;
  double swapped_mib = -1;   ///< suspended: in swap at the last look, on the node with most of it; negative: not seen
  Seconds swapped_at = 0;    ///< when that was so
  double page_out_rate = 0;  ///< MiB/s, the fastest seen of the page-out under way
  std::uint32_t page_out_looks = 0;  ///< so many times in a row it was seen to go on
  Seconds requeued_to_move = 0;      ///< when its run was ended to go on elsewhere at once; 0: was not

  // ---- offers to the policy (offers.h) ----
  Seconds told_at = 0;              ///< when it came to the policy as a new one, last
  Seconds offer_at = 0;             ///< waiting: comes again then; 0: no
  std::uint32_t offered_again = 0;  ///< so often in this wait

  // ---- progress (clock.h) ----
  VirtualClock clock;
  bool raise_unconfirmed = false;  ///< the clock still runs at a lower yield: the agents have yet to take the new one
  Seconds run_base = 0;            ///< clock's reading when this run began

  // ---- history ----
  Seconds release = 0;  ///< since when it could have run; 0: not yet
  Seconds started = 0;  ///< first start seen
  std::uint32_t pauses = 0;
  std::uint32_t moves = 0;
  std::uint32_t lost_runs = 0;
  Seconds lost_work = 0;

  // ---- requeues of ours ----
  bool requeue_asked = false;  ///< REQUEUE was asked for run `requeue_asked_of`
  std::uint32_t requeue_asked_of = 0;
  bool requeue_again = false;   ///< was asked for by a slurmctld that may have ended before it did it: asked again
  bool requeued_by_us = false;  ///< waits for its next start after a requeue of ours
  std::int64_t requeue_begin_time = 0;  ///< the begin time that Slurm set with it; 0: not seen yet
  Seconds start_not_before = 0;         ///< see kCredentialWait

  // ---- tries ----
  Seconds retry_at = 0;          ///< not shown to the policy before
  std::uint32_t refusals = 0;    ///< in a row
  Seconds busy_since = 0;        ///< the first BUSY of those in a row; 0: none
  std::string refusal;           ///< why
  bool leave = false;            ///< taken from the policy at the next step
  bool suspend_refused = false;  ///< for this run
  bool requeue_refused = false;  ///< for this run
  bool to_resync = false;        ///< its wish was contradicted: the policy starts again from what is

  // ---- what was asked beside ----
  std::int64_t end_time_asked = 0;
  Seconds end_time_retry = 0;
  Seconds suspended_at = 0;        ///< by us, last
  Seconds suspend_not_before = 0;  ///< see kSuspendAfterStart, kSuspendTakes
  Seconds comment_at = 0;          ///< last change by us

  bool in_engine() const { return wish != Wish::none; }
  bool has(dfrs_job_flag flag) const { return (flags & flag) != 0; }
  /// Holds nodes: runs or is suspended by us.
  bool running() const { return phase == DFRS_JOB_RUNNING; }
  bool suspended() const { return phase == DFRS_JOB_SUSPENDED && !has(DFRS_JOB_USER_SUSPENDED); }
  bool user_suspended() const { return phase == DFRS_JOB_SUSPENDED && has(DFRS_JOB_USER_SUSPENDED); }
  /// For Slurm only: nothing of it is on its node.
  bool lost() const { return has(DFRS_JOB_LOST) && has(DFRS_JOB_MAY_REQUEUE) && !requeue_refused && in_engine(); }
  bool queued() const { return phase == DFRS_JOB_PENDING || phase == DFRS_JOB_REQUEUING; }
  dfrs_job_key key() const { return {id, restarts, submit}; }
  Seconds virtual_time(Seconds now) const { return clock.at(now); }
  Seconds run_virtual_time(Seconds now) const { return clock.at(now) - run_base; }
};

}  // namespace dfrs::shim
