/* SPDX-License-Identifier: GPL-2.0-or-later
 * Slurm's own backfill scheduler beside ours: slurmctld loads one sched plugin, and the partitions that are not managed
 * are to be scheduled as before.
 */
#ifndef DFRS_PLUGIN_STOCK_BACKFILL_H
#define DFRS_PLUGIN_STOCK_BACKFILL_H

/* Loads sched_backfill.so from Slurm's plugin directories and starts it. Nothing if it already runs. 0; -1 with a
 * message in slurmctld's log. */
int stock_backfill_start(void);
/* Hands a reconfiguration on; nothing if it does not run. */
void stock_backfill_reconfig(void);
/* Ends its thread and waits for that; its code stays mapped. Nothing if it does not run. */
void stock_backfill_stop(void);

#endif
