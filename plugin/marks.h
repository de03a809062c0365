/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the select wrapper must know about a running job after a restart of slurmctld. It is stored with the placement,
 * in bits of job_resources.cr_type that Slurm does not use (COMPAT_MARK_* in compat.h). cr_type is part of the saved
 * job. Slurm's code tests only single bits of it (CR_CORE, CR_SOCKET, CR_MEMORY), so that a stock plugin that takes
 * over such a job after a roll-back ignores ours.
 *
 * The marks say how a job was placed, not where it may run: they stay valid if its partition is no longer managed, or
 * was not when it started.
 */
#ifndef DFRS_PLUGIN_MARKS_H
#define DFRS_PLUGIN_MARKS_H

#include "plugin/compat.h"

enum dfrs_mark {
  /* Placed by us, exactly as planned: not in cons_tres' rows; shared_row.c shows its cores. */
  DFRS_MARK_EXACT = COMPAT_MARK_1,
  /* EXACT, and its cores are counted. Reset by node_init, after which all jobs are added again. */
  DFRS_MARK_COUNTED = COMPAT_MARK_2,
  /* Paused by us: its cores are free, and so is its memory if memory_allocated is all 0. */
  DFRS_MARK_PAUSED = COMPAT_MARK_3,
};

static inline bool mark_is(const job_record_t *job, enum dfrs_mark mark) {
  return job->job_resrcs && (job->job_resrcs->cr_type & mark);
}

static inline void mark_set(job_record_t *job, enum dfrs_mark mark, bool on) {
  if (!job->job_resrcs) return;
  if (on)
    job->job_resrcs->cr_type |= (uint16_t)mark;
  else
    job->job_resrcs->cr_type &= (uint16_t)~mark;
}

#endif
