/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/placement.h"

#include <search.h>

#include "plugin/job_nodes.h"
#include "plugin/job_shape.h"
#include "plugin/managed_memory.h"
#include "plugin/marks.h"
#include "plugin/shared_row.h"
#include "plugin/stock.h"

static int refuse(const job_record_t *job, const char *why, const char *node) {
  debug("dfrs: job %u is not placed as planned: %s%s%s", job->job_id, why, node ? ": " : "", node ? node : "");
  return SLURM_ERROR;
}

/* cons_tres' flag for nodes that a job has to itself (--exclusive, or a partition with OverSubscribe=EXCLUSIVE). */
static uint32_t node_request(const job_record_t *job) {
  const bool alone = compat_whole_nodes(job->details->whole_node) || (job->part_ptr && job->part_ptr->max_share == 0);
  return alone ? NODE_CR_RESERVED : NODE_CR_AVAILABLE;
}

static bool node_open(uint32_t node_req, int node) {
  if ((*stock.node_usage)[node].node_state >= NODE_CR_RESERVED) return false;
  return node_req != NODE_CR_RESERVED || (shared_row_jobs(node) == 0 && !shared_row_foreign(node, -1));
}

bool placement_open(const job_record_t *job, int node) { return node_open(node_request(job), node); }

/* All checks that need no job_resources. */
static int check_plan(const job_record_t *job, const bitstr_t *node_bitmap, uint32_t min_nodes, uint32_t max_nodes,
                      const struct dfrs_plan *plan, const struct reserved_cores *reserved) {
  if (!job->details || !job->part_ptr || plan->node_count == 0 || !plan->nodes || !plan->node_tasks ||
      plan->cpus_per_task == 0)
    return refuse(job, "the plan is empty", NULL);
  if (plan->node_count < min_nodes || (max_nodes != 0 && plan->node_count > max_nodes))
    return refuse(job, "it has another number of nodes than the job asks for", NULL);
  const struct job_shape shape = job_shape(job, 0);
  if (shape.cpus_per_task != plan->cpus_per_task) return refuse(job, "the job has changed since it was planned", NULL);
  uint32_t tasks = 0;
  for (uint32_t k = 0; k < plan->node_count; ++k) {
    const int node = (int)plan->nodes[k];
    if (node < 0 || node >= node_record_count || !compat_node(node)) return refuse(job, "a node is gone", NULL);
    const char *const name = compat_node(node)->name;
    if (k > 0 && plan->nodes[k] <= plan->nodes[k - 1]) return refuse(job, "nodes are not in order", name);
    if (!compat_bit(node_bitmap, node)) return refuse(job, "the node is not available to it now", name);
    if (reserved->any_on(reserved, node)) return refuse(job, "a reservation holds cores", name);
    if (!placement_open(job, node)) return refuse(job, "the node, or the job, is not to be shared", name);
    if (plan->node_tasks[k] == 0) return refuse(job, "a node without tasks", name);
    if (placed_cpus(job, node, plan->node_tasks[k], plan->cpus_per_task) > UINT16_MAX)
      return refuse(job, "more CPUs than Slurm can count", name);
    tasks += plan->node_tasks[k];
  }
  if (job->details->req_node_bitmap) {
    bitstr_t *const named = job->details->req_node_bitmap;
    int found = 0;
    for (uint32_t k = 0; k < plan->node_count; ++k) found += compat_bit(named, plan->nodes[k]) != 0;
    const int wanted = bit_set_count(named);
    if (found < wanted) return refuse(job, "it leaves out a node that the job has named", NULL);
  }
  return tasks == shape.tasks ? SLURM_SUCCESS : refuse(job, "the job has changed since it was planned", NULL);
}

uint16_t placement_cr_type(const part_record_t *part) {
  return part ? partition_cr_type(part->cr_type) : slurm_conf.select_type_param;
}

static job_resources_t *new_resources(const job_record_t *job, const struct dfrs_plan *plan) {
  const uint32_t count = plan->node_count;
  job_resources_t *made = create_job_resources();
  made->node_bitmap = bit_alloc(node_record_count);
  for (uint32_t k = 0; k < count; ++k) bit_set(made->node_bitmap, plan->nodes[k]);
  made->nodes = bitmap2node_name(made->node_bitmap);
  made->nhosts = count;
  made->cpus = xcalloc(count, sizeof(*made->cpus));
  made->cpus_used = xcalloc(count, sizeof(*made->cpus_used));
  made->memory_allocated = xcalloc(count, sizeof(*made->memory_allocated));
  made->memory_used = xcalloc(count, sizeof(*made->memory_used));
  made->whole_node = job->details->whole_node;
  made->node_req = node_request(job);
  made->threads_per_core = job->details->mc_ptr->threads_per_core;
  made->cr_type = (uint16_t)(placement_cr_type(job->part_ptr) | COMPAT_MARK);
  return made;
}

/* Assigns cores of each node to the job. They do not pin it, but Slurm counts steps by them. Each job gets the next
 * cores in turn, those of other partitions' jobs last. */
