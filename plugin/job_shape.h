/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a job asks for, in the policy's terms: alike tasks, each with CPUs and memory. Used by the snapshot and again
 * when a decision is carried out, so that both mean the same.
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
  bool one_per_node;        /* a task is all that goes to one node */
  bool stock_placed;        /* only cons_tres can work out where: GRES, topology, feature counts */
  bool own_layout; /* tasks cannot go just anywhere (--nodes, --ntasks-per-node, several named nodes): layout.h */
};

/* The shape of a job. `node_memory` (MiB) is used for a request of all of a node's memory, which is what Slurm
 * gives a job without a memory request when no DefMemPer* is configured. Caller holds the job lock.
 *
 * `--mem` is per node. For a job of several tasks it is divided by the tasks that a node would hold in the smallest
 * layout that the job allows (--ntasks-per-node, or tasks / nodes): the sum over tasks is what the user asked for.
 *
 * With a fixed number of nodes (--nodes=2 --ntasks=8) the tasks of a node are counted as one, with their CPUs and
 * memory taken together. A job on one node is thus one task, which the policy can place as it likes. */
struct job_shape job_shape(const job_record_t *job, uint64_t node_memory);

/* The managed partition that a pending job is to be started in: its partition, or the first managed one of its list.
 * NULL: none is managed. Caller holds the job and partition locks. */
part_record_t *job_managed_partition(const job_record_t *job);

#endif
