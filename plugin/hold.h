/* SPDX-License-Identifier: GPL-2.0-or-later
 * One hold of Slurm's write locks. RPCs wait for them, so long work gives them up in between.
 */
#ifndef DFRS_PLUGIN_HOLD_H
#define DFRS_PLUGIN_HOLD_H

#include <stdbool.h>

#include "plugin/clock.h"

struct hold {
  double since, cpu_since;
};

static inline struct hold hold_begun(void) {
  return (struct hold){.since = monotonic_clock(), .cpu_since = thread_cpu_clock()};
}

/* For 3 ms. */
static inline bool hold_may_last(const struct hold *hold) { return monotonic_clock() - hold->since < 0.003; }

#endif
