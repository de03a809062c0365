/* SPDX-License-Identifier: GPL-2.0-or-later
 * Runs Slurm's own backfill scheduler beside ours: slurmctld loads only one sched plugin, but partitions that are not
 * managed must be scheduled as before.
 */
#ifndef DFRS_PLUGIN_STOCK_BACKFILL_H
#define DFRS_PLUGIN_STOCK_BACKFILL_H

/* Loads sched_backfill.so from PluginDir and starts it, unless it runs already. 0; on an error -1, with a message in
 * slurmctld's log. */
int stock_backfill_start(void);
/* Passes a reconfiguration on, if it runs. */
void stock_backfill_reconfig(void);
/* Stops its thread and waits for it, if it runs. The code stays mapped. */
void stock_backfill_stop(void);

#endif
