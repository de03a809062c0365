/* SPDX-License-Identifier: GPL-2.0-or-later
 * The entry points of Slurm 25.05 and later, see selector.h.
 */
#include "plugin/selector_reserved.h"
#include "plugin/stock.h"
#define SINCE_24_11(...) __VA_ARGS__
#include "plugin/selector_test.h"

static void (*stock_job_mem_reduce)(job_record_t *); /* since 26.05 */

const struct stock_name selector_names[] = {
    {"select_p_job_test", &stock_job_test, false},
    {"select_p_job_mem_reduce", &stock_job_mem_reduce, true},
    {NULL, NULL, false},
};

/* cons_tres takes the memory from the nodes' sums alone, where exactly placed jobs are counted, too. */
void select_p_job_mem_reduce(job_record_t *job) {
  if (stock_job_mem_reduce) stock_job_mem_reduce(job);
}

uint64_t selector_def_cpu_per_gpu(compat_list defaults) { return slurm_get_def_cpu_per_gpu(defaults); }
uint64_t selector_def_mem_per_gpu(compat_list defaults) { return slurm_get_def_mem_per_gpu(defaults); }
