/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the sched plugin and the select wrapper share. Slurm loads each plugin with RTLD_LOCAL, so this state lives in
 * the shared library that both link. Plain C, no Slurm types; every function may be called from any thread, holds its
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

/* How the select wrapper is to place a job of a managed partition when Slurm asks for it to run now. */
enum dfrs_plan_kind {
  DFRS_PLAN_NONE,  /* none was published: refuse, the job waits for the policy */
  DFRS_PLAN_EXACT, /* these tasks on these nodes, nothing else */
  DFRS_PLAN_STOCK, /* the selector places it, on some of the plan's nodes (node_tasks is not used): by cons_tres (GRES,
                    * topology), or by itself where only the layout is special (--nodes, --ntasks-per-node) */
};

/* A placement that the sched thread has decided, valid for the one job and the one call of select_nodes. */
struct dfrs_plan {
  enum dfrs_plan_kind kind;
  uint32_t job_id;
  uint32_t node_count;
  const uint32_t* nodes;      /* indices of Slurm's node table, ascending */
  const uint16_t* node_tasks; /* tasks on each, >= 1 */
  uint16_t cpus_per_task;
  uint64_t memory_per_task; /* MiB */
};

/* Makes the partitions named the managed ones, in place of those named before. Names are copied; Slurm compares
 * partition names exactly. 0, or -1 when memory is short (then nothing was changed). */
int dfrs_gate_set_partitions(const char* const* names, size_t count);
bool dfrs_gate_manages(const char* partition);

/* Publishes a plan (copied) for its job, in place of an older one. 0, or -1 when memory is short. */
int dfrs_gate_publish(const struct dfrs_plan* plan);
/* The plan of a job, or one of kind DFRS_PLAN_NONE. The arrays stay valid until dfrs_gate_withdraw of that job; the
 * caller holds Slurm's job write lock, as do those who publish and withdraw. */
struct dfrs_plan dfrs_gate_plan(uint32_t job_id);
void dfrs_gate_withdraw(uint32_t job_id);

/* An eventfd (non-blocking) that the sched thread polls, made at first use; -1 when there can be none. */
int dfrs_gate_eventfd(void);
/* Wakes the sched thread: a job was submitted, ended, or its node came back. Never blocks. */
void dfrs_gate_wake(void);

/* The select wrapper says that it is loaded and does its part. Without it a plan places nothing and stock cons_tres
 * starts jobs of managed partitions by itself, so the sched plugin must not go on. slurmctld loads selectors first. */
void dfrs_gate_set_select_ready(bool ready);
bool dfrs_gate_select_ready(void);

/* Forgets partitions and plans (a standby controller takes over later, tests). */
void dfrs_gate_reset(void);

#ifdef __cplusplus
}
#endif
#endif
