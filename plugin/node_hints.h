/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lists the nodes of jobs that Slurm has in bitmaps. On a large cluster, to look through the bitmap of each job for its
 * few nodes takes longer than all else that is read of the job: where the nodes begin is remembered, as a hint.
 */
#ifndef DFRS_PLUGIN_NODE_HINTS_H
#define DFRS_PLUGIN_NODE_HINTS_H

#include <stddef.h>
#include <stdint.h>

#include "plugin/compat.h"

struct node_hints {
  uint32_t *first; /* by the low bits of the job's number */
  size_t room;     /* a power of 2, or 0 */
};

/* Makes room for hints on so many jobs. Without memory there are none. */
void node_hints_reserve(struct node_hints *known, size_t jobs);
void node_hints_free(struct node_hints *known);

/* Writes the first `count` nodes of the bitmap below `size`, which is at most the bitmap's, to nodes[] in ascending
 * order. If the bitmap has no more than `count`, the hint changes nothing but the time. Returns how many there were. */
uint32_t node_hints_list(struct node_hints *known, uint32_t job_id, const bitstr_t *map, bitoff_t size, uint32_t count,
                         uint32_t *nodes);
/* Fetches from memory what node_hints_list() is about to read. */
void node_hints_prefetch(const struct node_hints *known, uint32_t job_id, const bitstr_t *map);

#endif
