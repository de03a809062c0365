/* SPDX-License-Identifier: GPL-2.0-or-later
 * plugin/saving.c: jobs are on disk when saving_now() returns, also while they keep changing. The test stands in for
 * slurmctld: its saving thread ends when nothing is left to save, and only then.
 */
#include "plugin/saving.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "plugin/compat.h"

/* ---- slurmctld ---- */

slurm_conf_t slurm_conf;
slurmctld_config_t slurmctld_config;
__typeof__(slurmctld_primary) slurmctld_primary = 1; /* an int in 22.05, a bool since */
time_t last_job_update;

static pthread_rwlock_t job_lock = PTHREAD_RWLOCK_INITIALIZER;
static long jobs; /* stands for all that is to be saved; under job_lock */

static pthread_mutex_t save_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t save_due = PTHREAD_COND_INITIALIZER;
static bool run_saver = true;
static int due;

static atomic_int saves; /* begun */
static atomic_bool storm_over = true;
static atomic_bool disk_full;
static atomic_bool disk_slow;

static char folder[] = "/tmp/dfrs-saving-XXXXXX";

int get_log_level(void) { return LOG_LEVEL_QUIET; }
void log_var(const log_level_t level, const char* format, ...) {
  (void)level;
  (void)format;
}
char* xstrdup_printf(const char* format, ...) {
  (void)format;
  char* text = NULL;
  return asprintf(&text, "%s/job_state", folder) < 0 ? NULL : text;
}
void slurm_xfree(void** item) {
  free(*item);
  *item = NULL;
}

void lock_slurmctld(slurmctld_lock_t levels) {
  if (levels.job != READ_LOCK) abort();
  pthread_rwlock_rdlock(&job_lock);
}
void unlock_slurmctld(slurmctld_lock_t levels) {
  (void)levels;
  pthread_rwlock_unlock(&job_lock);
}

void schedule_job_save(void) {
  pthread_mutex_lock(&save_lock);
  ++due;
  pthread_cond_broadcast(&save_due);
  pthread_mutex_unlock(&save_lock);
}

void shutdown_state_save(void) {
  pthread_mutex_lock(&save_lock);
  run_saver = false;
  pthread_cond_broadcast(&save_due);
  pthread_mutex_unlock(&save_lock);
}

static void pause_for(long microseconds) {
  const struct timespec time = {.tv_nsec = microseconds * 1000};
  nanosleep(&time, NULL);
}

static const char* path_of(const char* name) {
  static _Thread_local char path[sizeof(folder) + 32];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  return path;
}

/* With thousands of jobs a save takes longer than it takes the next job to come: while jobs come, none ends before. */
static void await_change(long saved) {
  for (int tries = 0; tries < 20 && !atomic_load(&storm_over); ++tries) {
    pthread_rwlock_rdlock(&job_lock);
    const bool changed = jobs != saved;
    pthread_rwlock_unlock(&job_lock);
    if (changed) return;
    pause_for(1000);
  }
}

static void save(void) {
  atomic_fetch_add(&saves, 1);
  pthread_rwlock_rdlock(&job_lock);
  const long value = jobs;
  pause_for(atomic_load(&disk_slow) ? 60000 : 1000);
  pthread_rwlock_unlock(&job_lock);
  await_change(value);
  if (atomic_load(&disk_full)) return;
  FILE* const file = fopen(path_of("job_state.new"), "w");
  if (!file || fprintf(file, "%ld\n", value) < 0 || fclose(file) != 0) abort();
  char new_file[sizeof(folder) + 32], old_file[sizeof(folder) + 32];
  strcpy(new_file, path_of("job_state.new"));
  strcpy(old_file, path_of("job_state.old"));
  const char* const file_now = path_of("job_state");
  (void)unlink(old_file);
  (void)link(file_now, old_file);
  (void)unlink(file_now);
  if (link(new_file, file_now) != 0) abort();
  (void)unlink(new_file);
}

/* As Slurm's: until it is told to end, it saves 5 s after its last save at the earliest, which is never in this test.
 */
void* slurmctld_state_save(void* unused) {
  (void)unused;
  pthread_mutex_lock(&save_lock);
  while (true) {
    if (!run_saver && due == 0) break;
    if (run_saver) {
      pthread_cond_wait(&save_due, &save_lock);
      continue;
    }
    due = 0;
    pthread_mutex_unlock(&save_lock);
    save();
    pthread_mutex_lock(&save_lock);
  }
  run_saver = true;
  pthread_mutex_unlock(&save_lock);
  return NULL;
}

