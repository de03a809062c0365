/* SPDX-License-Identifier: GPL-2.0-or-later
 * plugin/usage_records.c: what slurmdbd learns about jobs with a fraction of their CPUs. The test stands in for
 * slurmctld.
 */
#include "plugin/usage_records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim/usage.h"

/* ---- slurmctld ---- */

static const time_t kHour = 1700002800; /* an hour begins, in UTC */

static time_t clock_now;
static const char* folder; /* of the file that outlives slurmctld; NULL: none */
static job_record_t job;
static compat_details details;
static bool exists;
static int locked;

void* acct_db_conn;
slurmctld_config_t slurmctld_config;
static bool with_slurmdbd = true;
compat_list job_list;

int get_log_level(void) { return LOG_LEVEL_QUIET; }
void log_var(const log_level_t level, const char* format, ...) {
  (void)level;
  (void)format;
}
time_t time(time_t* out) {
  if (out) *out = clock_now;
  return clock_now;
}
void lock_slurmctld(slurmctld_lock_t levels) { locked += levels.job == READ_LOCK; }
void unlock_slurmctld(slurmctld_lock_t levels) { locked -= levels.job == READ_LOCK; }
job_record_t* find_job_record(uint32_t job_id) { return exists && job_id == job.job_id ? &job : NULL; }

static struct {
  uint32_t state;
  time_t when;
} told[16];
static int tellings;

bool slurm_with_slurmdbd(void) { return with_slurmdbd; }

int jobacct_storage_g_job_suspend(void* connection, job_record_t* of) {
  (void)connection;
  if (of == &job || of->job_id != job.job_id || locked != 1 || tellings == 16) abort();
  told[tellings].state = of->job_state;
  told[tellings++].when = of->suspend_time;
  return SLURM_SUCCESS;
}

/* ---- the controller ---- */

static bool known;
static double share;

bool dfrs_usage_fraction(uint32_t job_id, uint32_t restarts, double from, double to, double* fraction) {
  if (!known || job_id != job.job_id || restarts != job.restart_cnt || !(to > from)) return false;
  *fraction = share;
  return true;
}

/* ---- tests ---- */

static int failures;

static void expect(bool holds, const char* what) {
  printf("%s: %s\n", holds ? "ok" : "FAIL", what);
  failures += !holds;
}

/* A job that starts at `start` and has `part` of its CPUs; slurmctld began a minute before. */
static void begin(time_t start, double part) {
  clock_now = start - 60;
  usage_records_begin(folder);
  clock_now = start;
  memset(&job, 0, sizeof(job));
  memset(&details, 0, sizeof(details));
  job.job_id = 7;
  job.details = &details;
  job.job_state = JOB_RUNNING;
  job.start_time = start;
  job.db_index = 1;
  exists = known = true;
  share = part;
  tellings = 0;
}

static double look(time_t now, enum dfrs_job_phase phase) {
  const struct dfrs_job seen = {.key = {.job_id = 7, .restarts = job.restart_cnt}, .phase = phase};
  const struct dfrs_snapshot view = {.jobs = &seen, .job_count = 1};
  clock_now = now;
  return usage_records_check(&view);
}

static void look_without_it(time_t now) {
  const struct dfrs_snapshot view = {.job_count = 0};
  clock_now = now;
  usage_records_check(&view);
}

/* The job ends, and is seen so a little later. */
static void ends_at(time_t when, time_t seen) {
  job.job_state = JOB_COMPLETE;
  job.end_time = when;
  look(seen, DFRS_JOB_ENDING);
}

static bool said(int which, time_t from, time_t to, uint32_t state) {
  return tellings >= 2 * which + 2 && told[2 * which].state == JOB_SUSPENDED && told[2 * which].when == from &&
         told[2 * which + 1].state == state && told[2 * which + 1].when == to;
}

