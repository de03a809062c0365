/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finds batch jobs that were lost because they were starting or ending when the former slurmctld was killed.
 *
 * A slurmctld that was killed may have saved a start without sending it to slurmd, or may have acknowledged a job's end
 * without saving it. In both cases the next slurmctld shows the job as running, until the node's next registration,
 * which may be half an hour away. So we ask the nodes of jobs from before the takeover to register again; a job that is
 * missing from two reports in a row is lost and must be requeued. Conversely, a slurmd that could not confirm a launch
 * because slurmctld was gone asks the next one to hold the job ("launch failed requeued held"); we release such jobs.
 *
 * For one thread.
 */
#ifndef DFRS_PLUGIN_LOST_JOBS_H
#define DFRS_PLUGIN_LOST_JOBS_H

#include <stdbool.h>
#include <time.h>

#include "plugin/compat.h"
#include "plugin/hold.h"

/* Sets when this slurmctld took over (s since the epoch), and begins to check jobs from before. */
void lost_jobs_begin(time_t since);

/* Checks the nodes' reports and asks for further ones. Takes conf R, job W, node W, part R while jobs from before are
 * in question. Returns the seconds until the next call is due; INFINITY: nothing is in question any more. */
double lost_jobs_check(struct hold_times *times);

/* Whether the present run of the job is lost. The caller holds the job read lock. */
bool lost_jobs_has(const job_record_t *job);

#endif
