/* SPDX-License-Identifier: GPL-2.0-or-later
 * All differences between versions of Slurm, in one place.
 *
 *   22.05  built and tested
 *   24.11  in part (docs/reference/slurm.md, "Other versions"). The sched plugin's sources compile with the headers of
 *          24.11.5; they were never linked or run. The selector is not ported.
 *   26.05  likewise, but these branches were written without its headers and never compiled.
 *
 * Versions other than 22.05 are refused unless DFRS_PORTING_SLURM is defined, for work on a port.
 */
#ifndef DFRS_PLUGIN_COMPAT_H
#define DFRS_PLUGIN_COMPAT_H

#include "config.h"

#include <slurm/slurm_version.h>
#include <stdbool.h>
#include <stdio.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"

/* Selects a branch: COMPAT_SINCE(24, 11) is true for 24.11 and all later versions. */
#define COMPAT_SINCE(major, minor) (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(major, minor, 0))
#define COMPAT_IS(major, minor) (COMPAT_SINCE(major, minor) && !COMPAT_SINCE(major, (minor) + 1))

#if COMPAT_IS(24, 11) || COMPAT_IS(26, 5)
#ifndef DFRS_PORTING_SLURM
#error "dfrs is built and tested for Slurm 22.05 only: docs/reference/slurm.md says how far 24.11 and 26.05 are"
#endif
#elif !COMPAT_IS(22, 5)
#error "dfrs knows Slurm 22.05 (24.11 and 26.05 in part): see docs/reference/slurm.md for what a port needs"
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

#if COMPAT_SINCE(24, 11)
#include "src/common/job_features.h"
#include "src/common/job_record.h"
#include "src/common/job_state_reason.h"
#include "src/common/node_features.h"
#include "src/interfaces/select.h"
#include "src/slurmctld/proc_req.h"
#include "src/stepmgr/srun_comm.h"
#else
#include "src/common/select.h"
#include "src/slurmctld/srun_comm.h"
/* The selectors' own structures: select_node_usage, rows of partitions. */
#include "src/plugins/select/cons_common/node_data.h"
#include "src/plugins/select/cons_common/part_data.h"
#endif

/* Bits of job_resources.cr_type that Slurm does not use: see marks.h. 22.05 uses 0x0001 to 0x0020, 0x0100, 0x0200,
 * 0x0800, 0x1000 and 0x4000. */
enum { COMPAT_MARK_1 = 0x0040, COMPAT_MARK_2 = 0x0080, COMPAT_MARK_3 = 0x0400 };

#if COMPAT_SINCE(24, 11)
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

/* Data that only slurmctld has. Commands load selectors, too (until 25.05); weak symbols let them do so. */
extern compat_list job_list __attribute__((weak));
extern compat_list part_list __attribute__((weak));

static inline bool compat_in_slurmctld(void) { return running_in_slurmctld(); }

static inline node_record_t *compat_node(int index) { return node_record_table_ptr[index]; }

static inline const char *compat_reason(const job_record_t *job) {
#if COMPAT_SINCE(24, 11)
  return job_state_reason_string(job->state_reason);
#else
  return job_reason_string(job->state_reason);
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

/* Suspends or resumes a job without the mark of a user's `scontrol suspend` (priority 0). An array task is named by
 * array and index, because the number of the last task is also that of the whole array. */
static inline int compat_suspend(job_record_t *job, bool suspend) {
  char name[64];
  if (job->array_task_id != NO_VAL)
    snprintf(name, sizeof(name), "%u_%u", job->array_job_id, job->array_task_id);
  else
    snprintf(name, sizeof(name), "%u", job->job_id);
  suspend_msg_t message = {.op = suspend ? SUSPEND_JOB : RESUME_JOB, .job_id = job->job_id, .job_id_str = name};
#if COMPAT_SINCE(24, 11)
  /* The answer would go to the sender of the request, but there is none. */
  slurm_msg_t request;
  slurm_msg_t_init(&request);
  int rc = job_suspend2(&request, &message, 0, false, NO_VAL16);
#else
  int rc = job_suspend2(&message, 0, -1, false, NO_VAL16);
#endif
  /* For array tasks that function reports no errors; the state shows them. */
  if (rc == SLURM_SUCCESS && job->array_task_id != NO_VAL) {
    if (suspend ? !IS_JOB_SUSPENDED(job) : !IS_JOB_RUNNING(job))
      rc = suspend ? ESLURM_NOT_SUPPORTED : ESLURM_NODES_BUSY;
  }
  return rc;
}

static inline int compat_requeue(job_record_t *job) {
#if COMPAT_SINCE(26, 5)
  return job_requeue_internal(0, job, false, 0);
#else
  return job_requeue(0, job->job_id, NULL, false, 0);
#endif
}

#endif
