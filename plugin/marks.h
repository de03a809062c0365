/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the select wrapper must know of a running job after slurmctld has come back, written where Slurm keeps it with
 * the placement itself: in bits of job_resources.cr_type that Slurm does not use (COMPAT_MARK_* in compat.h). cr_type
 * is part of the saved job; all that Slurm's code asks of it are single bits (CR_CORE, CR_SOCKET, CR_MEMORY), and a
 * stock plugin that takes such a job over after a roll-back ignores ours.
 *
 * The marks say how a job was placed, not where it is allowed to be: they hold when its partition is managed no longer,
 * or was not managed when it started.
 */
#ifndef DFRS_PLUGIN_MARKS_H
#define DFRS_PLUGIN_MARKS_H

#include "plugin/compat.h"

enum dfrs_mark {
  /* Placed by us to an exact plan: not in cons_tres' rows, its cores are shown by shared_row.c. */
  DFRS_MARK_EXACT = COMPAT_MARK_1,
  /* EXACT, and its cores are counted now. Not valid across node_init: set again as jobs are added again. */
  DFRS_MARK_COUNTED = COMPAT_MARK_2,
  /* Paused by us: its cores are free, and its memory if memory_allocated is all 0. */
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
