/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a job asks for, in the policy's terms: equal tasks, each with CPUs and memory. Snapshots and the execution of
 * decisions both use it, so that they agree.
 */
#ifndef DFRS_PLUGIN_JOB_SHAPE_H
#define DFRS_PLUGIN_JOB_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/compat.h"

struct job_shape {
  uint32_t tasks;           /* >= 1 */
  uint32_t cpus_per_task;   /* >= 1 */
  uint64_t memory_per_task; /* MiB */
  bool exclusive;           /* shares its nodes with no other job */
  bool one_per_node;        /* at most one task per node */
  bool stock_placed;        /* only cons_tres can place it: GRES, topology, feature counts */
  bool own_layout; /* tasks cannot go just anywhere (--nodes, --ntasks-per-node, several named nodes): layout.h */
};

/* The shape of a job. `node_memory` (MiB) stands for a request of all of a node's memory, as of a job without a memory
 * request when no DefMemPer* is configured. Caller holds the job lock.
 *
 * `--mem` is per node. For a job of several tasks it is divided by the tasks that a node would hold in the smallest
 * layout that the job allows (--ntasks-per-node, or tasks / nodes): the sum over tasks is what the user asked for.
 *
 * With a fixed number of nodes (--nodes=2 --ntasks=8) the tasks of a node count as one, with the sum of their CPUs and
 * memory. A job on one node is thus one task, which the policy can place freely. */
struct job_shape job_shape(const job_record_t *job, uint64_t node_memory);

/* The managed partition in which a pending job would start: its partition, or the first managed one of its list. NULL:
 * none is managed. Caller holds the job and partition locks. */
part_record_t *job_managed_partition(const job_record_t *job);

/* Of the reservations that a job names, the one in which it would start: the first that has begun and is not over, or
 * else the one that Slurm looked at last. NULL: none. */
slurmctld_resv_t *job_reservation(const job_record_t *job, time_t now);

/* What jobs of a partition consume: SelectTypeParameters of the cluster, and of the partition's own (0: none). */
uint16_t partition_cr_type(uint16_t own);

#endif
