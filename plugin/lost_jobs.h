/* SPDX-License-Identifier: GPL-2.0-or-later
 * Batch jobs that were starting or ending when the former slurmctld was killed.
 *
 * A slurmctld that was killed may have saved a start without sending it to slurmd, or may have acknowledged a job's end
 * without saving it. In both cases the next slurmctld finds the job running. Slurm notices that it does not run only at
 * the node's next registration, which may be half an hour away. So the nodes of jobs from before are asked to register
 * again, and a job that is missing from two reports in a row is lost, and is to be queued again. Conversely, a slurmd
 * that could not confirm a launch to a slurmctld that was gone asks the next one to hold the job ("launch failed
 * requeued held"); such a job is released.
 *
 * Only one thread may call this.
 */
#ifndef DFRS_PLUGIN_LOST_JOBS_H
#define DFRS_PLUGIN_LOST_JOBS_H

#include <stdbool.h>
#include <time.h>

#include "plugin/compat.h"

/* When this slurmctld took over (s since the epoch). Jobs from before are looked for on their nodes. */
void lost_jobs_begin(time_t since);

/* Checks what nodes have reported, and asks them to report. Takes conf R, job W, node W, part R while jobs from
 * before are in question. Returns in how many seconds to call again; INFINITY: nothing is in question any more. */
double lost_jobs_check(void);

/* Whether the job is one of those, in this very run. The caller holds the job read lock. */
bool lost_jobs_has(const job_record_t *job);

#endif
