/* SPDX-License-Identifier: GPL-2.0-or-later
 * The entry points of Slurm 22.05, see selector.h.
 */
#include "plugin/selector.h"
#include "plugin/selector_forward.h"

FORWARDED_BEFORE_25_05(FORWARD)

#define FORWARDED(X)                                                                                            \
  X(int, job_signal, (job_record_t * job, int signal), (job, signal))                                           \
  X(char *, select_jobinfo_sprint, (select_jobinfo_t * info, char *text, size_t size, int mode),                \
    (info, text, size, mode))                                                                                   \
  X(char *, select_jobinfo_xstrdup, (select_jobinfo_t * info, int mode), (info, mode))                          \
  X(int, update_node_config, (int index), (index))                                                              \
  X(bitstr_t *, resv_test, (resv_desc_msg_t * request, uint32_t node_count, bitstr_t *avail, bitstr_t **cores), \
    (request, node_count, avail, cores))
FORWARDED(FORWARD)

static int (*stock_job_test)(job_record_t *, bitstr_t *, uint32_t, uint32_t, uint32_t, uint16_t, List, List *,
                             bitstr_t *);
static uint64_t (*def_cpu_per_gpu)(List);
static uint64_t (*def_mem_per_gpu)(List);

const struct stock_name selector_names[] = {
    FORWARDED_BEFORE_25_05(FORWARD_NAME) FORWARDED(FORWARD_NAME)
    /* others than those of the form above */
    {"select_p_job_test", &stock_job_test, false},
    {"common_get_def_cpu_per_gpu", &def_cpu_per_gpu, false},
    {"common_get_def_mem_per_gpu", &def_mem_per_gpu, false},
    {NULL, NULL, false},
};

uint64_t selector_def_cpu_per_gpu(List defaults) { return def_cpu_per_gpu(defaults); }
uint64_t selector_def_mem_per_gpu(List defaults) { return def_mem_per_gpu(defaults); }

struct more {
  List preemptees;
  List *preempted;
  bitstr_t *reserved_cores;
};

/* One bitmap of the cores of all nodes. */
static bool any_on(const struct reserved_cores *reserved, int node) {
  const bitstr_t *const map = reserved->map;
  if (!map) return false;
  const int end = (int)cr_get_coremap_offset((uint32_t)node + 1);
  for (int core = (int)cr_get_coremap_offset((uint32_t)node); core < end && core < bit_size((bitstr_t *)map); ++core)
    if (compat_bit(map, core)) return true;
  return false;
}

static int ask_stock(const struct selector_test *t) {
  const struct more *const more = t->more;
  return stock_job_test(t->job, t->nodes, t->min_nodes, t->max_nodes, t->req_nodes, t->mode, more->preemptees,
                        more->preempted, more->reserved_cores);
}

int select_p_job_test(job_record_t *job, bitstr_t *nodes, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes,
                      uint16_t mode, List preemptees, List *preempted, bitstr_t *reserved_cores) {
  const struct more more = {preemptees, preempted, reserved_cores};
  const struct selector_test test = {.job = job,
                                     .nodes = nodes,
                                     .min_nodes = min_nodes,
                                     .max_nodes = max_nodes,
                                     .req_nodes = req_nodes,
                                     .mode = mode,
                                     .reserved = {any_on, reserved_cores},
                                     .stock = ask_stock,
                                     .more = &more};
  return selector_job_test(&test);
}
