/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shows cons_tres the cores that exactly placed jobs hold.
 *
 * cons_tres keeps each partition's jobs in rows, each with a bitmap of cores per node, and rebuilds a partition's rows
 * whenever a job leaves. For jobs that share cores it would need as many rows as jobs share a core, which takes too
 * long. So exactly placed jobs stay out of the rows. Instead, the end of cons_tres' list has a partition record of our
 * own. It has one row, in which as many cores of a node are taken as our running jobs there ask for, up to all of them.
 * Jobs of other partitions thus find those cores taken, and sinfo shows the right number of allocated CPUs. No job can
 * be in that partition, so cons_tres never changes the record.
 *
 * The row does not say on which cores jobs run: they are not pinned. When cons_tres looks into the future (backfill,
 * --test-only), it leaves the row out: those cores count as free once other jobs have ended.
 *
 * Callers hold the job and node write locks.
 */
#ifndef DFRS_PLUGIN_SHARED_ROW_H
#define DFRS_PLUGIN_SHARED_ROW_H

#include "plugin/compat.h"

/* Removes the record from cons_tres' list and clears all counts. Call it before cons_tres' node_init and fini. */
void shared_row_detach(void);
/* Appends an empty record to the list. Call it after node_init. */
void shared_row_attach(void);

/* A job takes or gives back that many cores on a node (index in the node table). */
void shared_row_add(int node, uint32_t cores);
void shared_row_remove(int node, uint32_t cores);

/* Call it when a job that cons_tres placed has taken or given back cores of these nodes. */
void shared_row_refresh(const bitstr_t *nodes);

/* Sum of the cores of running jobs placed exactly there (may exceed the node's), and number of these jobs. */
uint32_t shared_row_cores(int node);
uint32_t shared_row_jobs(int node);
/* Whether a job that cons_tres placed holds this core, or any core (core < 0), of a node. */
bool shared_row_foreign(int node, int core);

#endif
