/* SPDX-License-Identifier: GPL-2.0-or-later
 * All that differs between versions of Slurm, except the selector's entry points: ./configure picks selector_22_05.c or
 * another of its kind. docs/reference/slurm.md has the table of versions.
 */
#ifndef DFRS_PLUGIN_COMPAT_H
#define DFRS_PLUGIN_COMPAT_H

#include "config.h"

#include <slurm/slurm_version.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"

/* COMPAT_SINCE(24, 11) is true for 24.11 and all that follows. */
#define COMPAT_SINCE(major, minor) (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(major, minor, 0))
#define COMPAT_IS(major, minor) (COMPAT_SINCE(major, minor) && !COMPAT_SINCE(major, (minor) + 1))

/* ./configure says the same, with what to do. */
#if !COMPAT_IS(22, 5) && !COMPAT_IS(23, 11) && !COMPAT_IS(24, 11) && !COMPAT_IS(25, 5) && !COMPAT_IS(25, 11) && \
    !COMPAT_IS(26, 5)
#error "dfrs knows Slurm 22.05, 23.11, 24.11, 25.05, 25.11 and 26.05: see docs/reference/slurm.md"
#endif

#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/job_resources.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/read_config.h"
#include "src/common/run_in_daemon.h"
#include "src/common/slurm_protocol_api.h"
#include "src/common/slurm_protocol_defs.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/state_save.h"

#if COMPAT_SINCE(23, 11)
#include "src/common/job_features.h"
#include "src/interfaces/accounting_storage.h"
#include "src/interfaces/select.h"
#else
#include "src/common/select.h"
#include "src/common/slurm_accounting_storage.h"
#endif
#if COMPAT_SINCE(24, 11)
#include "src/common/job_record.h"
#include "src/common/job_state_reason.h"
#include "src/common/node_features.h"
#include "src/slurmctld/proc_req.h"
#include "src/stepmgr/srun_comm.h"
#else
#include "src/slurmctld/srun_comm.h"
#endif

/* The selector's own structures: select_node_usage, rows of partitions. */
#if COMPAT_SINCE(23, 11)
#include "src/plugins/select/cons_tres/node_data.h"
#include "src/plugins/select/cons_tres/part_data.h"
#else
#include "src/plugins/select/cons_common/node_data.h"
#include "src/plugins/select/cons_common/part_data.h"
#endif

#if COMPAT_SINCE(23, 11)
typedef list_t *compat_list;
typedef list_itr_t *compat_iterator;
typedef job_details_t compat_details;
typedef hostlist_t *compat_hostlist;
#else
typedef List compat_list;
typedef ListIterator compat_iterator;
typedef struct job_details compat_details;
typedef hostlist_t compat_hostlist;
#endif

#if COMPAT_SINCE(25, 11)
enum { COMPAT_CR_MEMORY = SELECT_MEMORY, COMPAT_CR_CORE = SELECT_CORE, COMPAT_CR_SOCKET = SELECT_SOCKET };
#else
enum { COMPAT_CR_MEMORY = CR_MEMORY, COMPAT_CR_CORE = CR_CORE, COMPAT_CR_SOCKET = CR_SOCKET };
#endif

/* Bits of job_resources.cr_type, see marks.h. No version of Slurm uses the first. Version 0.1 of dfrs had three others,
 * which Slurm uses since 23.11. */
enum { COMPAT_MARK = 0x2000, COMPAT_OLD_EXACT = 0x0040, COMPAT_OLD_MARKS = 0x0040 | 0x0080 | 0x0400 };

/* Data that only slurmctld has. Commands load selectors, too (until 25.05): there these stay unresolved instead of
 * unloadable. */
extern compat_list job_list __attribute__((weak));
extern compat_list part_list __attribute__((weak));

static inline bool compat_in_slurmctld(void) { return running_in_slurmctld(); }

/* Whether slurmctld takes over jobs under way from another process, in which case no mistake in a file may end it:
 * since 23.11 `scontrol reconfigure` starts a new process with this variable set; or a backup replaces the primary. */
static inline bool compat_goes_on(void) { return getenv("SLURMCTLD_RECONF") || !slurmctld_primary; }

/* Slurm's functions that only read take bitmaps without const. */
static inline bool compat_bit(const bitstr_t *bits, bitoff_t bit) { return bit_test((bitstr_t *)bits, bit); }

/* Of details.whole_node or job_resources.whole_node: no other job may be on the job's nodes (--exclusive). The field
 * holds flags since 24.05. */
static inline bool compat_whole_nodes(uint32_t whole_node) {
#if COMPAT_SINCE(24, 11)
  return whole_node & WHOLE_NODE_REQUIRED;
#else
  return whole_node == WHOLE_NODE_REQUIRED;
#endif
}

static inline node_record_t *compat_node(int index) { return node_record_table_ptr[index]; }

static inline const char *compat_reason(const job_record_t *job) {
#if COMPAT_SINCE(24, 11)
  return job_state_reason_string(job->state_reason);
#else
  return job_reason_string(job->state_reason);
#endif
}

/* The QOS of a job that names several (--qos=a,b), in the order in which Slurm tries them; NULL: it cannot. */
static inline compat_list compat_qos_list(const job_record_t *job) {
#if COMPAT_SINCE(24, 11)
  return job->qos_list;
#else
  (void)job;
  return NULL;
#endif
}

static inline int compat_select_nodes(job_record_t *job) {
#if COMPAT_SINCE(24, 11)
  job_node_select_t wanted = {.job_ptr = job};
  return select_nodes(&wanted, false, false, SLURMDB_JOB_FLAG_SCHED);
#else
  return select_nodes(job, false, NULL, NULL, false, SLURMDB_JOB_FLAG_SCHED);
#endif
}

