/* SPDX-License-Identifier: GPL-2.0-or-later
 * The C ABI between the sched plugin (C, inside slurmctld) and the controller: the engine with its live state.
 *
 * One round of the sched thread:
 *   1. read locks: fill a struct dfrs_snapshot; unlock
 *   2. dfrs_controller_step: what has changed, what the policy decides, and which operations lead there
 *   3. dfrs_controller_deliver: quotas go to the node agents before jobs start under them (waits, bounded)
 *   4. write locks, in small batches: check that each job is still the one meant, carry its operation out; unlock
 *   5. dfrs_controller_applied: what came of each; if it says so, dfrs_controller_deliver again
 *   6. started jobs are launched
 * Operations are idempotent in effect: what was not carried out (busy, stale) is asked for again by a later step as
 * long as the policy wants it.
 *
 * No entry throws, aborts or blocks for longer than its header says. A controller is used by one thread at a time, but
 * for the calls marked "any thread". Strings are UTF-8, not owned by the callee after it returns.
 */
#ifndef DFRS_SHIM_CONTROLLER_H
#define DFRS_SHIM_CONTROLLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised at each change of what follows; the plugin checks it against dfrs_controller_abi(). */
#define DFRS_CONTROLLER_ABI 5
uint32_t dfrs_controller_abi(void);

struct dfrs_controller;

struct dfrs_controller_paths {
  const char* conf_file;    /* dfrs.conf */
  const char* state_dir;    /* StateSaveLocation */
  const char* munge_socket; /* NULL: MUNGE's default */
  const char* cluster_name;
  uint32_t slurm_user_id;
  void (*wake)(void); /* asks for a step soon, after an order from dfrsctl; any thread; may be NULL */
};

/* The log of the host: level 1 error, 2 warning ("info" in slurmctld), 3 verbose, 4 debug. Any thread. */
typedef void (*dfrs_log_fn)(int level, const char* message);

/* Creates a controller: reads dfrs.conf and the state file, starts the threads of quota delivery and of the control
 * port. NULL on an error, with a message of one line in err. */
struct dfrs_controller* dfrs_controller_create(const struct dfrs_controller_paths* paths, dfrs_log_fn log, char* err,
                                               size_t err_size);
/* Saves state, stops the threads (at most 2 s). */
void dfrs_controller_destroy(struct dfrs_controller* controller);
/* Reads dfrs.conf again. -1 on an error (the old configuration stays), with a message. */
int dfrs_controller_reconfigure(struct dfrs_controller* controller, char* err, size_t err_size);
/* Managed partitions of the configuration; valid until reconfigure or destroy. */
size_t dfrs_controller_partitions(const struct dfrs_controller* controller, const char* const** names);
/* Whether stock backfill should run beside us for the other partitions (StockBackfill=yes). */
bool dfrs_controller_stock_backfill(const struct dfrs_controller* controller);

/* QuotaWait of the configuration, ms: what dfrs_controller_deliver is to be given. */
uint32_t dfrs_controller_quota_wait(const struct dfrs_controller* controller);

/* What of dfrs_job the configuration (Weight) makes use of and what costs locks of slurmctld's; the rest of these may
 * be left as it is for jobs that have none. */
enum dfrs_want {
  DFRS_WANT_QOS = 1 << 0,        /* qos_priority */
  DFRS_WANT_FAIR_SHARE = 1 << 1, /* fair_share */
};
/* Of enum dfrs_want; the same until reconfigure. */
uint32_t dfrs_controller_wants(const struct dfrs_controller* controller);

/* ---- Slurm's state ---------------------------------------------------------------------------------------------- */

/* A run of a job. A requeue raises restarts; submit tells apart jobs that use a number again. */
struct dfrs_job_key {
  uint32_t job_id;
  uint32_t restarts; /* restart_cnt */
  int64_t submit;    /* details->submit_time, s since the epoch */
};

enum dfrs_job_phase {
  DFRS_JOB_BLOCKED,   /* pending, but not the policy's to start: held, dependency, licence, limit, not yet begin time */
  DFRS_JOB_PENDING,   /* could start now */
  DFRS_JOB_REQUEUING, /* pending and completing: the last run is being cleaned up */
  DFRS_JOB_RUNNING,   /* running or configuring */
  DFRS_JOB_SUSPENDED,
  DFRS_JOB_ENDING, /* completing or finished: not the policy's any more; its nodes may be busy with an epilog */
};

