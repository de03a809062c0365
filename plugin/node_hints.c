/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/node_hints.h"

#include <stdlib.h>

enum { kHeaderWords = 2 }; /* of a bitmap of Slurm's; a wrong number would cost time alone */

void node_hints_reserve(struct node_hints *known, size_t jobs) {
  if (known->room >= jobs) return;
  size_t room = 1024;
  while (room < 2 * jobs) room *= 2;
  node_hints_free(known);
  known->first = calloc(room, sizeof(*known->first));
  if (known->first) known->room = room;
}

void node_hints_free(struct node_hints *known) {
  free(known->first);
  *known = (struct node_hints){0};
}

static uint32_t *hint(const struct node_hints *known, uint32_t job_id) {
  return known->room ? &known->first[job_id & (known->room - 1)] : NULL;
}

/* The same as node_hints_list(), from this node on. 0 if it is not one of them. */
static uint32_t list_from(bitoff_t from, const bitstr_t *map, bitoff_t size, uint32_t count, uint32_t *nodes) {
  uint32_t found = 0;
  if (from < 0 || from >= size || !compat_bit(map, from)) return 0;
  for (bitoff_t i = from; i < size && found < count; ++i)
    if (compat_bit(map, i)) nodes[found++] = (uint32_t)i;
  return found;
}

uint32_t node_hints_list(struct node_hints *known, uint32_t job_id, const bitstr_t *map, bitoff_t size, uint32_t count,
                         uint32_t *nodes) {
  uint32_t *const first = hint(known, job_id);
  if (first && list_from(*first, map, size, count, nodes) == count) return count;
  const uint32_t found = list_from(bit_ffs((bitstr_t *)map), map, size, count, nodes);
  if (first && found > 0) *first = nodes[0];
  return found;
}

void node_hints_prefetch(const struct node_hints *known, uint32_t job_id, const bitstr_t *map) {
  const uint32_t *const first = hint(known, job_id);
  __builtin_prefetch(map); /* its size */
  if (first) __builtin_prefetch((const char *)(map + kHeaderWords) + *first / 8);
}
