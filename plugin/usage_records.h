/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tells slurmdbd what jobs were given, so that sreport and sacct show it.
 *
 * slurmdbd charges a job for its CPUs (a whole number) for as long as it runs, except for the times for which slurmctld
 * reports it as suspended. So a job at a yield of 0.25 is reported as suspended for three quarters of the time, in one
 * piece an hour: at the end of the hour, before slurmdbd sums the hour up, and when the job ends. Slurm's own reports
 * of real suspensions count, too. Nothing changes in slurmctld: there the job runs.
 *
 * For one thread.
 */
#ifndef DFRS_PLUGIN_USAGE_RECORDS_H
#define DFRS_PLUGIN_USAGE_RECORDS_H

#include "plugin/compat.h"
#include "shim/controller.h"

/* Begins afresh. The folder (StateSaveLocation) has a file that says until when an earlier slurmctld has reported. */
void usage_records_begin(const char *folder);

/* Follows the jobs of the view and reports what is due. Takes the job read lock if anything is; the caller holds no
 * lock of Slurm's. Returns the seconds until it is to be called again. */
double usage_records_check(const struct dfrs_snapshot *view);

/* Reports a job that is about to lose its record in slurmdbd by a requeue. The caller holds the job write lock. */
void usage_records_end_run(const job_record_t *job);

/* Reports all jobs: slurmctld ends, or reads its configuration in a new process. The caller holds no lock of Slurm's.
 */
void usage_records_finish(void);

#endif
