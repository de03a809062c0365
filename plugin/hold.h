/* SPDX-License-Identifier: GPL-2.0-or-later
 * One hold of Slurm's write locks. RPCs wait for them, so long work gives them up in between.
 */
#ifndef DFRS_PLUGIN_HOLD_H
#define DFRS_PLUGIN_HOLD_H

#include <stdbool.h>

#include "plugin/clock.h"

struct hold {
  double since, cpu_since;
  double step_since;   /* CPU time */
  double longest_step; /* s of CPU time */
  const char *longest_step_of;
};

static inline struct hold hold_begun(void) {
  const double cpu = thread_cpu_clock();
  return (struct hold){.since = monotonic_clock(), .cpu_since = cpu, .step_since = cpu, .longest_step_of = "look"};
}

/* To be called after each piece of work, but not for each of many short ones: it takes a system call. `what`: a string
 * constant, for the log. */
static inline void hold_did(struct hold *hold, const char *what) {
  const double cpu = thread_cpu_clock();
  if (cpu - hold->step_since > hold->longest_step) {
    hold->longest_step = cpu - hold->step_since;
    hold->longest_step_of = what;
  }
  hold->step_since = cpu;
}

/* For 1 ms: what is under way then may take two more. */
static inline bool hold_may_last(const struct hold *hold) { return monotonic_clock() - hold->since < 0.001; }

/* How long the write locks were held. */
struct hold_times {
  double longest;      /* s, of one hold */
  double longest_cpu;  /* s of CPU time, of one hold: the wait for others if this thread had a core of its own */
  double longest_step; /* s of CPU time, in that hold */
  const char *longest_step_of;
  double total; /* s */
  unsigned holds;
};

static inline void hold_ended(const struct hold *hold, struct hold_times *times) {
  const double held = monotonic_clock() - hold->since, used = thread_cpu_clock() - hold->cpu_since;
  times->total += held;
  if (held > times->longest) times->longest = held;
  if (used > times->longest_cpu) {
    times->longest_cpu = used;
    times->longest_step = hold->longest_step;
    times->longest_step_of = hold->longest_step_of;
  }
  ++times->holds;
}

#endif
