/* SPDX-License-Identifier: GPL-2.0-or-later
 * Whether repeated work is slow: it is, or is no longer, once several pieces in a row have said so. A single one says
 * nothing: a disk or a host may pause for a moment. For one thread.
 */
#ifndef DFRS_PLUGIN_SLOW_H
#define DFRS_PLUGIN_SLOW_H

#include <stdbool.h>

struct slow {
  double limit;   /* s; a piece of work that takes longer is slow */
  unsigned turns; /* how many pieces in a row change the answer; at least 1 */
  bool is;        /* the answer; false in the beginning */
  unsigned other; /* how many in a row have said the opposite by now */
};

static inline void slow_worked(struct slow *slow, double took) {
  slow->other = (took > slow->limit) == slow->is ? 0 : slow->other + 1;
  if (slow->other < slow->turns) return;
  slow->is = !slow->is;
  slow->other = 0;
}

#endif
