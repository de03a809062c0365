/* SPDX-License-Identifier: GPL-2.0-or-later
 * Accounts for the memory of jobs in managed partitions: a paused job gives its memory back and takes it again when it
 * continues. In stock cons_tres a suspended job keeps its memory.
 *
 * The account is job_resources.memory_allocated, which cons_tres' select_node_usage sums up. A paused job has 0
 * everywhere, so that cons_tres' sums (simulated ends of jobs, --test-only) stay right and a restart in between finds
 * the truth in the saved job. The memory to take again follows from the job's request; a job whose memory does not
 * (memory per GPU) keeps it.
 *
 * Callers hold the job and node write locks.
 */
#ifndef DFRS_PLUGIN_MANAGED_MEMORY_H
#define DFRS_PLUGIN_MANAGED_MEMORY_H

#include "plugin/compat.h"

/* A node's memory for jobs: MiB. */
uint64_t memory_of_node(int node);
/* MiB of it that are not allocated. */
uint64_t memory_free(int node);

/* MiB that the job has on its k-th node while it runs; `node` is the index of that node in the node table. Follows from
 * the job's request and from cpus, whole_node, cr_type and marks of its job_resources. */
uint64_t memory_wanted(const job_record_t *job, uint32_t k, int node);

/* Adds to or subtracts from the memory allocated on a node. */
void memory_add(int node, uint64_t mib, const job_record_t *job);
void memory_remove(int node, uint64_t mib, const job_record_t *job);

/* Whether a pause would free the memory; false: the job keeps it, see above. */
bool memory_can_be_given_back(const job_record_t *job);
/* Pause: the memory is free for others afterwards, if it can be given back. */
void memory_give_back(job_record_t *job);
/* Whether there is room for what memory_take would take. */
bool memory_has_room(const job_record_t *job);
/* For a resume: takes what was given back, if anything. */
void memory_take(job_record_t *job);

#endif
