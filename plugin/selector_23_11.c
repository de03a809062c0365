/* SPDX-License-Identifier: GPL-2.0-or-later
 * The entry points of Slurm 23.11, see selector.h.
 */
#include "plugin/selector_forward.h"
#include "plugin/selector_reserved.h"
#define SINCE_24_11(...)
#include "plugin/selector_test.h"

FORWARDED_BEFORE_25_05(FORWARD)

const struct stock_name selector_names[] = {
    FORWARDED_BEFORE_25_05(FORWARD_NAME)
    /* others than those of the form above */
    {"select_p_job_test", &stock_job_test, false},
    GPU_DEFAULTS_NAMES("cons_helpers"),
    {NULL, NULL, false},
};
