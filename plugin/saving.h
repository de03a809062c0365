/* SPDX-License-Identifier: GPL-2.0-or-later
 * Makes Slurm save its jobs (StateSaveLocation/job_state) when dfrs needs it.
 *
 * slurmctld saves 5 s after a change or later, and loses the change if it is killed in between: a job that it has just
 * started is pending again and starts a second time while it still runs; a job that has just ended appears as running
 * on a node that does not have it. So the file is written
 *
 * - before a started job's script is launched or its srun notified (write-ahead), so that the saved state contains
 * every running task; or right after, as SaveBeforeLaunch says;
 * - soon after any other change of jobs, such as an end or a submission.
 *
 * A save ends though jobs keep changing, as in a burst of submissions: what it waits for is a save that began after the
 * call. Slurm's own thread does the writing. Two threads must not write: dump_all_job_state() changes jobs (their lists
 * of completing nodes) under read locks only, so that memory would be freed twice.
 *
 * For one thread, which must hold none of Slurm's locks.
 */
#ifndef DFRS_PLUGIN_SAVING_H
#define DFRS_PLUGIN_SAVING_H

#include <stdbool.h>

/* Saves the jobs as they are now, and all else that is due, and returns when they are on disk. Slurm's thread takes
 * conf and job read locks while it copies. In a backup controller it does not wait: Slurm saves there 5 s later. */
void saving_now(void);

/* How long (s) the last save took; 0 before the first. */
double saving_took(void);

/* Whether saves take longer than 50 ms, as five successful ones in a row last agreed; false before that. */
bool saving_is_slow(void);

/* How long (s) the next saving_now() should wait, so that they take a fifth of the time at most, in the long run. */
double saving_rest(void);

/* Saves if jobs have changed since the last save, at most five times a second, in a tenth of the time at most, and not
 * while slurmctld is ending, when it saves everything itself. Returns the seconds until the next call is due; INFINITY:
 * all is saved. slurmctld must have read its jobs. */
double saving_if_due(void);

/* To be called at the end: leaves a saving thread that slurmctld can stop and join. */
void saving_finish(void);

#endif
