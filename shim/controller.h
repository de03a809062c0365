/* SPDX-License-Identifier: GPL-2.0-or-later
 * The C ABI between the sched plugin (C, inside slurmctld) and the controller: the engine with its live state.
 *
 * One round of the sched thread:
 *   1. read locks: fill a struct dfrs_snapshot; unlock
 *   2. dfrs_controller_step: what has changed, what the policy decides, and which operations carry that out
 *   3. dfrs_controller_deliver: quotas go to the node agents before jobs start under them (waits, bounded)
 *   4. write locks, in small batches: check that each job is still the one meant, carry its operation out; unlock
 *   5. dfrs_controller_applied: what came of each; if it says so, dfrs_controller_deliver again
 *   6. started jobs are launched
 * Operations are idempotent in effect: what was not carried out (busy, stale) is asked for again by a later step as
 * long as the policy wants it.
 *
 * No function throws or aborts, or blocks for longer than its comment says. Use a controller from one thread at a time,
 * except for calls marked "any thread". Strings are UTF-8; the callee keeps no pointer to them.
 */
#ifndef DFRS_SHIM_CONTROLLER_H
#define DFRS_SHIM_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Incremented at each change of this header; the plugin compares it with dfrs_controller_abi(). */
#define DFRS_CONTROLLER_ABI 9
uint32_t dfrs_controller_abi(void);

struct dfrs_controller;

struct dfrs_controller_paths {
  const char* conf_file;   /* dfrs.conf */
  const char* state_dir;   /* StateSaveLocation */
  const char* auth_type;   /* AuthType: "auth/munge" or "auth/slurm"; NULL: auth/munge */
  const char* auth_socket; /* with auth/munge; NULL: its default */
  const char* cluster_name;
  uint32_t slurm_user_id;
  void (*wake)(void); /* requests a step soon, after a command of dfrsctl; any thread; may be NULL */
  /* slurmctld goes on with jobs under way (reconfiguration, takeover): a wrong dfrs.conf leaves the last good one in
   * force. The same holds for every controller of a process but the first. */
  bool goes_on;
};

/* The log of the host: level 1 error, 2 warning ("info" in slurmctld), 3 verbose, 4 debug. Any thread. */
typedef void (*dfrs_log_fn)(int level, const char* message);

/* Creates a controller: reads dfrs.conf and the state file, and starts the threads that deliver quotas and serve the
 * control port. On an error NULL, and a one-line message in err. */
struct dfrs_controller* dfrs_controller_create(const struct dfrs_controller_paths* paths, dfrs_log_fn log, char* err,
                                               size_t err_size);
/* Saves state, stops the threads (at most 2 s). */
void dfrs_controller_destroy(struct dfrs_controller* controller);
/* Reads dfrs.conf again. On an error -1 and a one-line message, which says what stays in force: the old one. */
int dfrs_controller_reconfigure(struct dfrs_controller* controller, char* err, size_t err_size);
/* How many managed partitions there are, and their names, which are valid until reconfigure or destroy. */
size_t dfrs_controller_partitions(const struct dfrs_controller* controller, const char* const** names);
/* Whether stock backfill should run beside us for the other partitions (StockBackfill=yes). */
bool dfrs_controller_stock_backfill(const struct dfrs_controller* controller);

/* Whether jobs are saved before they are launched, or right after (SaveBeforeLaunch). */
bool dfrs_controller_save_before_launch(const struct dfrs_controller* controller, bool saves_take_long);

/* QuotaWait of the configuration, in ms: the wait to pass to dfrs_controller_deliver. */
uint32_t dfrs_controller_quota_wait(const struct dfrs_controller* controller);

/* Members of dfrs_job that slurmctld must lock to read, and that only some configurations (Weight) use. In a snapshot
 * those that are not wanted may have the values of a job that has none. */
