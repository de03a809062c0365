/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/saving.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "plugin/clock.h"
#include "plugin/compat.h"
#include "plugin/pace.h"
#include "plugin/slow.h"

/* Saves before launches. Single ones follow one another at once; the credit of rest is for 2 s of saving. */
static struct pace launches = {.share = 0.2, .credit = 8};
static const double kShareOtherwise = 0.1;
/* A longer save takes most of the time from a submission to its start. */
static struct slow slow = {.limit = 0.05, .turns = 5};
static const double kShortestPause = 0.2; /* s, between saves for which nothing waits */
/* s; a backup that gives control back may still be writing its last state. It ends if it finds a newer one, instead of
 * standing by again, so we do not save sooner than Slurm would. */
static const double kBackupWrites = 5;
/* s; see let_end(). */
static const double kLongestHold = 1, kLongestHoldAtEnd = 10;
/* s; where no save succeeds while jobs keep changing, as when the disk is full: from when on we hold them still, and
 * how long we wait in all. */
static const double kHoldAfter = 3, kLongestWait = 60;

static double last_begin = -INFINITY, last_end = -INFINITY; /* s, monotonic */
static time_t last_second;                                  /* in which the last save began, by Slurm's clock */

static void wait_for(double seconds) {
  const struct timespec moment = {.tv_nsec = (long)(seconds * 1e9)};
  nanosleep(&moment, NULL);
}

/* Slurm's saving thread, once known. slurmctld starts it after us and joins it after us, so that we may replace it in
 * between. */
static pthread_t saver;
/* It has been told to save all and end. It ends when nothing is left to save: while jobs keep changing (submissions,
 * ends of tasks) it saves again and again. */
static bool leaving;

static void start_saver(void) {
  for (int failed = 0; pthread_create(&saver, NULL, slurmctld_state_save, NULL) != 0; ++failed) {
    if (failed % 100 == 0) error("sched/dfrs: cannot restart Slurm's saving thread; will keep trying");
    wait_for(0.1);
  }
  slurmctld_config.thread_id_save = saver;
}

static bool joined(void) { return pthread_tryjoin_np(saver, NULL) == 0; } /* it logs its errors */

/* Starts the thread again after it has ended; it then saves as it does by itself. */
static void saver_again(void) {
  leaving = false;
  start_saver();
}

static bool ended(void) {
  if (!joined()) return false;
  saver_again();
  return true;
}

/* Lets the thread end though jobs keep changing: with read locks, which it needs too, we stop the changes for the one
 * or two saves that this takes. */
static bool let_end(double longest) {
  if (!leaving || ended()) return true;
  const slurmctld_lock_t locks = {.conf = READ_LOCK, .job = READ_LOCK, .node = READ_LOCK};
  lock_slurmctld(locks);
  bool done = false;
  for (const double until = monotonic_clock() + longest; !(done = joined()) && monotonic_clock() < until;)
    wait_for(0.0005);
  unlock_slurmctld(locks);
  if (done) saver_again();
  return done;
}

/* Slurm replaces the file with each save of its jobs. */
struct file_seen {
  ino_t inode;
  struct timespec changed;
};

static bool see_file(const char *path, struct file_seen *seen) {
  struct stat now;
  if (stat(path, &now) != 0) return false; /* just being replaced, or never written */
  const bool same = now.st_ino == seen->inode && now.st_mtim.tv_sec == seen->changed.tv_sec &&
                    now.st_mtim.tv_nsec == seen->changed.tv_nsec;
  *seen = (struct file_seen){.inode = now.st_ino, .changed = now.st_mtim};
  return !same;
}

/* Waits until the thread has ended, or has written the jobs twice: the second time it began after the call. */
static bool saved(const char *path) {
  struct file_seen seen = {0};
  int times = 0;
  if (path) (void)see_file(path, &seen);
  const double until = monotonic_clock() + kLongestWait;
  double hold_at = monotonic_clock() + kHoldAfter;
  for (; monotonic_clock() < until; wait_for(0.0005)) {
    if (ended()) return true;
    if (path && see_file(path, &seen) && ++times == 2) return true;
    if (monotonic_clock() < hold_at) continue;
    if (let_end(kLongestHold)) return true;
    hold_at = monotonic_clock() + kHoldAfter;
  }
  return false;
}

/* Makes Slurm's thread save everything. False: it could not, or slurmctld has not started that thread yet. */
static bool flush(void) {
  if (slurmctld_config.thread_id_save == 0) return false;
  if (!pthread_equal(slurmctld_config.thread_id_save, saver)) {
    wait_for(0.1); /* the id may be set just before the thread runs */
    saver = slurmctld_config.thread_id_save;
    leaving = false;
  }
  char *path = xstrdup_printf("%s/job_state", slurm_conf.state_save_location);
  bool done = false;
  /* Where the last save left the thread behind, that one may have ended without what is to be saved now. */
  for (bool again = true; again;) {
    again = leaving && !ended();
    if (!leaving) shutdown_state_save();
    leaving = true;
    done = saved(path);
    again = again && !leaving;
  }
  if (!done) error("sched/dfrs: jobs could not be saved within %.0f s; see Slurm's errors above", kLongestWait);
  xfree(path);
  return done;
}

/* False: a backup controller, in which Slurm saves later. */
static bool save(void) {
  schedule_job_save();
  if (slurmctld_primary == 0) return false;
  last_second = time(NULL);
  last_begin = monotonic_clock();
  const bool done = flush();
  last_end = monotonic_clock();
  if (done) slow_worked(&slow, saving_took());
  return true;
}

void saving_now(void) {
  if (save()) pace_worked(&launches, last_begin, last_end);
}

void saving_finish(void) { (void)let_end(kLongestHoldAtEnd); }

double saving_took(void) { return last_end > last_begin ? last_end - last_begin : 0; }

bool saving_is_slow(void) { return slow.is; }

double saving_rest(void) { return pace_rest(&launches, monotonic_clock()); }

double saving_if_due(void) {
  if (slurmctld_primary == 0 || slurmctld_config.shutdown_time) return INFINITY;
  if (!let_end(kLongestHold)) return kShortestPause;
  /* Slurm's time of change is a whole second: a change in the second of the last save may be newer than the save. */
  if (last_job_update < last_second) return INFINITY;
  const double rest = saving_took() * (1 / kShareOtherwise - 1);
  const double due = last_end + (rest > kShortestPause ? rest : kShortestPause);
  const double now = monotonic_clock();
  static double begun = -1;
  if (begun < 0) begun = now;
  if (slurm_conf.control_cnt > 1 && now < begun + kBackupWrites) return begun + kBackupWrites - now;
  const double left = due - now;
  if (left > 0) return left;
  (void)save();
  /* A change after the save but in its second shows when that second is over. */
  return last_job_update < last_second ? INFINITY : kShortestPause;
}
