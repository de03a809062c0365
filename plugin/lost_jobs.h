/* SPDX-License-Identifier: GPL-2.0-or-later
 * Batch jobs that were being started or were ending as the former slurmctld was killed.
 *
 * A slurmctld that was killed may have saved a start and not got round to telling slurmd; or it may have heard of a
 * job's end, answered, and not saved it. Either way the next one finds the job running, and nothing will ever end it:
 * Slurm notices at the node's next registration, which may be half an hour away, and not at all in the first seconds.
 * So the nodes of jobs from before are asked to register again, and a job that two reports in a row do not have is
 * lost: it is to be queued again. A slurmd, on the other hand, that could not confirm a launch to a slurmctld that was
 * gone asks the next one to hold the job ("launch failed requeued held"): such a job is released again.
 *
 * All of this is of one thread.
 */
#ifndef DFRS_PLUGIN_LOST_JOBS_H
#define DFRS_PLUGIN_LOST_JOBS_H

#include <stdbool.h>
#include <time.h>

#include "plugin/compat.h"

/* This slurmctld has been in charge since then (s since the epoch): its jobs from before are looked for on their nodes.
 */
void lost_jobs_begin(time_t since);

/* Looks what nodes have reported, and asks them. Takes conf R, job W, node W, part R while jobs from
 * before are in question. Returns in how many seconds to call again; INFINITY: nothing is in question any more. */
double lost_jobs_look(void);

/* Whether the job is one of those, in this very run. The caller holds the job read lock. */
bool lost_jobs_has(const job_record_t *job);

#endif
