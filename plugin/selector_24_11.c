/* SPDX-License-Identifier: GPL-2.0-or-later
 * The entry points of Slurm 24.11, see selector.h.
 */
#include "plugin/selector.h"
#include "plugin/selector_forward.h"
#include "plugin/selector_test.h"

FORWARDED_BEFORE_25_05(FORWARD)

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