enum dfrs_job_flag {
  DFRS_JOB_BATCH = 1 << 0,
  DFRS_JOB_MAY_REQUEUE = 1 << 1,    /* batch, and not --no-requeue */
  DFRS_JOB_CHECKPOINTS = 1 << 2,    /* as submitted: it goes on from its checkpoint when started again */
  DFRS_JOB_EXCLUSIVE = 1 << 3,      /* shares its nodes with no other job */
  DFRS_JOB_STOCK_PLACED = 1 << 4,   /* GRES, or a layout the policy does not know: it says when, the selector where */
  DFRS_JOB_USER_SUSPENDED = 1 << 5, /* by scontrol suspend, not by us: leave it alone */
  DFRS_JOB_ARRAY_META = 1 << 6,     /* stands for the tasks of an array that have not been split off */
  DFRS_JOB_LOST = 1 << 7,           /* RUNNING, SUSPENDED: for Slurm only: its node knows nothing of it */
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
  uint32_t qos_priority;    /* of the job's QOS; 0: it has none */
  double fair_share;        /* Slurm's fair-share factor of its association, 0 to 1; below 0: there is none */
  int64_t begin_time;       /* s; earliest start, 0: none */
  int64_t eligible_time;    /* s; since when it could have run as far as its user is concerned; 0: submit */
  int64_t start_time;       /* s; of this run; 0: not started */
  int64_t end_time;         /* s; when slurmctld would end it for its limit; 0: none */
  const char* name;
  const char* partition;
  const char* comment;        /* the user's, with our tag if there is one; NULL: none */
  const char* blocked_reason; /* why BLOCKED, for people; NULL otherwise */
  /* Placement of this run (RUNNING, SUSPENDED): indices into dfrs_snapshot.nodes, ascending, and tasks on each. */
  uint32_t node_count;
  const uint32_t* nodes;
  const uint16_t* node_tasks;
  /* Nodes it may use, a bit for each index of dfrs_snapshot.nodes in words of 64; NULL: all of them. */
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
  bool usable;     /* up, not draining, not reserved, no foreign job that has it for itself */
  bool completing; /* a job is being cleaned up here: starts are refused until it is done */
};

struct dfrs_snapshot {
  double now;               /* s since the epoch, to the microsecond */
  uint64_t node_generation; /* changes whenever the list of nodes does (names, order) */
  const struct dfrs_node* nodes;
  size_t node_count;
  const struct dfrs_job* jobs; /* all of managed partitions */
  size_t job_count;
};

/* ---- what to do ------------------------------------------------------------------------------------------------- */

enum dfrs_operation_kind {
  DFRS_OP_START,    /* run it on exactly these nodes (STOCK_PLACED: on some of these) */
  DFRS_OP_SUSPEND,  /* stop it where it is, give its memory back */
  DFRS_OP_RESUME,   /* let a suspended job go on where it is */
  DFRS_OP_REQUEUE,  /* end this run, the job stays in the queue */
  DFRS_OP_END_TIME, /* set when its time limit strikes: the limit counts virtual time */
  DFRS_OP_COMMENT,  /* set its comment (the user's words with our tag) */
};

struct dfrs_operation {
  enum dfrs_operation_kind kind;
  struct dfrs_job_key key;
  bool after_requeue;    /* START: Slurm's wait after a requeue (BeginTime) is to be lifted */
  uint32_t node_count;   /* START */
  const uint32_t* nodes; /* indices into the snapshot's nodes */
  const uint16_t* node_tasks;
  int64_t end_time; /* END_TIME */
  const char* text; /* COMMENT: NULL clears */
};

enum dfrs_result_code {
  DFRS_DONE,
  DFRS_STALE,   /* the job is not what it was: gone, another run, another state */
  DFRS_BUSY,    /* not now (a node is completing, memory not free yet, a credential second): ask again */
  DFRS_BLOCKED, /* Slurm does not let it run now, for a reason of its own: dependency, licence, limit, reservation */
  DFRS_REFUSED, /* Slurm will not do it with this job: see reason */
};

struct dfrs_result {
  enum dfrs_result_code code;
  uint32_t job_id;  /* START: of the job that now runs (array tasks get numbers of their own), else 0 */
  char reason[128]; /* for people, when not DONE */
};

struct dfrs_operations {
  const struct dfrs_operation* list; /* valid until the next step */
  size_t count;
  double wake_at; /* s since the epoch; call again then at the latest */
};

/* Takes the snapshot in, lets the policy decide if there is reason to, and lists what to do next. 0, or -1 on an error
 * that was logged (then there is nothing to do, and the next step starts again from Slurm's state). CPU-bound, no I/O
 * but the record's and the state file's writes. */
int dfrs_controller_step(struct dfrs_controller* controller, const struct dfrs_snapshot* snapshot,
                         struct dfrs_operations* operations);
/* Sends the quotas of the last step to the agents concerned, and waits at most wait_ms for those of jobs that the last
 * step starts or resumes. True if all have answered. What could not be delivered stays pending and is tried again. */
bool dfrs_controller_deliver(struct dfrs_controller* controller, uint32_t wait_ms);
/* Results of operations of the last step, by index into its list; those not named count as not tried. True: tasks of
 * arrays have become jobs of their own, whose quotas are to be delivered before they are launched. */
bool dfrs_controller_applied(struct dfrs_controller* controller, const size_t* index, const struct dfrs_result* results,
                             size_t count, double now);

#ifdef __cplusplus
}
#endif
#endif
