/* SPDX-License-Identifier: GPL-2.0-or-later
 * The nodes that a job holds, in the order of job_resources' arrays:
 *
 *   for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at))
 *     ... at.node: index in the node table; at.k: index in cpus, memory_allocated and their like
 *
 * Skips nodes that a resize took from the job (cpus 0), but k counts them.
 */
#ifndef DFRS_PLUGIN_JOB_NODES_H
#define DFRS_PLUGIN_JOB_NODES_H

#include "plugin/compat.h"

struct job_node {
  int node;
  uint32_t k;
  const job_resources_t *held;
  int last;
};

/* Advances to the first held node from `node` on. */
static inline void job_nodes_settle(struct job_node *at) {
  for (; at->node <= at->last; ++at->node) {
    if (!compat_bit(at->held->node_bitmap, at->node)) continue;
    if (at->k < at->held->nhosts && at->held->cpus[at->k] != 0 && compat_node(at->node)) return;
    ++at->k;
  }
}

static inline struct job_node job_nodes_first(const job_record_t *job) {
  struct job_node at = {.node = 0, .k = 0, .held = job->job_resrcs, .last = -1};
  if (!at.held || !at.held->node_bitmap || !at.held->cpus) return at;
  at.node = bit_ffs(at.held->node_bitmap);
  if (at.node < 0) {
    at.node = 0;
    return at;
  }
  at.last = bit_fls(at.held->node_bitmap);
  if (at.last >= node_record_count) at.last = node_record_count - 1;
  job_nodes_settle(&at);
  return at;
}

static inline bool job_nodes_at(const struct job_node *at) { return at->node <= at->last; }

static inline void job_nodes_next(struct job_node *at) {
  ++at->node;
  ++at->k;
  job_nodes_settle(at);
}

/* CPUs per core of the node that jobs can be allocated. */
static inline uint32_t cpus_per_core(int node) {
  const uint32_t threads = compat_node(node)->tpc;
  return threads ? threads : 1;
}

/* Cores that the job holds on its k-th node. */
static inline uint32_t placed_cores(const job_record_t *job, uint32_t k, int node) {
  const uint32_t all = compat_node(node)->tot_cores;
  if (compat_whole_nodes(job->job_resrcs->whole_node)) return all;
  const uint32_t cores = (job->job_resrcs->cpus[k] + cpus_per_core(node) - 1) / cpus_per_core(node);
  return cores < all ? cores : all;
}

/* Threads per core that the job uses: it may limit them (--threads-per-core, --hint=nomultithread). */
static inline uint32_t used_threads(const job_record_t *job, int node) {
  const uint32_t all = cpus_per_core(node);
  const struct multi_core_data *requested = job->details ? job->details->mc_ptr : NULL;
  if (!requested || requested->threads_per_core == 0 || requested->threads_per_core >= all) return all;
  return requested->threads_per_core;
}

/* CPUs that so many tasks are allocated: whole cores, if the job limits threads. */
static inline uint32_t placed_cpus(const job_record_t *job, int node, uint32_t tasks, uint32_t cpus_per_task) {
  const uint32_t used = used_threads(job, node), all = cpus_per_core(node), cpus = tasks * cpus_per_task;
  return used == all ? cpus : (cpus + used - 1) / used * all;
}

/* The inverse: the tasks of an exactly placed job on its k-th node. */
static inline uint32_t placed_tasks(const job_record_t *job, uint32_t k, int node, uint32_t cpus_per_task) {
  const uint32_t used = used_threads(job, node), all = cpus_per_core(node), cpus = job->job_resrcs->cpus[k];
  return (used == all ? cpus : cpus / all * used) / (cpus_per_task ? cpus_per_task : 1);
}

#endif
