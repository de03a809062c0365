/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the selector must know of a job after slurmctld has come back, as far as Slurm's own saved job does not show it:
 * one bit of job_resources.cr_type that no version of Slurm uses. cr_type is saved with the job; Slurm's code looks at
 * single bits of it, so a stock plugin that takes such a job over after a roll-back ignores ours.
 *
 * The mark says how a job was placed, not where it is allowed to be: it holds when its partition is managed no longer.
 */
#ifndef DFRS_PLUGIN_MARKS_H
#define DFRS_PLUGIN_MARKS_H

#include "plugin/compat.h"

/* Placed by us to an exact plan: not in cons_tres' rows, its cores are shown by shared_row.c. */
static inline bool marked_exact(const job_record_t *job) {
  return job->job_resrcs && (job->job_resrcs->cr_type & COMPAT_MARK);
}

static inline void mark_exact(job_record_t *job, bool on) {
  if (!job->job_resrcs) return;
  if (on)
    job->job_resrcs->cr_type |= (uint16_t)COMPAT_MARK;
  else
    job->job_resrcs->cr_type &= (uint16_t)~COMPAT_MARK;
}

/* Whether all memory that the job holds has been given back: only a pause of ours does that. A suspend by a user or an
 * administrator leaves the job its memory. */
static inline bool memory_given_back(const job_record_t *job) {
  const job_resources_t *held = job->job_resrcs;
  if (!held || !held->memory_allocated || held->nhosts == 0 || !(held->cr_type & COMPAT_CR_MEMORY)) return false;
  for (uint32_t k = 0; k < held->nhosts; ++k)
    if (held->memory_allocated[k] != 0) return false;
  return true;
}

/* Suspended by us: it has no memory, or, where a pause leaves a job its memory, a priority. `scontrol suspend` sets
 * that to 0, and so does a user who holds a running job: a held job is paused only if its memory can be given back. */
static inline bool marked_paused(const job_record_t *job) {
  return IS_JOB_SUSPENDED(job) && (memory_given_back(job) || job->priority != 0);
}

/* A job that slurmctld saved under dfrs 0.1 had its marks in bits that mean something else to Slurm from 23.11 on.
 * There a job has them from the configuration, so they are taken for ours only where that does not set them. */
static inline void marks_upgrade(job_record_t *job, uint16_t configured) {
  if (!job->job_resrcs || marked_exact(job) || !(job->job_resrcs->cr_type & COMPAT_OLD_EXACT & ~configured)) return;
  job->job_resrcs->cr_type &= (uint16_t)~(COMPAT_OLD_MARKS & ~configured);
  mark_exact(job, true);
}

#endif
