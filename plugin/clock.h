/* SPDX-License-Identifier: GPL-2.0-or-later
 * The system's clocks as seconds.
 */
#ifndef DFRS_PLUGIN_CLOCK_H
#define DFRS_PLUGIN_CLOCK_H

#include <time.h>

static inline double clock_seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Since the epoch. */
static inline double wall_clock(void) { return clock_seconds(CLOCK_REALTIME); }
static inline double monotonic_clock(void) { return clock_seconds(CLOCK_MONOTONIC); }
/* CPU time that this thread has used. */
static inline double thread_cpu_clock(void) { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

#endif
