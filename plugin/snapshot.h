/* SPDX-License-Identifier: GPL-2.0-or-later
 * Copies Slurm's jobs and nodes for the controller. Buffers are reused: a snapshot allocates only when the cluster has
 * grown.
 */
#ifndef DFRS_PLUGIN_SNAPSHOT_H
#define DFRS_PLUGIN_SNAPSHOT_H

#include "shim/controller.h"

struct snapshot;

struct snapshot *snapshot_new(void); /* NULL: no memory */
void snapshot_free(struct snapshot *snapshot);

/* Copies the present state. Holds the conf, job, node and partition read locks meanwhile, and the association or QOS
 * read lock, for which updates by slurmdbd wait, if `wants` (enum dfrs_want) needs it. 0; 1: slurmctld is not ready
 * (starting, stopping, standby); -1: no memory. Cost: O(jobs + nodes + tasks' nodes), plus O(nodes / 64) for each
 * pending job that is not free to use all nodes. */
int snapshot_take(struct snapshot *snapshot, uint32_t wants);

/* The last copy; valid until the next snapshot_take(). */
const struct dfrs_snapshot *snapshot_view(const struct snapshot *snapshot);
/* The index in Slurm's node table of a node in the view. */
uint32_t snapshot_node_index(const struct snapshot *snapshot, uint32_t node);
/* The job of that number in the view, or NULL. O(log jobs). */
const struct dfrs_job *snapshot_find(const struct snapshot *snapshot, uint32_t job_id);
/* MiB of the node with the least memory (see job_shape). */
uint64_t snapshot_least_memory(const struct snapshot *snapshot);
/* How long the last snapshot_take() held the read locks, in seconds. */
double snapshot_lock_time(const struct snapshot *snapshot);
/* The numbers of managed jobs that wait for dependencies. Only job_independent(), under a write lock, notices when they
 * are met. */
const uint32_t *snapshot_dependents(const struct snapshot *snapshot, size_t *count);

#endif
