/* SPDX-License-Identifier: GPL-2.0-or-later
 * Places the tasks of a job that asks for a layout: a number of nodes, a number of tasks on each, or several nodes by
 * name. The policy does not know layouts. It decides when such a job starts and which nodes it may use. This part
 * chooses those with the fewest cores in use and deals out tasks to them in turn. The job is then placed exactly, and
 * shares cores like any other.
 */
#ifndef DFRS_PLUGIN_LAYOUT_H
#define DFRS_PLUGIN_LAYOUT_H

#include "plugin/compat.h"
#include "shim/gate.h"

struct layout {
  struct dfrs_plan plan; /* DFRS_PLAN_EXACT; its arrays are these: */
  uint32_t *nodes;
  uint16_t *node_tasks;
};

/* Places the job on nodes that are both in `allowed` and in `available`. The node counts are those that
 * select_p_job_test gets. False: there is no way now, and nothing to free. Caller holds the job and node locks. */
bool layout_make(const job_record_t *job, const bitstr_t *available, uint32_t min_nodes, uint32_t max_nodes,
                 uint32_t req_nodes, const struct dfrs_plan *allowed, struct layout *layout);
/* Frees the arrays of a layout. */
void layout_free(struct layout *layout);

#endif
