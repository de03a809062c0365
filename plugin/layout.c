/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/layout.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/job_shape.h"
#include "plugin/managed_memory.h"
#include "plugin/placement.h"
#include "plugin/shared_row.h"

struct candidate {
  uint32_t node;
  bool named;    /* the job names it and must get it */
  double in_use; /* requested cores over its cores */
  uint32_t room; /* tasks that it can take */
};

static int better(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  if (x->named != y->named) return x->named ? -1 : 1;
  if (x->in_use != y->in_use) return x->in_use < y->in_use ? -1 : 1;
  return (x->node > y->node) - (x->node < y->node);
}

static int by_node(const void *a, const void *b) {
  const struct candidate *x = a, *y = b;
  return (x->node > y->node) - (x->node < y->node);
}

/* How many tasks of the job a node can take: as many as its CPUs, its free memory and the job itself allow. */
static uint32_t room_on(const job_record_t *job, const struct job_shape *shape, int node) {
  const node_record_t *record = compat_node(node);
  uint32_t room = record->cpus_efctv / shape->cpus_per_task;
  const bool whole = compat_whole_nodes(job->details->whole_node) || job->details->pn_min_memory == 0;
  if (whole) {
    if (job->details->pn_min_memory == 0 && memory_free(node) < memory_of_node(node)) return 0;
  } else if (shape->memory_per_task > 0 && memory_free(node) / shape->memory_per_task < room) {
    room = (uint32_t)(memory_free(node) / shape->memory_per_task);
  }
  const uint16_t most = job->details->ntasks_per_node;
  if (shape->one_per_node) return room < 1 ? 0 : 1;
  return most != 0 && most != NO_VAL16 && most != INFINITE16 && most < room ? most : room;
}

static uint32_t find_candidates(const job_record_t *job, const struct job_shape *shape, const bitstr_t *available,
                                const struct dfrs_plan *allowed, struct candidate *found) {
  uint32_t count = 0;
  bitstr_t *const named = job->details->req_node_bitmap;
  for (uint32_t i = 0; i < allowed->node_count; ++i) {
    const int node = (int)allowed->nodes[i];
    if (node < 0 || node >= node_record_count || !compat_node(node) || !compat_bit(available, node)) continue;
    struct candidate *c = &found[count];
    *c = (struct candidate){.node = (uint32_t)node, .named = named && compat_bit(named, node)};
    c->room = placement_open(job, node) ? room_on(job, shape, node) : 0;
    if (c->room == 0) continue;
    const uint32_t cores = compat_node(node)->tot_cores;
    uint32_t foreign = 0;
    for (uint32_t core = 0; core < cores; ++core) foreign += shared_row_foreign(node, (int)core);
    c->in_use = (double)(shared_row_cores(node) + foreign) / (cores ? cores : 1);
    ++count;
  }
  qsort(found, count, sizeof(*found), better);
  return count;
}

/* Deals out the tasks in turn to nodes that have room. False: they do not fit. */
static bool distribute(uint32_t tasks, const struct candidate *nodes, uint32_t count, uint16_t *node_tasks) {
  memset(node_tasks, 0, count * sizeof(*node_tasks));
  for (bool dealt = true; tasks > 0 && dealt;) {
    dealt = false;
    for (uint32_t i = 0; i < count && tasks > 0; ++i)
      if (node_tasks[i] < nodes[i].room) {
        ++node_tasks[i];
        --tasks;
        dealt = true;
      }
  }
  return tasks == 0;
}

bool layout_make(const job_record_t *job, const bitstr_t *available, uint32_t min_nodes, uint32_t max_nodes,
                 uint32_t req_nodes, const struct dfrs_plan *allowed, struct layout *layout) {
  memset(layout, 0, sizeof(*layout));
  if (!job->details || allowed->node_count == 0 || !allowed->nodes) return false;
  const struct job_shape shape = job_shape(job, 0);
  uint32_t named = job->details->req_node_bitmap ? (uint32_t)bit_set_count(job->details->req_node_bitmap) : 0;
  struct candidate *found = calloc(allowed->node_count, sizeof(*found));
  layout->nodes = calloc(allowed->node_count, sizeof(*layout->nodes));
  layout->node_tasks = calloc(allowed->node_count, sizeof(*layout->node_tasks));
  bool made = false;
  if (found && layout->nodes && layout->node_tasks) {
    const uint32_t count = find_candidates(job, &shape, available, allowed, found);
    uint32_t most = max_nodes != 0 && max_nodes < count ? max_nodes : count;
    if (most > shape.tasks) most = shape.tasks;
    uint32_t wanted = req_nodes > min_nodes ? req_nodes : min_nodes;
    if (wanted < named) wanted = named;
    /* As few nodes as the job asks for; more, up to its limit, if those lack room. */
    for (uint32_t n = wanted ? wanted : 1; n <= most && !made; ++n) {
      qsort(found, count, sizeof(*found), better);
      made = distribute(shape.tasks, found, n, layout->node_tasks);
      if (!made) continue;
      for (uint32_t i = 0; i < n; ++i) found[i].room = layout->node_tasks[i];
      qsort(found, n, sizeof(*found), by_node);
      for (uint32_t i = 0; i < n; ++i) {
        layout->nodes[i] = found[i].node;
        layout->node_tasks[i] = (uint16_t)found[i].room;
      }
      layout->plan = (struct dfrs_plan){.kind = DFRS_PLAN_EXACT,
                                        .job_id = job->job_id,
                                        .node_count = n,
                                        .nodes = layout->nodes,
                                        .node_tasks = layout->node_tasks,
                                        .cpus_per_task = (uint16_t)shape.cpus_per_task,
                                        .memory_per_task = shape.memory_per_task};
    }
  }
  free(found);
  if (!made) {
    debug("dfrs: job %u cannot be laid out on the nodes that it may have now", job->job_id);
    layout_free(layout);
  }
  return made;
}

void layout_free(struct layout *layout) {
  free(layout->nodes);
  free(layout->node_tasks);
  memset(layout, 0, sizeof(*layout));
}
