/* SPDX-License-Identifier: GPL-2.0-or-later
 * All that differs between versions of Slurm, in one place. Written for 22.05; a branch for a newer version is added
 * when the plugin is built and run there.
 */
#ifndef DFRS_PLUGIN_COMPAT_H
#define DFRS_PLUGIN_COMPAT_H

#include "config.h"

#include <slurm/slurm_version.h>
#include <stdbool.h>
#include <stdio.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"

#include "src/common/bitstring.h"
#include "src/common/job_resources.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/select.h"
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
#include "src/slurmctld/srun_comm.h"
#include "src/slurmctld/state_save.h"

/* The selectors' own structures: select_node_usage, rows of partitions. */
#include "src/plugins/select/cons_common/node_data.h"
#include "src/plugins/select/cons_common/part_data.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(22, 5, 0) || SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(22, 6, 0)
#error "dfrs knows Slurm 22.05 only: docs/slurm-internals.md lists what is different in others"
#endif

/* Bits of job_resources.cr_type that mean nothing to Slurm, see marks.h. 22.05 uses 0x0001 to 0x0020, 0x0100, 0x0200,
 * 0x0800, 0x1000 and 0x4000; these three have been free since 19.05 took out what they meant. */
enum { COMPAT_MARK_1 = 0x0040, COMPAT_MARK_2 = 0x0080, COMPAT_MARK_3 = 0x0400 };

/* Data that only slurmctld has. Commands load selectors, too: there these stay unresolved instead of unloadable. */
extern List job_list __attribute__((weak));
extern List part_list __attribute__((weak));

static inline bool compat_in_slurmctld(void) { return running_in_slurmctld(); }

static inline node_record_t *compat_node(int index) { return node_record_table_ptr[index]; }

static inline int compat_select_nodes(job_record_t *job) {
  return select_nodes(job, false, NULL, NULL, false, SLURMDB_JOB_FLAG_SCHED);
}

/* Stops a job where it is, or lets it go on, without the mark of a user's `scontrol suspend` (priority 0). A task of
 * an array is named by its array and index: the number of the last one is that of the whole array. */
static inline int compat_suspend(job_record_t *job, bool suspend) {
  char name[64];
  if (job->array_task_id != NO_VAL)
    snprintf(name, sizeof(name), "%u_%u", job->array_job_id, job->array_task_id);
  else
    snprintf(name, sizeof(name), "%u", job->job_id);
  suspend_msg_t message = {.op = suspend ? SUSPEND_JOB : RESUME_JOB, .job_id = job->job_id, .job_id_str = name};
  int rc = job_suspend2(&message, 0, -1, false, NO_VAL16);
  /* For an array task that function keeps its answer to itself; the state tells. */
  if (rc == SLURM_SUCCESS && job->array_task_id != NO_VAL) {
    if (suspend ? !IS_JOB_SUSPENDED(job) : !IS_JOB_RUNNING(job)) rc = suspend ? ESLURM_NOT_SUPPORTED : ESLURM_NODES_BUSY;
  }
  return rc;
}

static inline int compat_requeue(job_record_t *job) { return job_requeue(0, job->job_id, NULL, false, 0); }

#endif
