/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/managed_memory.h"

#include "plugin/job_nodes.h"
#include "plugin/job_shape.h"
#include "plugin/marks.h"
#include "plugin/stock.h"

uint64_t memory_of_node(int node) {
  const node_record_t *record = compat_node(node);
  return record->real_memory > record->mem_spec_limit ? record->real_memory - record->mem_spec_limit : 0;
}

uint64_t memory_free(int node) {
  const uint64_t all = memory_of_node(node), taken = (*stock.node_usage)[node].alloc_memory;
  return all > taken ? all - taken : 0;
}

/* For a job that was placed exactly: by task. */
static uint64_t wanted_by_tasks(const job_record_t *job, uint32_t k, int node) {
  const struct job_shape shape = job_shape(job, memory_of_node(node));
  const uint32_t cpus = placed_tasks(job, k, node, 1);
  const uint64_t request = job->details->pn_min_memory;
  /* A resize may leave a node with CPUs that do not make up the tasks which the request now describes. */
  if ((request & MEM_PER_CPU) && cpus % shape.cpus_per_task != 0) return (request & ~MEM_PER_CPU) * cpus;
  return placed_tasks(job, k, node, shape.cpus_per_task) * shape.memory_per_task;
}

/* For a job that cons_tres placed, or one with whole nodes: by CPU or by node. */
static uint64_t wanted_by_request(const job_record_t *job, uint32_t k, int node) {
  const uint64_t request = job->details->pn_min_memory;
  if (request & MEM_PER_CPU)
    return (request & ~MEM_PER_CPU) * job_resources_get_node_cpu_cnt(job->job_resrcs, (int)k, node);
  return request ? request : memory_of_node(node);
}

uint64_t memory_wanted(const job_record_t *job, uint32_t k, int node) {
  const job_resources_t *held = job->job_resrcs;
  if (!(held->cr_type & COMPAT_CR_MEMORY) || held->cpus[k] == 0 || !job->details) return 0;
  if (!marked_exact(job)) return wanted_by_request(job, k, node);
  if (compat_whole_nodes(held->whole_node)) {
    /* Its request by CPU may exceed the node's memory. The whole node is enough, since no other job runs there. */
    const uint64_t wanted = wanted_by_request(job, k, node), all = memory_of_node(node);
    return wanted < all ? wanted : all;
  }
  return job->details->pn_min_memory ? wanted_by_tasks(job, k, node) : memory_of_node(node);
}

void memory_add(int node, uint64_t mib, const job_record_t *job) {
  uint64_t *const allocated = &(*stock.node_usage)[node].alloc_memory;
  *allocated += mib;
  if (*allocated > compat_node(node)->real_memory)
    error("dfrs: node %s has more memory allocated (%" PRIu64 " MiB) than it has, with job %u", compat_node(node)->name,
          *allocated, job->job_id);
}

void memory_remove(int node, uint64_t mib, const job_record_t *job) {
  uint64_t *const allocated = &(*stock.node_usage)[node].alloc_memory;
  if (*allocated < mib) {
    error("dfrs: node %s has less memory allocated (%" PRIu64 " MiB) than job %u gives back (%" PRIu64 " MiB)",
          compat_node(node)->name, *allocated, job->job_id, mib);
    *allocated = 0;
  } else {
    *allocated -= mib;
  }
}

bool memory_can_be_given_back(const job_record_t *job) {
  const uint64_t *const held = job->job_resrcs->memory_allocated;
  if (!held) return false;
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at))
    if (held[at.k] != memory_wanted(job, at.k, at.node)) {
      debug("dfrs: job %u keeps its memory while it is paused: %" PRIu64 " MiB on %s are not what its request says",
            job->job_id, held[at.k], compat_node(at.node)->name);
      return false;
    }
  return true;
}

void memory_give_back(job_record_t *job) {
  uint64_t *const held = job->job_resrcs->memory_allocated;
  if (!memory_can_be_given_back(job)) return;
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at)) {
    memory_remove(at.node, held[at.k], job);
    held[at.k] = 0;
  }
}

bool memory_has_room(const job_record_t *job) {
  if (!memory_given_back(job)) return true;
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at))
    if (memory_wanted(job, at.k, at.node) > memory_free(at.node)) return false;
  return true;
}

void memory_take(job_record_t *job) {
  if (!memory_given_back(job)) return;
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at)) {
    const uint64_t wanted = memory_wanted(job, at.k, at.node);
    memory_add(at.node, wanted, job);
    job->job_resrcs->memory_allocated[at.k] = wanted;
  }
}
