/* SPDX-License-Identifier: GPL-2.0-or-later
 * The entry points of Slurm 23.11, see selector.h.
 */
#include "plugin/selector.h"
#include "plugin/selector_forward.h"

FORWARDED_BEFORE_25_05(FORWARD)

static int (*stock_job_test)(job_record_t *, bitstr_t *, uint32_t, uint32_t, uint32_t, uint16_t, List, List *,
                             resv_exc_t *);
static uint64_t (*def_cpu_per_gpu)(compat_list);
static uint64_t (*def_mem_per_gpu)(compat_list);

const struct stock_name selector_names[] = {
    FORWARDED_BEFORE_25_05(FORWARD_NAME)
    /* others than those of the form above */
    {"select_p_job_test", &stock_job_test, false},
    {"cons_helpers_get_def_cpu_per_gpu", &def_cpu_per_gpu, false},
    {"cons_helpers_get_def_mem_per_gpu", &def_mem_per_gpu, false},
    {NULL, NULL, false},
};

uint64_t selector_def_cpu_per_gpu(compat_list defaults) { return def_cpu_per_gpu(defaults); }
uint64_t selector_def_mem_per_gpu(compat_list defaults) { return def_mem_per_gpu(defaults); }

struct more {
  List preemptees;
  List *preempted;
  resv_exc_t *reserved;
};

/* One bitmap of cores for each node that has any; no array at all if there is none. */
static bool any_on(const struct reserved_cores *reserved, int node) {
  bitstr_t *const *const nodes = reserved->map;
  return nodes && nodes[node] && bit_ffs(nodes[node]) >= 0;
}

static int ask_stock(const struct selector_test *t) {
  const struct more *const more = t->more;
  return stock_job_test(t->job, t->nodes, t->min_nodes, t->max_nodes, t->req_nodes, t->mode, more->preemptees,
                        more->preempted, more->reserved);
}

int select_p_job_test(job_record_t *job, bitstr_t *nodes, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes,
                      uint16_t mode, List preemptees, List *preempted, resv_exc_t *reserved) {
  const struct more more = {preemptees, preempted, reserved};
  const struct selector_test test = {.job = job,
                                     .nodes = nodes,
                                     .min_nodes = min_nodes,
                                     .max_nodes = max_nodes,
                                     .req_nodes = req_nodes,
                                     .mode = mode,
                                     .reserved = {any_on, reserved ? reserved->exc_cores : NULL},
                                     .stock = ask_stock,
                                     .more = &more};
  return selector_job_test(&test);
}
