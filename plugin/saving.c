/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/saving.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "plugin/clock.h"
#include "plugin/compat.h"

static const double kShareBeforeLaunches = 0.2;
static const double kShareOtherwise = 0.1;
static const double kShortestPause = 0.2; /* s, between saves for which nothing waits */
/* s; a backup that gives control back may still be writing its last state. It ends if it finds a newer one, instead of
 * standing by again, so we do not save sooner than Slurm would. */
static const double kBackupWrites = 5;

static double last_begin = -INFINITY, last_end = -INFINITY; /* s, monotonic */
static time_t last_second;                                  /* in which the last save began, by Slurm's clock */

static double last_took(void) { return last_end > last_begin ? last_end - last_begin : 0; }

static void wait_a_moment(void) {
  const struct timespec moment = {.tv_nsec = 100000000};
  nanosleep(&moment, NULL);
}

/* Slurm's saving thread, once known. slurmctld starts it after us and joins it after us, so that we may replace it in
 * between. */
static pthread_t saver;

/* Stops Slurm's saving thread, which saves everything before it ends, and starts it again. Does nothing before
 * slurmctld has started that thread. */
static void flush(void) {
  if (slurmctld_config.thread_id_save == 0) return;
  if (!pthread_equal(slurmctld_config.thread_id_save, saver)) {
    wait_a_moment(); /* the id may be set just before the thread runs */
    saver = slurmctld_config.thread_id_save;
  }
  shutdown_state_save();
  pthread_join(saver, NULL); /* the thread logs its errors */
  for (int failed = 0; pthread_create(&saver, NULL, slurmctld_state_save, NULL) != 0; ++failed) {
    if (failed % 100 == 0) error("sched/dfrs: cannot restart Slurm's saving thread; will keep trying");
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
  /* Slurm's time of change is a whole second: a change in the second of the last save may be newer than the save. */
  if (last_job_update < last_second) return INFINITY;
  const double rest = last_took() * (1 / kShareOtherwise - 1);
  const double due = last_end + (rest > kShortestPause ? rest : kShortestPause);
  const double now = monotonic_clock();
  static double begun = -1;
  if (begun < 0) begun = now;
  if (slurm_conf.control_cnt > 1 && now < begun + kBackupWrites) return begun + kBackupWrites - now;
  const double left = due - now;
  if (left > 0) return left;
  saving_now();
  /* A change after the save but in its second shows when that second is over. */
  return last_job_update < last_second ? INFINITY : kShortestPause;
}