static void at_its_end(void) {
  begin(kHour + 100, 0.25);
  expect(look(kHour + 101, DFRS_JOB_RUNNING) == 3600 - 20 - 101, "the next call is due before the hour ends");
  look(kHour + 300, DFRS_JOB_RUNNING);
  expect(tellings == 0, "while it runs nothing is said within the hour");
  ends_at(kHour + 500, kHour + 502);
  expect(said(0, kHour + 200, kHour + 500, JOB_COMPLETE), "300 of 400 s at its end, and then that it has ended");
  expect(job.job_state == JOB_COMPLETE && job.suspend_time == 0, "the job itself is not changed");
  look(kHour + 510, DFRS_JOB_ENDING);
  expect(tellings == 2, "once");
  begin(kHour + 100, 1);
  look(kHour + 101, DFRS_JOB_RUNNING);
  ends_at(kHour + 500, kHour + 502);
  expect(tellings == 0, "nothing of a job that had all its CPUs");
  begin(kHour + 100, 0.25);
  known = false;
  look(kHour + 101, DFRS_JOB_RUNNING);
  ends_at(kHour + 500, kHour + 502);
  expect(tellings == 0, "nor of one of which nothing is known");
}

static void each_hour(void) {
  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  look(kHour + 3585, DFRS_JOB_RUNNING);
  expect(said(0, kHour + 1800, kHour + 3600, JOB_RUNNING), "half an hour, at the end of the hour");
  look(kHour + 3590, DFRS_JOB_RUNNING);
  look(kHour + 3700, DFRS_JOB_RUNNING);
  expect(tellings == 2, "once in the hour");
  share = 0.6; /* over its whole run: 40 % of 7200 s are 2880, of which 1800 are known */
  look(kHour + 7190, DFRS_JOB_RUNNING);
  expect(said(1, kHour + 7200 - 1080, kHour + 7200, JOB_RUNNING), "the next hour makes up for what was guessed");
  share = 0.1;
  ends_at(kHour + 7230, kHour + 7231);
  expect(said(2, kHour + 7200, kHour + 7230, JOB_COMPLETE), "nothing goes into an hour that has been summed up");
}

static void suspensions(void) {
  begin(kHour, 0.5); /* 200 s at yield 1, 200 s suspended */
  look(kHour + 1, DFRS_JOB_RUNNING);
  job.tot_sus_time = 200;
  ends_at(kHour + 400, kHour + 401);
  expect(tellings == 0, "what Slurm has reported is not reported again");
  begin(kHour, 0.25);
  look(kHour + 1, DFRS_JOB_RUNNING);
  job.job_state = JOB_SUSPENDED;
  look(kHour + 3590, DFRS_JOB_SUSPENDED);
  expect(tellings == 0, "a suspension that has not ended is left alone");
  job.job_state = JOB_RUNNING;
  job.tot_sus_time = 1000;
  look(kHour + 3595, DFRS_JOB_RUNNING);
  expect(said(0, kHour + 3600 - 1700, kHour + 3600, JOB_RUNNING), "the rest is reported once it has");
}

static void ends_of_runs(void) {
  begin(kHour, 0.5);
  job.db_index = NO_VAL64;
  look(kHour + 1, DFRS_JOB_RUNNING);
  ends_at(kHour + 100, kHour + 101);
  expect(tellings == 0, "slurmdbd does not know the job yet");
  job.db_index = 5;
  look(kHour + 102, DFRS_JOB_ENDING);
  expect(said(0, kHour + 50, kHour + 100, JOB_COMPLETE), "now it does");

  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  clock_now = kHour + 100;
  locked = 1; /* the caller holds the lock */
  usage_records_end_run(&job);
  locked = 0;
  expect(said(0, kHour + 50, kHour + 100, JOB_RUNNING), "a run is reported before its requeue");
  job.restart_cnt = 1;
  job.start_time = kHour + 200;
  look(kHour + 201, DFRS_JOB_RUNNING);
  ends_at(kHour + 300, kHour + 301);
  expect(said(1, kHour + 250, kHour + 300, JOB_COMPLETE), "and the next one by itself");

  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  job.job_state = JOB_COMPLETE;
  job.end_time = kHour + 100;
  look_without_it(kHour + 101);
  expect(said(0, kHour + 50, kHour + 100, JOB_COMPLETE), "a job that nobody saw completing is reported, too");
  look_without_it(kHour + 102);
  expect(tellings == 2, "once");

  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  look_without_it(kHour + 100);
  look(kHour + 200, DFRS_JOB_RUNNING);
  ends_at(kHour + 300, kHour + 301);
  expect(said(0, kHour + 150, kHour + 300, JOB_COMPLETE), "one whose partition is not managed for a while, once");

  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  exists = false;
  look(kHour + 3590, DFRS_JOB_RUNNING);
  look(kHour + 3600, DFRS_JOB_ENDING);
  expect(tellings == 0, "a job that is gone is forgotten");
}

