/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where the tasks of a job go that says something of its layout, which the policy does not know of: how many nodes, how
 * many tasks on each at most, or several nodes by name. The policy says when such a job starts, and on which nodes it
 * may; here the nodes with the fewest cores in use are picked, and the tasks dealt out evenly. The job is placed
 * exactly after that, and shares cores like any other.
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
