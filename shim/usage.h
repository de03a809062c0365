/* SPDX-License-Identifier: GPL-2.0-or-later
 * What jobs were given, for those that charge for it: the priority plugin (fair share) and the sched plugin (slurmdbd).
 * The controller publishes it. Plain C, no Slurm types. Every function may be called from any thread, never calls back,
 * and holds a lock only for a look-up.
 */
#ifndef DFRS_SHIM_USAGE_H
#define DFRS_SHIM_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The CPU that a run of a job was given from one time (s since the epoch) to another, as a fraction of the CPUs that
 * Slurm has allocated to it, 0 to 1. A time after the last decision counts as if that still held. False: dfrs does not
 * know the run, or ChargeBy=allocation: Slurm's own rule holds. O(log of the run's changes of yield). */
bool dfrs_usage_fraction(uint32_t job_id, uint32_t restarts, double from, double to, double* fraction);

/* Reads what the last controller has saved; what one in this process has published stays. Reads two files, at the first
 * call only, so hold no lock. What it cannot read is not known, and the controller will say why. */
void dfrs_usage_restore(const char* conf_file, const char* state_dir);

#ifdef __cplusplus
}
#endif
#endif
