/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cores that reservations keep from a job, as select_p_job_test gets them since 23.11.
 */
#ifndef DFRS_PLUGIN_SELECTOR_RESERVED_H
#define DFRS_PLUGIN_SELECTOR_RESERVED_H

#include "plugin/selector.h"

typedef resv_exc_t selector_reserved_t;

/* One bitmap of cores for each node that has any; no array at all if there is none. */
static bool any_on(const struct reserved_cores *reserved, int node) {
  bitstr_t *const *const nodes = reserved->map;
  return nodes && nodes[node] && bit_ffs(nodes[node]) >= 0;
}

static struct reserved_cores selector_reserved(const selector_reserved_t *reserved) {
  return (struct reserved_cores){any_on, reserved ? reserved->exc_cores : NULL};
}

#endif
