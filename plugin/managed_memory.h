/* SPDX-License-Identifier: GPL-2.0-or-later
 * Memory of jobs in managed partitions: what is accounted on each node, given back while we pause a job, and taken
 * again when it continues. Stock cons_tres leaves a suspended job its memory.
 *
 * The account is job_resources.memory_allocated: what stands there is counted in cons_tres' select_node_usage. A paused
 * job has 0 everywhere, so that cons_tres' own sums (simulated ends of jobs, --test-only) stay right, and so that a
 * restart in between finds the truth in the saved job. What the job is to have again is worked out from its request; a
 * job for which that would not come out the same (memory by GPU) keeps its memory.
 *
 * Callers hold the job and node write locks.
 */
#ifndef DFRS_PLUGIN_MANAGED_MEMORY_H
#define DFRS_PLUGIN_MANAGED_MEMORY_H

#include "plugin/compat.h"

/* A node's memory for jobs: MiB. */
uint64_t memory_of_node(int node);
/* MiB of it that no job has allocated. */
uint64_t memory_free(int node);

/* MiB that the job is to have on its k-th node, which has that index in the node table, while it runs. From
 * job_resources' cpus, whole_node, cr_type and marks, and the job's request. */
uint64_t memory_wanted(const job_record_t *job, uint32_t k, int node);

/* Adds to, or takes from, what is allocated on a node. */
void memory_add(int node, uint64_t mib, const job_record_t *job);
void memory_remove(int node, uint64_t mib, const job_record_t *job);

/* Whether a pause would free the memory; false: the job keeps it, see above. */
bool memory_can_be_given_back(const job_record_t *job);
/* Pause: the memory is free for others afterwards, if it can be given back. */
void memory_give_back(job_record_t *job);
/* Whether there is room for what memory_take would take. */
bool memory_has_room(const job_record_t *job);
/* Resume: takes what was given back; nothing, if nothing was. */
void memory_take(job_record_t *job);

#endif
