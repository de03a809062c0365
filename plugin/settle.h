/* SPDX-License-Identifier: GPL-2.0-or-later
 * After slurmctld was killed. It writes its jobs every few seconds, so a new one may take jobs for pending that run: it
 * began them and has forgotten it. A second copy of such a job would be refused by its slurmd; slurmctld then drains
 * the node and holds the job. When slurmds register, slurmctld has forgotten copies ended; nothing is started before.
 */
#ifndef DFRS_PLUGIN_SETTLE_H
#define DFRS_PLUGIN_SETTLE_H

#include <stdbool.h>

/* Whether jobs may be started. `state_dir`: where a marker file tells the next slurmctld that this one has not ended in
 * order. `now`: s of a clock that is not set. Takes the node read lock until it has once been true. One thread. */
bool settle_done(const char *state_dir, double now);
/* slurmctld ends, or hands over, in order. It saves its jobs right after. The thread has ended. */
void settle_end(void);

#endif
