/* SPDX-License-Identifier: GPL-2.0-or-later
 * Carries out the controller's operations in slurmctld.
 */
#ifndef DFRS_PLUGIN_APPLY_H
#define DFRS_PLUGIN_APPLY_H

#include <time.h>

#include "plugin/hold.h"
#include "plugin/snapshot.h"
#include "shim/controller.h"

/* Sets when this slurmctld took over (s since the epoch).
 *
 * A slurmctld that was killed may have started jobs that the saved state still shows as pending. Such a job would fail
 * if the next slurmctld started it at once: slurmctld revokes the run that the node reports, and slurmd then refuses
 * credentials of that second. So a job from before the takeover is not started until all usable nodes of managed
 * partitions have reported (10 s at most) and 2 s more have passed. New jobs start at once. */
void apply_set_takeover(time_t when);

/* The launch of jobs that have been started. */
struct launching {
  bool after_save; /* else the save comes right after it: if slurmctld is killed in between, it forgets that they run */
  /* Called without locks when all results are there, and before the save, since Slurm may launch a job with a prolog
   * while that lasts. */
  void (*before)(void *argument);
  void *argument;
};

/* Carries out list[0 .. count) in order; results[i] is the outcome of list[i]. Takes conf R, job W, node W, part R, fed
 * R in short holds, a few operations each, so that other threads get the locks in between. Each job is looked up again
 * and must still be in the run and state that the operation was meant for. Then jobs that have
 * been started are launched: their nodes or users are told. Adds its holds to *times. Returns the seconds that the save
 * took, without the locks: see saving.h. */
double apply_operations(const struct snapshot *snapshot, const struct dfrs_operation *list, size_t count,
                        struct dfrs_result *results, const struct launching *launching, struct hold_times *times);

/* Checks the dependencies of the snapshot's jobs again, as Slurm's own scheduler does for its jobs. In short holds, as
 * above. */
void apply_dependencies(const struct snapshot *snapshot, struct hold_times *times);

#endif