static void name_cores(const job_record_t *job) {
  const job_resources_t *held = job->job_resrcs;
  int offset = 0;
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at)) {
    const uint32_t all = compat_node(at.node)->tot_cores;
    uint32_t left = placed_cores(job, at.k, at.node);
    for (int taken = 0; taken < 2 && left > 0; ++taken)
      for (uint32_t i = 0; i < all && left > 0; ++i) {
        const int core = (int)((shared_row_cores(at.node) + i) % all);
        if (shared_row_foreign(at.node, core) != (taken == 1)) continue;
        bit_set(held->core_bitmap, offset + core);
        --left;
      }
    offset += (int)all;
  }
}

int place_exactly(job_record_t *job, bitstr_t *node_bitmap, uint32_t min_nodes, uint32_t max_nodes,
                  const struct dfrs_plan *plan, const struct reserved_cores *reserved) {
  free_job_resources(&job->job_resrcs);
  if (check_plan(job, node_bitmap, min_nodes, max_nodes, plan, reserved) != SLURM_SUCCESS) return SLURM_ERROR;
  if (!job->details->mc_ptr) {
    job->details->mc_ptr = xmalloc(sizeof(*job->details->mc_ptr));
    job->details->mc_ptr->sockets_per_node = NO_VAL16;
    job->details->mc_ptr->cores_per_socket = NO_VAL16;
    job->details->mc_ptr->threads_per_core = NO_VAL16;
  }
  job_resources_t *const made = job->job_resrcs = new_resources(job, plan);
  const bool whole = compat_whole_nodes(made->whole_node);
  for (uint32_t k = 0; k < plan->node_count; ++k) {
    const int node = (int)plan->nodes[k];
    made->cpus[k] = whole ? compat_node(node)->cpus_efctv
                          : (uint16_t)placed_cpus(job, node, plan->node_tasks[k], plan->cpus_per_task);
  }
  for (uint32_t k = 0; k < plan->node_count; ++k) {
    const uint64_t wanted = memory_wanted(job, k, (int)plan->nodes[k]);
    if (wanted > memory_free((int)plan->nodes[k])) {
      free_job_resources(&job->job_resrcs);
      return refuse(job, "its memory is not free", compat_node((int)plan->nodes[k])->name);
    }
    made->memory_allocated[k] = wanted;
  }
  if (build_job_resources(made) != SLURM_SUCCESS || !made->core_bitmap) {
    free_job_resources(&job->job_resrcs);
    return refuse(job, "its cores cannot be described", NULL);
  }
  name_cores(job);
  const int cpus = build_job_resources_cpu_array(made);
  made->ncpus = cpus > 0 ? (uint32_t)cpus : plan->node_count;
  job->total_cpus = made->ncpus;
  bit_clear_all(node_bitmap);
  bit_or(node_bitmap, made->node_bitmap);
  return SLURM_SUCCESS;
}

/* The jobs whose cores are counted, by number: a tree of tsearch() with the numbers as keys. */
static void *counted;

static const void *key_of(const job_record_t *job) { return (const void *)(uintptr_t)job->job_id; } /* never 0 */

static int by_key(const void *a, const void *b) {
  return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static bool is_counted(const job_record_t *job) { return tfind(key_of(job), &counted, by_key) != NULL; }

static void keep_key(void *key) { (void)key; }

void placed_cores_forget(void) {
  tdestroy(counted, keep_key);
  counted = NULL;
}

void placed_cores_take(job_record_t *job) {
  if (is_counted(job)) return;
  if (!tsearch(key_of(job), &counted, by_key)) {
    error("dfrs: no memory to count the cores of job %u", job->job_id);
    return;
  }
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at)) {
    node_use_record_t *const usage = &(*stock.node_usage)[at.node];
    shared_row_add(at.node, placed_cores(job, at.k, at.node));
    usage->node_state += (uint16_t)job->job_resrcs->node_req;
    compat_node_job_add(usage, job);
  }
}

static void leave_node(job_record_t *job, uint32_t k, int node) {
  node_use_record_t *const usage = &(*stock.node_usage)[node];
  shared_row_remove(node, placed_cores(job, k, node));
  usage->node_state -=
      usage->node_state >= job->job_resrcs->node_req ? (uint16_t)job->job_resrcs->node_req : usage->node_state;
  compat_node_job_remove(usage, job);
}

void placed_cores_give_back(job_record_t *job) {
  if (!is_counted(job)) return;
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at))
    leave_node(job, at.k, at.node);
  tdelete(key_of(job), &counted, by_key);
}

bool placed_has_room(const job_record_t *job) {
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at))
    if (!node_open(job->job_resrcs->node_req, at.node)) return false;
  return true;
}

int placed_resize(job_record_t *job, const node_record_t *node) {
  for (struct job_node at = job_nodes_first(job); job_nodes_at(&at); job_nodes_next(&at)) {
    if (at.node != (int)node->index) continue;
    memory_remove(at.node, job->job_resrcs->memory_allocated[at.k], job);
    if (is_counted(job)) leave_node(job, at.k, at.node);
    extract_job_resources_node(job->job_resrcs, at.k);
    return SLURM_SUCCESS;
  }
  info("dfrs: node %s is to be removed from job %u, which does not hold it", node->name, job->job_id);
  return SLURM_SUCCESS;
}
