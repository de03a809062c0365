/* SPDX-License-Identifier: GPL-2.0-or-later
 * Has Slurm write its file of jobs (StateSaveLocation/job_state) when dfrs needs it written.
 *
 * slurmctld writes it 5 s after a change or later, and loses the change if it is killed in between: a job that it has
 * just started is pending again, and is started a second time while it still runs; a job that has just ended is shown
 * as running, on a node that does not have it. So the file is written
 *
 * - before a started job's script is launched or its srun notified (write-ahead), so that the saved state has every
 * task that runs;
 * - soon after any other change of jobs, ends and submissions among them.
 *
 * Slurm's own thread does the writing. Two threads must not: dump_all_job_state() changes jobs (their lists of nodes
 * that still complete) under read locks alone, and what one has freed the other frees again, which ends slurmctld.
 *
 * Only one thread may call this, and it must hold none of Slurm's locks.
 */
#ifndef DFRS_PLUGIN_SAVING_H
#define DFRS_PLUGIN_SAVING_H

#include <stdbool.h>

/* Has the jobs as they are now, and whatever else is to be saved, written, and returns when they are on disk. Slurm's
 * thread takes conf and job read locks while it copies. In a backup controller it does not wait for that: there Slurm's
 * own saving, 5 s later, must do. */
void saving_now(void);

/* Since a save has taken long, rounds that save are to be at least this far apart (s), so that saving takes a fifth of
 * the time at most. */
double saving_rest(void);

/* Saves if jobs have changed since the last save, but not more often than five times a second, nor in more than a
 * tenth of the time, nor while slurmctld is ending, when it saves all by itself. Returns in how many seconds to call
 * again; INFINITY: nothing is unsaved. slurmctld must have read its jobs. */
double saving_if_due(void);

#endif