static void without_slurmdbd(void) {
  with_slurmdbd = false;
  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  look(kHour + 3590, DFRS_JOB_RUNNING);
  clock_now = kHour + 3595;
  usage_records_finish();
  expect(tellings == 0, "without slurmdbd nothing is told, also at the end");
  with_slurmdbd = true;
}

static void restarts(void) {
  char place[] = "/tmp/usage_records_test-XXXXXX", file[64];
  job_list = (compat_list)&details; /* only whether there is one counts */
  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  clock_now = kHour + 100;
  usage_records_finish();
  expect(said(0, kHour + 50, kHour + 100, JOB_RUNNING), "slurmctld ends: what is known is reported");
  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  job.job_state = JOB_COMPLETE;
  job.end_time = kHour + 80;
  clock_now = kHour + 100;
  usage_records_finish();
  expect(said(0, kHour + 40, kHour + 80, JOB_COMPLETE), "also of a job that has just ended");

  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  clock_now = kHour + 100;
  usage_records_finish();
  clock_now = kHour + 110;
  usage_records_begin(NULL);
  look(kHour + 120, DFRS_JOB_RUNNING);
  ends_at(kHour + 220, kHour + 221);
  expect(said(1, kHour + 170, kHour + 220, JOB_COMPLETE), "the next one goes on from its own begin without a file");

  folder = mkdtemp(place);
  if (!folder) abort();
  (void)snprintf(file, sizeof(file), "%s/dfrs_reported", folder);
  begin(kHour + 100, 0.5);
  look(kHour + 101, DFRS_JOB_RUNNING);
  clock_now = kHour + 300; /* without a farewell */
  usage_records_begin(folder);
  look(kHour + 301, DFRS_JOB_RUNNING);
  ends_at(kHour + 500, kHour + 501);
  expect(said(0, kHour + 300, kHour + 500, JOB_COMPLETE),
         "after a kill in the first hour it goes on from the job's start");

  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  clock_now = kHour + 100;
  usage_records_finish();
  clock_now = kHour + 110;
  usage_records_begin(folder);
  look(kHour + 120, DFRS_JOB_RUNNING);
  ends_at(kHour + 200, kHour + 221);
  expect(said(1, kHour + 150, kHour + 200, JOB_COMPLETE), "and from where the last one stopped with it");

  begin(kHour, 0.5);
  look(kHour + 1, DFRS_JOB_RUNNING);
  look(kHour + 3590, DFRS_JOB_RUNNING);
  clock_now = kHour + 3800; /* without a farewell */
  usage_records_begin(folder);
  look(kHour + 3801, DFRS_JOB_RUNNING);
  ends_at(kHour + 4000, kHour + 4001);
  expect(said(1, kHour + 3800, kHour + 4000, JOB_COMPLETE), "after a kill it goes on from the last hour");

  begin(kHour + 9 * 3600, 0);
  job.start_time = kHour; /* slurmctld was away for long */
  look(kHour + 9 * 3600 + 200, DFRS_JOB_RUNNING);
  ends_at(kHour + 9 * 3600 + 500, kHour + 9 * 3600 + 501);
  expect(said(0, kHour + 9 * 3600, kHour + 9 * 3600 + 500, JOB_COMPLETE), "never into hours that are summed up");
  (void)remove(file);
  (void)remove(folder);
}

int main(void) {
  setenv("TZ", "UTC", 1);
  at_its_end();
  each_hour();
  suspensions();
  ends_of_runs();
  without_slurmdbd();
  restarts();
  return failures != 0;
}
