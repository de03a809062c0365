/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cores that exactly placed jobs hold, as cons_tres sees them.
 *
 * cons_tres keeps each partition's jobs in rows, each with a bitmap of cores per node, and builds a partition's
 * rows again whenever a job leaves. With jobs that share cores it needs as many rows as jobs share a core, which takes
 * too long. So jobs that are placed exactly are kept out of the rows. Instead a partition record of our own stands at
 * the end of cons_tres' list, with one row in which as many cores of a node are taken as our running jobs there ask for
 * (all of them at most). Jobs of other partitions thereby find those cores taken, as before, and the allocated CPUs
 * that sinfo shows are right. It belongs to no partition that a job can be in, so cons_tres never changes it.
 *
 * Which cores are shown says nothing about where jobs run: that is not pinned. When cons_tres looks into the future
 * (backfill, --test-only), it leaves the row out: those cores count as free once other jobs have ended.
 *
 * Callers hold the job and node write locks.
 */
#ifndef DFRS_PLUGIN_SHARED_ROW_H
#define DFRS_PLUGIN_SHARED_ROW_H

#include "plugin/compat.h"

/* Takes the record out of cons_tres' list and forgets all counts: before cons_tres' node_init and fini. */
void shared_row_detach(void);
/* Puts an empty one at the end of the list: after node_init. */
void shared_row_attach(void);

/* A job with that many cores starts or stops holding them on a node (index of the node table). */
void shared_row_add(int node, uint32_t cores);
void shared_row_remove(int node, uint32_t cores);

/* After a job that cons_tres placed has begun or ceased to hold cores of these nodes. */
void shared_row_refresh(const bitstr_t *nodes);

/* What exactly placed jobs that run hold there: cores (their sum, may be more than there are), and how many jobs. */
uint32_t shared_row_cores(int node);
uint32_t shared_row_jobs(int node);
/* Whether a job that cons_tres placed holds this core, or any core (core < 0), of a node. */
bool shared_row_foreign(int node, int core);

#endif