static long change(void) {
  pthread_rwlock_wrlock(&job_lock);
  const long value = ++jobs;
  last_job_update = time(NULL);
  schedule_job_save();
  pthread_rwlock_unlock(&job_lock);
  return value;
}

static long on_disk(void) {
  for (int tries = 0; tries < 1000; ++tries) {
    FILE* const file = fopen(path_of("job_state"), "r");
    long value = -1;
    if (file && fscanf(file, "%ld", &value) != 1) value = -1;
    if (file) fclose(file);
    if (value >= 0) return value;
    pause_for(1000); /* it is being replaced */
  }
  return -1;
}

/* ---- a storm of submissions ---- */

static void* submit(void* unused) {
  (void)unused;
  while (!atomic_load(&storm_over)) {
    (void)change();
    pause_for(100);
  }
  return NULL;
}

static pthread_t storm_begins(void) {
  pthread_t thread;
  atomic_store(&storm_over, false);
  if (pthread_create(&thread, NULL, submit, NULL) != 0) abort();
  return thread;
}

static void storm_ends(pthread_t thread) {
  atomic_store(&storm_over, true);
  pthread_join(thread, NULL);
}

/* ---- tests ---- */

static int failures;

static void expect(bool holds, const char* what) {
  printf("%s: %s\n", holds ? "ok" : "FAIL", what);
  fflush(stdout);
  failures += !holds;
}

/* Whether the thread waits for its time, as Slurm's does, instead of saving all the time. */
static bool at_rest(void) {
  pause_for(20000);
  const int before = atomic_load(&saves);
  pause_for(50000);
  return atomic_load(&saves) == before;
}

static void quiet(void) {
  const long value = change();
  saving_now();
  expect(on_disk() == value, "a change is on disk");
  expect(at_rest(), "then the thread waits");
}

static void slow_disk(void) {
  atomic_store(&disk_slow, true);
  for (int times = 0; times < 5; ++times) {
    (void)change();
    saving_now();
  }
  atomic_store(&disk_slow, false);
  expect(saving_is_slow() && saving_took() > 0.06, "five slow saves are slow");
}

static void storm(void) {
  const pthread_t submissions = storm_begins();
  for (int round = 0; round < 20; ++round) {
    const long value = change();
    const int before = atomic_load(&saves);
    saving_now();
    const long saved = on_disk();
    if (saved < value || atomic_load(&saves) - before > 5) {
      printf("change %ld, on disk %ld, %d saves\n", value, saved, atomic_load(&saves) - before);
      expect(false, "a change is on disk after a few saves, though changes go on");
    }
  }
  expect(true, "twenty saves end while changes go on");
  (void)saving_if_due();
  expect(at_rest(), "the thread waits again, though changes go on");
  storm_ends(submissions);
  quiet();
}

static void full_disk(void) {
  const pthread_t submissions = storm_begins();
  atomic_store(&disk_full, true);
  saving_now();
  atomic_store(&disk_full, false);
  expect(true, "a save ends while changes go on and no save succeeds");
  storm_ends(submissions);
  quiet();
}

/* slurmctld ends: the plugin first, then the thread. */
static void end(void) {
  pthread_t submissions = storm_begins();
  saving_now();
  saving_finish();
  storm_ends(submissions);
  const long value = change();
  shutdown_state_save();
  pthread_join(slurmctld_config.thread_id_save, NULL);
  expect(on_disk() == value, "slurmctld's last save has all");
}

int main(void) {
  if (!mkdtemp(folder)) abort();
  slurm_conf.state_save_location = folder;
  slurm_conf.control_cnt = 1;
  saving_now();
  expect(access(path_of("job_state"), F_OK) != 0, "nothing is saved before slurmctld has a thread for it");
  if (pthread_create(&slurmctld_config.thread_id_save, NULL, slurmctld_state_save, NULL) != 0) abort();
  quiet();
  slow_disk();
  storm();
  full_disk();
  end();
  for (const char* const* name = (const char* const[]){"job_state", "job_state.old", NULL}; *name; ++name)
    (void)unlink(path_of(*name));
  (void)rmdir(folder);
  return failures != 0;
}
