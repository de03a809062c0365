/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the sched plugin and the select wrapper share. Slurm loads each plugin with RTLD_LOCAL, so this state lives in
 * the shared library that both link. Plain C, no Slurm types. Every function may be called from any thread, holds its
 * own lock only for a copy, and never calls back.
 */
#ifndef DFRS_SHIM_GATE_H
#define DFRS_SHIM_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the select wrapper places a job of a managed partition when Slurm wants to start it now. */
enum dfrs_plan_kind {
  DFRS_PLAN_NONE,  /* none was published: the start is refused, the job waits for the policy */
  DFRS_PLAN_EXACT, /* these tasks on these nodes, nothing else */
  DFRS_PLAN_STOCK, /* the selector places it, on some of the plan's nodes (node_tasks is not used): by cons_tres (GRES,
                    * topology), or by itself where only the layout is special (--nodes, --ntasks-per-node) */
};

/* A placement that the sched thread has chosen for one start of one job. */
struct dfrs_plan {
  enum dfrs_plan_kind kind;
  uint32_t job_id;
  uint32_t node_count;
  const uint32_t* nodes;      /* indices of Slurm's node table, ascending */
  const uint16_t* node_tasks; /* tasks on each, >= 1 */
  uint16_t cpus_per_task;
  uint64_t memory_per_task; /* MiB */
};

/* Sets the managed partitions, replacing the earlier ones. Copies the names, which are compared exactly, as Slurm does.
 * 0; -1 when memory is short, and nothing has changed then. */
int dfrs_gate_set_partitions(const char* const* names, size_t count);
bool dfrs_gate_manages(const char* partition);

/* Publishes a plan for its job, replacing an older one. Copies it. 0; -1 when memory is short. */
int dfrs_gate_publish(const struct dfrs_plan* plan);
/* The plan of a job, or one of kind DFRS_PLAN_NONE. The arrays stay valid until dfrs_gate_withdraw of that job; the
 * caller holds Slurm's job write lock, as do those who publish and withdraw. */
struct dfrs_plan dfrs_gate_plan(uint32_t job_id);
void dfrs_gate_withdraw(uint32_t job_id);

/* A non-blocking eventfd that the sched thread polls, created at first use; -1 if the system gives none. */
int dfrs_gate_eventfd(void);
/* Wakes the sched thread: a job was submitted, ended, or its node came back. Never blocks. */
void dfrs_gate_wake(void);

/* Set by the select wrapper once it is loaded. Without the wrapper, plans have no effect and stock cons_tres starts
 * jobs of managed partitions by itself, so the sched plugin refuses to start. slurmctld loads selectors first. */
void dfrs_gate_set_select_ready(bool ready);
bool dfrs_gate_select_ready(void);

/* Forgets partitions and plans. For tests. */
void dfrs_gate_reset(void);

#ifdef __cplusplus
}
#endif
#endif
