// SPDX-License-Identifier: GPL-2.0-or-later
// The state of a running controller as plain values, which the control port prints, and the functions that give them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "policy/core/decision.h"
#include "policy/core/units.h"
#include "record/story/words.h"
#include "shim/quota/node_agents.h"
#include "timeline/schedule.h"

namespace dfrs::shim {

enum class JobSituation : std::uint8_t {
  blocked,         ///< Slurm does not let it start: held, dependency, licence, limit, begin time
  waiting,         ///< the policy has not placed it yet
  backing_off,     ///< Slurm refused to start it; another attempt follows
  starting,        ///< the policy has placed it; Slurm has not started it yet
  running,         ///< on its nodes
  pausing,         ///< to be paused; Slurm has not done so yet
  moving,          ///< to continue on other nodes: its run is being ended
  suspended,       ///< paused on its nodes
  requeued,        ///< paused in the queue: its run was ended
  resuming,        ///< suspended, to continue where it is
  user_suspended,  ///< by scontrol suspend: the policy leaves it alone until it is resumed
};

/// "blocked", "waiting" ... : words for tables and JSON, with '-' between words.
const char* situation_name(JobSituation situation);

/// How far the checkpoint of a job has come.
enum class CheckpointStage : std::uint8_t {
  none,       ///< no attempt is being made
  freezing,   ///< its processes are being stopped
  dumping,    ///< they are being written
  complete,   ///< they are written; the requeue follows
  resuming,   ///< the attempt was given up; they are about to go on
  restoring,  ///< its run is to begin from an image, and its agents have not said so yet
};

/// "none", "freezing" ...
const char* stage_name(CheckpointStage stage);

/// Of a job with the mark CriuMark in a partition with PauseBy=checkpoint.
struct JobCheckpoints {
  CheckpointStage stage = CheckpointStage::none;
  bool possible = false;           ///< an attempt may begin now
  std::optional<std::string> why;  ///< it runs and cannot be checkpointed now: why
  std::uint32_t attempts = 0;
  std::uint32_t failed = 0;
  std::uint64_t bytes = 0;  ///< of the last image, on all nodes; 0: none
};

struct JobStatus {
  std::uint32_t job_id = 0;
  std::uint32_t user_id = 0;
  std::string name;
  std::string partition;
  JobSituation situation = JobSituation::blocked;
  double yield = 0;              ///< current; 0 unless running
  Seconds virtual_time = 0;      ///< progress
  Seconds run_virtual_time = 0;  ///< progress of this run, which the time limit counts
  Seconds flow_time = 0;         ///< since its release
  Seconds submit = 0;            ///< release date, s since the epoch
  Seconds started = 0;           ///< first start seen, s since the epoch; 0: none
  double priority = 0;           ///< flow time / virtual time^2; infinity without progress
  std::uint32_t tasks = 1;
  double cpus_per_task = 1;
  double cpu_need = 1;  ///< as the policy sees it, as a fraction of cpus_per_task, (0, 1]
  double weight = 1;    ///< for the policy
  /// What a pause would cost it now, in seconds of progress; negative: unknown, or it may not be paused.
  Seconds pause_cost = -1;
  std::uint64_t memory_per_task_mib = 0;
  std::uint32_t time_limit_minutes = std::numeric_limits<std::uint32_t>::max();  ///< maximum: none
  std::vector<std::pair<std::string, std::uint32_t>> nodes;                      ///< where it is: node and tasks there
  std::vector<std::pair<std::string, std::uint32_t>> target;  ///< where the policy wants it, if that is elsewhere
  std::uint32_t pauses = 0;
  std::uint32_t moves = 0;
  std::uint32_t lost_runs = 0;  ///< runs whose work was lost
  Seconds lost_work = 0;        ///< virtual time lost with them
  bool may_pause = false;       ///< now, by the rules of dfrs.conf, the job's flags and its nodes
  bool may_move = false;
  std::optional<JobCheckpoints> checkpoints;  ///< none: the job is not marked
  bool quota_pending = false;                 ///< one of its nodes has not applied its newest quota
  std::optional<std::string> reason;          ///< why it is not running, one line; nothing if it is
  std::optional<std::string>
      policy_reason;  ///< why the policy lets it wait or has paused it; nothing: it does not, or is not known
};

struct NodeStatus {
  std::string name;
  bool usable = true;
  bool completing = false;
  double cpus = 0;            ///< Slurm's
  double foreign_cpus = 0;    ///< held by foreign jobs
  double allocated_cpus = 0;  ///< sum of the jobs' yields x needs
  double demanded_cpus = 0;   ///< sum of the jobs' needs
  std::uint64_t memory_mib = 0;
  std::uint64_t foreign_memory_mib = 0;
  std::uint64_t used_memory_mib = 0;  ///< by running jobs of ours
  std::uint32_t jobs = 0;             ///< running here
  std::uint32_t suspended_jobs = 0;
  // The node's agent; not set with QuotaMode=off.
  bool agent_reachable = false;
  bool agent_current = false;                                  ///< it has applied the newest quotas
  double agent_age = std::numeric_limits<double>::infinity();  ///< s since its last answer
  tl::expected<void, std::string> agent_request;               ///< the last one to it; error: what went wrong
  std::uint64_t swap_total_mib = 0;
  std::uint64_t swap_free_mib = 0;
};

/// Since the controller was created.
struct CheckpointCounters {
  std::uint64_t attempts = 0;
  std::uint64_t completed = 0;     ///< all nodes have written their images
  std::uint64_t failed = 0;        ///< the job went on where it was
  std::uint64_t given_up = 0;      ///< the policy changed its mind
  std::uint64_t restored = 0;      ///< runs that began from an image
  std::uint64_t started_over = 0;  ///< runs that should have, and did not
  std::uint64_t bytes = 0;         ///< of all images of completed attempts
};

/// What checkpoints cost, as measured or as dfrs.conf says.
struct CheckpointRates {
  double write = 0;     ///< MiB/s of a node
  double read = 0;      ///< MiB/s of a node
  Seconds restart = 0;  ///< from the end of a run to the start of the next
};

struct ControllerStatus {
  std::string cluster;
  std::string algorithm;
  Seconds period = 0;
  bool enforce_quotas = true;
  tl::expected<void, std::string> config_in_force;  ///< error: why dfrs.conf is not, and what is
  Seconds now = 0;                                  ///< of the last step, s since the epoch; 0: there was none
  int utc_offset = 0;                               ///< of local time, in which reasons are told, then; s
  Seconds wake_at = 0;                              ///< latest time of the next step; infinity: only events trigger it
  std::uint64_t steps = 0;
  std::uint64_t decisions = 0;  ///< starts, pauses, moves, resumes decided since the controller was created
  std::uint64_t resyncs = 0;
  std::uint64_t errors = 0;
  std::optional<std::string> last_error;  ///< of a step; nothing: there was none
  std::uint64_t lost_runs = 0;            ///< since the state file began
  Seconds lost_work = 0;
  double last_step_ms = 0;  ///< wall time of the last step, decisions included
  double max_step_ms = 0;
  DeliveryCounters deliveries;  ///< of quotas
  CheckpointCounters checkpoints;
  CheckpointRates checkpoint_rates;
  std::vector<JobStatus> jobs;    ///< by id
  std::vector<NodeStatus> nodes;  ///< in Slurm's order
};

/// A decision on a job's placement, as in Decisions.
struct PlannedDecision {
  DecisionKind kind = DecisionKind::start;
  std::uint32_t job_id = 0;
  std::vector<std::pair<std::string, std::uint32_t>> from;  ///< node and tasks there
  std::vector<std::pair<std::string, std::uint32_t>> to;
};

struct PlannedYield {
  std::uint32_t job_id = 0;
  double from = 0;  ///< 0: it does not run
  double to = 0;    ///< (0, 1]
};

struct RepackPlan {
  std::string algorithm;  ///< that made the plan
  std::vector<PlannedDecision> decisions;
  std::vector<PlannedYield> yields;
  double min_yield_before = 0;  ///< of running jobs; 0: none runs
  double min_yield_after = 0;
};

/// What `dfrsctl explain` tells of a job.
struct JobExplanation {
  std::vector<std::string> lines;  ///< for people: what it does now and why, then what happened to it
  record::Story story;             ///< what the policy decided, event by event; the newest ones
  record::StoryNames names;
  record::Totals totals;  ///< of the story, until now
};

/// What the controller has observed since it started, or since it has forgotten what was before.
struct ObservedPast {
  timeline::Schedule schedule;
  double reference_cpus = 1;  ///< CPUs of the largest node
};

/// Read access to a running controller. Any thread.
class Inspection {
 public:
  virtual ~Inspection() = default;
  /// O(jobs + nodes + tasks).
  virtual ControllerStatus status() const = 0;
  /// Why the job waits, or where it runs and why. Error: there is no such job.
  virtual tl::expected<JobExplanation, std::string> explain(std::uint32_t job_id) const = 0;
  /// What a repack of all jobs would do now; changes nothing. Error: there was no snapshot yet, or the engine's.
  virtual tl::expected<RepackPlan, std::string> repack_dry_run() const = 0;
  /// What ran where in the last hours. O(n log n) for n jobs, stays, nodes and yields.
  virtual ObservedPast past() const = 0;
};

}  // namespace dfrs::shim