enum dfrs_want {
  DFRS_WANT_QOS = 1 << 0,        /* qos_priority */
  DFRS_WANT_FAIR_SHARE = 1 << 1, /* fair_share */
};
/* The wanted members, bits of enum dfrs_want; constant until reconfigure. */
uint32_t dfrs_controller_wants(const struct dfrs_controller* controller);

/* ---- Slurm's state ---------------------------------------------------------------------------------------------- */

/* One run of a job. A requeue increments restarts; submit distinguishes jobs that reuse a number. */
struct dfrs_job_key {
  uint32_t job_id;
  uint32_t restarts; /* restart_cnt */
  int64_t submit;    /* details->submit_time, s since the epoch */
};

enum dfrs_job_phase {
  DFRS_JOB_BLOCKED,   /* pending, but it may not start yet: held, dependency, licence, limit, begin time */
  DFRS_JOB_PENDING,   /* could start now */
  DFRS_JOB_REQUEUING, /* pending and completing: the last run is being cleaned up */
  DFRS_JOB_RUNNING,   /* running or configuring */
  DFRS_JOB_SUSPENDED,
  DFRS_JOB_ENDING, /* completing or finished: the policy has no say; its nodes may still run an epilog */
};

enum dfrs_job_flag {
  DFRS_JOB_BATCH = 1 << 0,
  DFRS_JOB_MAY_REQUEUE = 1 << 1,    /* batch, and not --no-requeue */
  DFRS_JOB_CHECKPOINTS = 1 << 2,    /* submitted as one that continues from its own checkpoint */
  DFRS_JOB_EXCLUSIVE = 1 << 3,      /* shares its nodes with no other job */
  DFRS_JOB_STOCK_PLACED = 1 << 4,   /* GRES or a special layout: the policy decides when, the selector where */
  DFRS_JOB_USER_SUSPENDED = 1 << 5, /* by scontrol suspend, not by us: leave it alone */
  DFRS_JOB_ARRAY_META = 1 << 6,     /* stands for the tasks of an array that have not been split off */
  DFRS_JOB_LOST = 1 << 7,           /* RUNNING or SUSPENDED in Slurm's records only: its node does not have it */
  DFRS_JOB_CONFIGURING = 1 << 8,    /* RUNNING, but its nodes boot or PrologSlurmctld runs: it is not launched yet */
};

struct dfrs_job {
  struct dfrs_job_key key;
  uint32_t user_id;
  uint32_t flags; /* enum dfrs_job_flag */
  enum dfrs_job_phase phase;
  uint32_t tasks;           /* >= 1 */
  uint32_t cpus_per_task;   /* >= 1 */
  uint64_t memory_per_task; /* MiB */
  uint32_t time_limit;      /* minutes; UINT32_MAX: none */
  uint32_t priority;        /* Slurm's */
  uint32_t qos_priority;    /* of the job's QOS; 0: none */
  double fair_share;        /* Slurm's fair-share factor of its association, 0 to 1; negative: none */
  int64_t begin_time;       /* s; earliest start, 0: none */
  int64_t eligible_time;    /* s; from when on its user let it run; 0: submit */
  int64_t start_time;       /* s; of this run; 0: not started */
  int64_t end_time;         /* s; when slurmctld will end it at its time limit; 0: none */
  uint32_t steps;           /* that its sruns have created in this run */
  const char* name;
  const char* partition;
  const char* comment;        /* the user's, with our tag if there is one; NULL: none */
  const char* blocked_reason; /* why BLOCKED, for people; NULL otherwise */
  /* Placement of this run (RUNNING, SUSPENDED): indices into dfrs_snapshot.nodes, ascending, and tasks on each. */
  uint32_t node_count;
  const uint32_t* nodes;
  const uint16_t* node_tasks;
  /* Nodes it may use: bit i % 64 of word i / 64 stands for dfrs_snapshot.nodes[i]. NULL: all of them. */
  const uint64_t* eligible;
};

