/* SPDX-License-Identifier: GPL-2.0-or-later
 * Keeps repeated work to a part of the time, on average: each piece of work owes a rest. A few pieces in a row need
 * none, because some rest may be owed on credit. Times in s, of any clock that never goes back. For one thread.
 */
#ifndef DFRS_PLUGIN_PACE_H
#define DFRS_PLUGIN_PACE_H

struct pace {
  double share;  /* of the time, above 0, at most 1: what work may take in the long run */
  double credit; /* s of rest that may be owed before work has to wait */
  double owed;   /* s of rest, when the last work ended; 0 in the beginning */
  double ended;  /* when that was */
};

static inline double pace_owed(const struct pace *pace, double now) {
  const double left = pace->owed - (now - pace->ended);
  return left > 0 ? left : 0;
}

/* Work has been done from `begin` to `end`. */
static inline void pace_worked(struct pace *pace, double begin, double end) {
  pace->owed = pace_owed(pace, begin) + (end - begin) * (1 / pace->share - 1);
  pace->ended = end;
}

/* s from now on for which work has to wait. */
static inline double pace_rest(const struct pace *pace, double now) {
  const double rest = pace_owed(pace, now) - pace->credit;
  return rest > 0 ? rest : 0;
}

#endif
