/* SPDX-License-Identifier: GPL-2.0-or-later
 * Places the tasks of a job that asks for a layout: a number of nodes, a number of tasks on each, or several nodes by
 * name. The policy knows nothing of layouts. It decides when such a job starts and on which nodes it may run; of these,
 * the ones with the fewest cores in use are chosen here, and get tasks in turn. The job is then placed exactly, and
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

/* Lays the job out over some of the nodes of `allowed` that are in `available`. False: there is no way now; then
 * nothing needs to be freed. Node counts as select_p_job_test gets them. Caller holds the job and node locks. */
bool layout_make(const job_record_t *job, const bitstr_t *available, uint32_t min_nodes, uint32_t max_nodes,
                 uint32_t req_nodes, const struct dfrs_plan *allowed, struct layout *layout);
/* The arrays of one that was made. */
void layout_free(struct layout *layout);

#endif
