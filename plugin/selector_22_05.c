/* SPDX-License-Identifier: GPL-2.0-or-later
 * The entry points of Slurm 22.05, see selector.h.
 */
#include "plugin/selector_forward.h"
#include "plugin/selector_reserved_22_05.h"
#define SINCE_24_11(...)
#include "plugin/selector_test.h"

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

const struct stock_name selector_names[] = {
    FORWARDED_BEFORE_25_05(FORWARD_NAME) FORWARDED(FORWARD_NAME)
    /* others than those of the form above */
    {"select_p_job_test", &stock_job_test, false},
    GPU_DEFAULTS_NAMES("common"),
    {NULL, NULL, false},
};
