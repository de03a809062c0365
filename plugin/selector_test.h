/* SPDX-License-Identifier: GPL-2.0-or-later
 * select_p_job_test. A file of entry points includes this once, after the definitions in which its version differs:
 * selector_reserved_t, and SINCE_24_11(...), which is its arguments or nothing.
 */
#ifndef DFRS_PLUGIN_SELECTOR_TEST_H
#define DFRS_PLUGIN_SELECTOR_TEST_H

#include "plugin/selector.h"

static int (*stock_job_test)(job_record_t *, bitstr_t *, uint32_t, uint32_t, uint32_t, uint16_t, compat_list,
                             compat_list *, selector_reserved_t *SINCE_24_11(, will_run_data_t *));

struct more {
  compat_list preemptees;
  compat_list *preempted;
  selector_reserved_t *reserved;
  SINCE_24_11(will_run_data_t *will_run;)
};

static int ask_stock(const struct selector_test *t) {
  const struct more *const more = t->more;
  return stock_job_test(t->job, t->nodes, t->min_nodes, t->max_nodes, t->req_nodes, t->mode, more->preemptees,
                        more->preempted, more->reserved SINCE_24_11(, more->will_run));
}

int select_p_job_test(job_record_t *job, bitstr_t *nodes, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes,
                      uint16_t mode, compat_list preemptees, compat_list *preempted,
                      selector_reserved_t *reserved SINCE_24_11(, will_run_data_t *will_run)) {
  const struct more more = {preemptees, preempted, reserved SINCE_24_11(, will_run)};
  const struct selector_test test = {.job = job,
                                     .nodes = nodes,
                                     .min_nodes = min_nodes,
                                     .max_nodes = max_nodes,
                                     .req_nodes = req_nodes,
                                     .mode = mode,
                                     .reserved = selector_reserved(reserved),
                                     .stock = ask_stock,
                                     .more = &more};
  return selector_job_test(&test);
}

#endif
