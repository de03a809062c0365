/* SPDX-License-Identifier: GPL-2.0-or-later
 * Slurm's jobs and nodes, copied for the controller. The buffers are used again and again: taking a snapshot allocates
 * only when the cluster has grown.
 */
#ifndef DFRS_PLUGIN_SNAPSHOT_H
#define DFRS_PLUGIN_SNAPSHOT_H

#include "shim/controller.h"

struct snapshot;

struct snapshot *snapshot_new(void); /* NULL: no memory */
void snapshot_free(struct snapshot *snapshot);

/* Copies what is now. Takes conf, job, node and partition read locks for the length of the copy, and of those of
 * associations and QOS, for which slurmdbd's updates wait, the one that `wants` needs (enum dfrs_want).
 * 0; 1: slurmctld is not ready (starting, stopping, standby); -1: no memory.
 * Cost: O(jobs + nodes + tasks' nodes), plus O(nodes / 64) for each pending job that is not free to use all nodes. */
int snapshot_take(struct snapshot *snapshot, uint32_t wants);

/* What was copied last; valid until the next snapshot_take(). */
const struct dfrs_snapshot *snapshot_view(const struct snapshot *snapshot);
/* The index in Slurm's node table of a node of the view. */
uint32_t snapshot_node_index(const struct snapshot *snapshot, uint32_t node);
/* The job of that number in the view, or NULL. O(log jobs). */
const struct dfrs_job *snapshot_find(const struct snapshot *snapshot, uint32_t job_id);
/* MiB of the node with the least memory (see job_shape). */
uint64_t snapshot_least_memory(const struct snapshot *snapshot);
/* How long the read locks were held last time, in seconds. */
double snapshot_lock_time(const struct snapshot *snapshot);
/* Whether managed jobs wait for their dependencies: only job_independent(), under a write lock, finds out when those
 * are met. */
bool snapshot_has_dependents(const struct snapshot *snapshot);

#endif