struct dfrs_node {
  const char* name;
  const char* address; /* to reach its agent */
  uint16_t slurmd_port;
  uint32_t cpus;
  uint64_t memory;       /* MiB for jobs: RealMemory less MemSpecLimit */
  uint32_t foreign_cpus; /* of jobs that are not ours */
  uint64_t foreign_memory;
  bool usable;     /* up, not draining, not reserved, not held exclusively by a foreign job */
  bool completing; /* a job is being cleaned up here; Slurm starts nothing on it until that is done */
};

struct dfrs_snapshot {
  double now;               /* s since the epoch, to the microsecond */
  uint64_t node_generation; /* changes whenever the list of nodes does (names, order) */
  const struct dfrs_node* nodes;
  size_t node_count;
  const struct dfrs_job* jobs; /* all jobs of managed partitions */
  size_t job_count;
};

/* ---- what to do ------------------------------------------------------------------------------------------------- */

enum dfrs_operation_kind {
  DFRS_OP_START,    /* run it on exactly these nodes (STOCK_PLACED: on some of these) */
  DFRS_OP_SUSPEND,  /* stop it where it is and free its memory */
  DFRS_OP_RESUME,   /* continue a suspended job where it is */
  DFRS_OP_REQUEUE,  /* end this run and keep the job in the queue */
  DFRS_OP_END_TIME, /* set when Slurm ends it: time limits count virtual time */
  DFRS_OP_COMMENT,  /* set its comment (the user's words with our tag) */
};
/* What an operation is called in messages, such as "start" or "end time". */
const char* dfrs_operation_name(enum dfrs_operation_kind kind);

struct dfrs_operation {
  enum dfrs_operation_kind kind;
  struct dfrs_job_key key;
  bool after_requeue;    /* START: lift the wait (BeginTime) that Slurm sets at a requeue */
  uint32_t node_count;   /* START */
  const uint32_t* nodes; /* indices into the snapshot's nodes */
  const uint16_t* node_tasks;
  int64_t end_time; /* END_TIME */
  const char* text; /* COMMENT: NULL clears */
};

enum dfrs_result_code {
  DFRS_DONE,
  DFRS_STALE,   /* the job has changed: it is gone, or in another run or state */
  DFRS_BUSY,    /* not now (a node is completing, memory is not free yet): ask again */
  DFRS_BLOCKED, /* Slurm's own rules forbid it now: dependency, licence, limit, reservation */
  DFRS_REFUSED, /* Slurm refuses it for this job: see reason */
};

struct dfrs_result {
  enum dfrs_result_code code;
  uint32_t job_id;  /* START: of the job that now runs (an array task gets its own number), else 0 */
  char reason[128]; /* for people, when not DONE */
};

struct dfrs_operations {
  const struct dfrs_operation* list; /* valid until the next step */
  size_t count;
  double wake_at; /* s since the epoch; the latest time of the next step */
};

/* Reads the snapshot, asks the policy for decisions if something has changed, and lists the operations that follow. 0;
 * on an error, which is logged, -1: there are no operations then, and the next step starts over from Slurm's state.
 * CPU-bound: other threads write the record and the state file. */
int dfrs_controller_step(struct dfrs_controller* controller, const struct dfrs_snapshot* snapshot,
                         struct dfrs_operations* operations);
/* Sends the quotas of the last step to the agents concerned, and waits at most wait_ms for those of jobs that the last
 * step starts or resumes. True if all have answered. What could not be delivered stays pending and is retried. */
bool dfrs_controller_deliver(struct dfrs_controller* controller, uint32_t wait_ms);
/* Results of operations of the last step, by index into its list; those not named count as not tried. True: tasks of
 * arrays have become jobs of their own, whose quotas are to be delivered before they are launched. */
bool dfrs_controller_applied(struct dfrs_controller* controller, const size_t* index, const struct dfrs_result* results,
                             size_t count, double now);

#ifdef __cplusplus
}
#endif
#endif