/* Stops a job where it is, or lets it go on, without the mark of a user's `scontrol suspend` (priority 0). */
static inline int compat_suspend(job_record_t *job, bool suspend) {
  suspend_msg_t message = {.op = suspend ? SUSPEND_JOB : RESUME_JOB};
#if COMPAT_SINCE(25, 11)
  message.step_id = STEP_ID_FROM_JOB_RECORD(job);
#else
  message.job_id = job->job_id;
#endif
#if COMPAT_SINCE(24, 11)
  return job_suspend(NULL, &message, 0, false, NO_VAL16);
#else
  return job_suspend(&message, 0, -1, false, NO_VAL16);
#endif
}

static inline int compat_requeue(job_record_t *job) {
#if COMPAT_SINCE(25, 11)
  return job_requeue_internal(0, job, false, 0);
#else
  return job_requeue(0, job->job_id, NULL, false, 0);
#endif
}

/* After job_array_pre_sched(): makes the task that it chose a job of its own. Returns the record of the rest. */
static inline job_record_t *compat_array_post_sched(job_record_t *job) {
#if COMPAT_SINCE(24, 11)
  return job_array_post_sched(job, true);
#else
  return job_array_post_sched(job);
#endif
}

/* The nodes that a job without a reservation may use if it starts now and runs to its time limit: those that no
 * reservation holds, not even some of their cores. NULL: none. The caller frees it. */
static inline bitstr_t *compat_unreserved_nodes(job_record_t *job, time_t now) {
  bitstr_t *nodes = NULL;
  bool overlap = false;
#if COMPAT_SINCE(23, 11)
  resv_exc_t reserved = {0};
  const int rc = job_test_resv(job, &now, false, &nodes, &reserved, &overlap, false);
  for (int i = 0; rc == SLURM_SUCCESS && reserved.exc_cores && i < node_record_count; ++i)
    if (reserved.exc_cores[i] && bit_ffs(reserved.exc_cores[i]) >= 0) bit_clear(nodes, i);
  reservation_delete_resv_exc_parts(&reserved);
#else
  bitstr_t *cores = NULL;
  const int rc = job_test_resv(job, &now, false, &nodes, &cores, &overlap, false);
  for (int i = 0; rc == SLURM_SUCCESS && cores && i < node_record_count; ++i) {
    const bitoff_t end = cr_get_coremap_offset((uint32_t)i + 1);
    for (bitoff_t core = cr_get_coremap_offset((uint32_t)i); core < end && core < bit_size(cores); ++core)
      if (bit_test(cores, core)) bit_clear(nodes, i);
  }
  if (cores) bit_free(cores);
#endif
  if (rc == SLURM_SUCCESS || !nodes) return nodes;
  bit_free(nodes);
  return NULL;
}

/* cons_tres' list of the jobs on a node, by which it keeps `--exclusive` jobs off since 23.11. */
static inline void compat_node_job_add(node_use_record_t *usage, job_record_t *job) {
#if COMPAT_SINCE(23, 11)
  if (!usage->jobs) usage->jobs = list_create(NULL);
  list_append(usage->jobs, job);
#else
  (void)usage;
  (void)job;
#endif
}

static inline void compat_node_job_remove(node_use_record_t *usage, job_record_t *job) {
#if COMPAT_SINCE(23, 11)
  if (usage->jobs) list_delete_first(usage->jobs, slurm_find_ptr_in_list, job);
#else
  (void)usage;
  (void)job;
#endif
}

/* Since 24.11 cons_tres builds the rows of a partition that a job has left only when it needs them. */
static inline bool compat_rows_stale(const part_res_record_t *part) {
#if COMPAT_SINCE(24, 11)
  return part->rebuild_rows;
#else
  (void)part;
  return false;
#endif
}

/* Nodes that a job keeps others from by its topology (--exclusive=topo). */
static inline void compat_unblock_nodes(void) {
#if COMPAT_SINCE(24, 11)
  for (int i = 0; i < node_record_count; ++i)
    if (compat_node(i)) compat_node(i)->node_state &= (uint32_t)~NODE_STATE_BLOCKED;
#endif
}

static inline void compat_block_nodes(job_record_t *job) {
#if COMPAT_SINCE(24, 11)
  if ((IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) && IS_JOB_WHOLE_TOPO(job)) node_mgr_make_node_blocked(job, true);
#else
  (void)job;
#endif
}

/* Slurm 23.11 without slurmdbd takes an errno that is left over, as by looking through a second folder of PluginDir,
 * for a database that is down. It then has no list of associations, not even an empty one, and starts no job that has
 * waited ("InvalidAccount"). Call this after Slurm has loaded its plugins, with its locks for configuration held. */
static inline void compat_accounting_ready(void) {
#if COMPAT_IS(23, 11)
  if (!assoc_mgr_assoc_list && !slurm_with_slurmdbd()) (void)assoc_mgr_init(acct_db_conn, NULL, SLURM_SUCCESS);
#endif
}

/* Whether a job can be launched. A slurmctld of 25.05 that stops has unloaded its accounting before it stops
 * schedulers, and a launch then goes to address 0. */
static inline bool compat_can_launch(void) {
#if COMPAT_IS(25, 5)
  return !slurmctld_config.shutdown_time;
#else
  return true;
#endif
}

/* Whether slurmdbd can be told something. Since 25.05 slurmctld closes that connection before it stops schedulers, and
 * a call after that goes to address 0. */
static inline bool compat_slurmdbd_open(void) {
#if COMPAT_SINCE(25, 5)
  if (slurmctld_config.shutdown_time) return false;
#endif
  return slurm_with_slurmdbd();
}

#endif
