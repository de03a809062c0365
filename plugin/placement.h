/* SPDX-License-Identifier: GPL-2.0-or-later
 * Exact placement: builds a job's job_resources for the plan that the sched thread has published, as cons_tres does for
 * its own choice, and counts what such jobs hold, in place of cons_tres' rows.
 *
 * Callers hold the job and node write locks.
 */
#ifndef DFRS_PLUGIN_PLACEMENT_H
#define DFRS_PLUGIN_PLACEMENT_H

#include "plugin/compat.h"
#include "shim/gate.h"

/* Cores that reservations keep from a job. Their map differs between versions of Slurm. */
struct reserved_cores {
  bool (*any_on)(const struct reserved_cores *reserved, int node);
  const void *map; /* NULL: none */
};

/* What select_p_job_test is to do for RUN_NOW. On SLURM_SUCCESS job->job_resrcs is set and node_bitmap holds the plan's
 * nodes; otherwise nothing was changed but that job->job_resrcs is freed. */
int place_exactly(job_record_t *job, bitstr_t *node_bitmap, uint32_t min_nodes, uint32_t max_nodes,
                  const struct dfrs_plan *plan, const struct reserved_cores *reserved);

/* The consumable resources of a job in a partition: SelectTypeParameters of the cluster and of the partition. */
uint16_t placement_cr_type(const part_record_t *part);

/* Whether exclusive use, by this job or another one, allows the job on the node. Paused jobs do not count. */
bool placement_open(const job_record_t *job, int node);

/* An exactly placed job (marks.h) takes its cores or gives them back, unless it has done so already. For memory
 * see managed_memory.h. */
void placed_cores_take(job_record_t *job);
void placed_cores_give_back(job_record_t *job);
/* No job's cores are counted: before all jobs are added from the beginning. */
void placed_cores_forget(void);
/* Whether no other job is in the way of a resume: if this job is exclusive, its nodes must be empty; if not, no
 * exclusive job may be on them. */
bool placed_has_room(const job_record_t *job);
/* Removes a node from the job: its cores, its memory, and its entry in job_resources. */
int placed_resize(job_record_t *job, const node_record_t *node);

#endif
