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

/* For 1 ms: what is under way then may take two more. */
static inline bool hold_may_last(const struct hold *hold) { return monotonic_clock() - hold->since < 0.001; }

/* How long the write locks were held. */
struct hold_times {
  double longest;     /* s, of one hold */
  double longest_cpu; /* s of CPU time, of one hold: the wait for others if this thread had a core of its own */
  double total;       /* s */
  unsigned holds;
};

static inline void hold_ended(const struct hold *hold, struct hold_times *times) {
  const double held = monotonic_clock() - hold->since, used = thread_cpu_clock() - hold->cpu_since;
  times->total += held;
  if (held > times->longest) times->longest = held;
  if (used > times->longest_cpu) times->longest_cpu = used;
  ++times->holds;
}

#endif
