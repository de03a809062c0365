/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cores that reservations keep from a job, as select_p_job_test gets them before 23.11.
 */
#ifndef DFRS_PLUGIN_SELECTOR_RESERVED_22_05_H
#define DFRS_PLUGIN_SELECTOR_RESERVED_22_05_H

#include "plugin/selector.h"

typedef bitstr_t selector_reserved_t;

/* One bitmap of the cores of all nodes. */
static bool any_on(const struct reserved_cores *reserved, int node) {
  const bitstr_t *const map = reserved->map;
  if (!map) return false;
  const int end = (int)cr_get_coremap_offset((uint32_t)node + 1);
  for (int core = (int)cr_get_coremap_offset((uint32_t)node); core < end && core < bit_size((bitstr_t *)map); ++core)
    if (compat_bit(map, core)) return true;
  return false;
}

static struct reserved_cores selector_reserved(const selector_reserved_t *cores) {
  return (struct reserved_cores){any_on, cores};
}

#endif
