/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/saving.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "plugin/clock.h"
#include "plugin/compat.h"

static const double kShareBeforeLaunches = 0.2;
static const double kShareOtherwise = 0.1;
static const double kShortestPause = 0.2; /* s, between saves that nothing waits for */

static double last_begin = -INFINITY, last_end = -INFINITY; /* s, monotonic */
static time_t last_second;                                  /* the one in which it began, of Slurm's clock */

static double last_took(void) { return last_end > last_begin ? last_end - last_begin : 0; }

static void wait_a_moment(void) {
  const struct timespec moment = {.tv_nsec = 100000000};
  nanosleep(&moment, NULL);
}

/* Slurm's thread that saves, as far as we know. slurmctld starts it after us and joins it after us, so that we may
 * change its number in between. */
static pthread_t saver;

/* Has Slurm's own thread save everything: on shutdown it saves before it ends. Then starts it again. Does nothing
 * before slurmctld has started that thread. */
static void flush(void) {
  if (slurmctld_config.thread_id_save == 0) return;
  if (!pthread_equal(slurmctld_config.thread_id_save, saver)) {
    wait_a_moment(); /* its number may be set just before it runs */
    saver = slurmctld_config.thread_id_save;
  }
  shutdown_state_save();
  pthread_join(saver, NULL); /* logs what goes wrong */
  for (int failed = 0; pthread_create(&saver, NULL, slurmctld_state_save, NULL) != 0; ++failed) {
    if (failed % 100 == 0) error("sched/dfrs: cannot start Slurm's thread that saves again; will keep trying");
    wait_a_moment();
  }
  slurmctld_config.thread_id_save = saver;
}

void saving_now(void) {
  schedule_job_save();
  if (slurmctld_primary == 0) return;
  last_second = time(NULL);
  last_begin = monotonic_clock();
  flush();
  last_end = monotonic_clock();
}

double saving_rest(void) { return last_took() * (1 / kShareBeforeLaunches - 1); }

double saving_if_due(void) {
  if (slurmctld_primary == 0 || slurmctld_config.shutdown_time) return INFINITY;
  /* Slurm's mark is a whole second: one of the second of the last save may be newer than that. */
  if (last_job_update < last_second) return INFINITY;
  const double rest = last_took() * (1 / kShareOtherwise - 1);
  const double due = last_end + (rest > kShortestPause ? rest : kShortestPause);
  const double left = due - monotonic_clock();
  if (left > 0) return left;
  saving_now();
  /* Changes that come after the save in its second show when that is over. */
  return last_job_update < last_second ? INFINITY : kShortestPause;
}
