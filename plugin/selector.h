/* SPDX-License-Identifier: GPL-2.0-or-later
 * Between the selector (select_cons_tres.c) and the entry points whose form differs between generations of Slurm:
 *
 *   selector_22_05.c   22.05
 *   selector_23_11.c   23.11
 *   selector_24_11.c   24.11
 *   selector_25_05.c   25.05 and later
 *
 * ./configure picks one of them.
 */
#ifndef DFRS_PLUGIN_SELECTOR_H
#define DFRS_PLUGIN_SELECTOR_H

#include "plugin/compat.h"
#include "plugin/placement.h"

/* The arguments of select_p_job_test that all versions have. `stock` asks cons_tres, with those that only its own file
 * knows, in `more`. */
struct selector_test {
  job_record_t *job;
  bitstr_t *nodes;
  uint32_t min_nodes, max_nodes, req_nodes;
  uint16_t mode;
  struct reserved_cores reserved;
  int (*stock)(const struct selector_test *test);
  const void *more;
};

int selector_job_test(const struct selector_test *test);

/* Defaults of CPUs and memory for each GPU, of a list of JobDefaults. */
uint64_t selector_def_cpu_per_gpu(compat_list defaults);
uint64_t selector_def_mem_per_gpu(compat_list defaults);

#endif
