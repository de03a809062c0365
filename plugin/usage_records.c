/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/usage_records.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim/usage.h"

/* s before the end of an hour; slurmdbd sums the hour up right after it. */
static const time_t kBeforeHour = 20;

/* A run that is followed from some time on. */
struct run {
  uint32_t job_id, restarts;
  time_t from;
  time_t suspended;     /* s; Slurm's own count at that time */
  int64_t reported;     /* s of our own since */
  time_t reported_hour; /* the end of the hour that has been reported last */
  bool ended, seen;
};

static struct run *runs; /* ascending by job */
static size_t count, room;
static time_t since;          /* when we began: runs from then on are followed from their start */
static time_t kept_hour;      /* the end of the hour that the file has last got */
static time_t reported_until; /* by an earlier slurmctld; 0: not known */
static char path[PATH_MAX];   /* of the file that keeps it; "": none */

/* ---- until when jobs are reported, over a restart of slurmctld ----------------------------------------------------
 */

static void load(void) {
  long long when = 0;
  FILE *const file = path[0] ? fopen(path, "re") : NULL;
  reported_until = 0;
  if (!file) return;
  if (fscanf(file, "%lld", &when) == 1 && when > 0 && when <= since + 60) reported_until = (time_t)when;
  (void)fclose(file);
}

static void keep(time_t until) {
  if (!path[0]) return;
  FILE *const file = fopen(path, "we");
  if (!file || fprintf(file, "%lld\n", (long long)until) < 0) verbose("sched/dfrs: cannot write %s: %m", path);
  if (file) (void)fclose(file);
}

void usage_records_begin(const char *folder) {
  free(runs);
  runs = NULL;
  count = room = 0;
  since = time(NULL);
  kept_hour = 0;
  if (!folder || snprintf(path, sizeof(path), "%s/dfrs_reported", folder) >= (int)sizeof(path)) path[0] = '\0';
  load();
  if (reported_until == 0) keep(since); /* what runs already had all its CPUs so far */
}

static int by_job(const void *a, const void *b) {
  const uint32_t x = ((const struct run *)a)->job_id, y = ((const struct run *)b)->job_id;
  return (x > y) - (x < y);
}

static struct run *find_run(uint32_t job_id, size_t among) {
  const struct run wanted = {.job_id = job_id};
  return among ? bsearch(&wanted, runs, among, sizeof(*runs), by_job) : NULL;
}

static bool make_room(void) {
  if (count < room) return true;
  const size_t more = room ? room * 2 : 64;
  struct run *larger = realloc(runs, more * sizeof(*runs));
  if (!larger) return false;
  runs = larger;
  room = more;
  return true;
}

/* slurmdbd sums up hours of local time. */
static time_t hour_of(time_t now) {
  struct tm parts;
  if (!localtime_r(&now, &parts)) return now - now % 3600;
  return now - parts.tm_min * 60 - parts.tm_sec;
}

/* ---- reports ---------------------------------------------------------------------------------------------------- */

static void send_state(const job_record_t *job, uint32_t state, time_t when) {
  job_record_t as_if = *job; /* for slurmdbd; the job itself does not change */
  as_if.job_state = state;
  as_if.suspend_time = when;
  (void)jobacct_storage_g_job_suspend(acct_db_conn, &as_if);
}

/* Seconds of idle time since `from` that amount to the CPU share that the job did not get, without those that Slurm has
 * reported itself. Negative: not known. */
static double idle_seconds(const struct run *run, const job_record_t *job, time_t to) {
  double fraction = 1;
  if (!dfrs_usage_fraction(run->job_id, run->restarts, (double)run->from, (double)to, &fraction)) return -1;
  return (double)(to - run->from) * (1 - fraction) - (double)(job->tot_sus_time - run->suspended);
}

/* Reports what is not reported yet, as a suspension that ends at `to`. It lies within the hour of `to`, since those
 * before are summed up. False: try again later. */
static bool report(struct run *run, const job_record_t *job, time_t to) {
  if (job->db_index == NO_VAL64) return false; /* its start is on its way to slurmdbd */
  time_t begin = hour_of(to - 1);
  if (job->start_time > begin) begin = job->start_time;
  const double idle = floor(idle_seconds(run, job, to) + 0.5);
  int64_t seconds = (int64_t)idle - run->reported;
  if (idle < 0 || seconds <= 0 || to <= begin) return true;
  run->reported += seconds;
  if (seconds > to - begin) seconds = to - begin; /* the rest has no place any more */
  send_state(job, JOB_SUSPENDED, to - seconds);
  send_state(job, job->job_state & JOB_STATE_BASE, to);
  return true;
}

static const job_record_t *record_of(const struct run *run) {
  const job_record_t *const job = find_job_record(run->job_id);
  return job && job->restart_cnt == run->restarts && job->details ? job : NULL;
}

static bool may_report_hour(const job_record_t *job) {
  /* A suspension that slurmctld has reported must end first. */
  return IS_JOB_RUNNING(job) && !IS_JOB_COMPLETING(job);
}

/* False: nothing more is to come. */
static bool report_end(struct run *run) {
  const job_record_t *const job = record_of(run);
  if (!job || IS_JOB_PENDING(job)) return false;
  /* Not seen any more: it has ended since, or its partition is not managed for a while. */
  if (!run->seen && !IS_JOB_FINISHED(job)) return false;
  const time_t now = time(NULL);
  return !report(run, job, job->end_time && job->end_time < now ? job->end_time : now);
}

static void report_hour(struct run *run, time_t end) {
  const job_record_t *const job = record_of(run);
  if (!job || !may_report_hour(job)) return;
  if (report(run, job, end)) run->reported_hour = end;
}

/* ---- following jobs --------------------------------------------------------------------------------------------- */

static void follow(const struct dfrs_job *job, time_t now, size_t sorted) {
  struct run *run = find_run(job->key.job_id, sorted);
  const bool lives = job->phase == DFRS_JOB_RUNNING || job->phase == DFRS_JOB_SUSPENDED;
  if (run && run->restarts == job->key.restarts) {
    run->seen = true;
    run->ended = job->phase == DFRS_JOB_ENDING;
    return;
  }
  if (!lives || !make_room()) return;
  runs[count++] = (struct run){.job_id = job->key.job_id, .restarts = job->key.restarts, .from = now, .seen = true};
}

/* From when on a new one is to be followed: what began under an earlier slurmctld, from where that has stopped, as far
 * as the hour is not summed up. */
static time_t follow_from(const job_record_t *job, time_t now) {
  if (job->start_time >= since) return job->start_time;
  if (reported_until == 0) return now;
  time_t from = hour_of(now);
  if (reported_until > from) from = reported_until;
  return job->start_time > from ? job->start_time : from;
}

/* Needs the job read lock. */
static void settle_new(size_t first, time_t now) {
  for (size_t i = first; i < count; ++i) {
    const job_record_t *const job = record_of(&runs[i]);
    if (!job) continue;
    runs[i].from = follow_from(job, now);
    runs[i].suspended = runs[i].from == job->start_time ? 0 : job->tot_sus_time;
  }
}

static void drop_unseen(void) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (runs[i].seen) runs[kept++] = runs[i];
  count = kept;
}

/* Jobs that end between two looks are never seen completing. */
static bool may_have_ended(const struct run *run) { return run->ended || !run->seen; }

static bool hour_due(const struct run *run, time_t end, time_t now) {
  return now >= end - kBeforeHour && run->reported_hour != end;
}

double usage_records_check(const struct dfrs_snapshot *view) {
  static const slurmctld_lock_t locks = {.job = READ_LOCK};
  if (!compat_slurmdbd_open()) return INFINITY;
  const time_t now = time(NULL), hour_end = hour_of(now) + 3600;
  const size_t known = count;
  for (size_t i = 0; i < known; ++i) runs[i].seen = false;
  for (size_t i = 0; i < view->job_count; ++i) follow(&view->jobs[i], now, known);
  bool due = count > known; /* where a new run is followed from is not known yet */
  for (size_t i = 0; i < count; ++i) due = due || may_have_ended(&runs[i]) || hour_due(&runs[i], hour_end, now);
  if (due) {
    lock_slurmctld(locks);
    settle_new(known, now);
    for (size_t i = 0; i < count; ++i) {
      if (may_have_ended(&runs[i]))
        runs[i].seen = report_end(&runs[i]);
      else if (hour_due(&runs[i], hour_end, now))
        report_hour(&runs[i], hour_end);
    }
    unlock_slurmctld(locks);
    if (now >= hour_end - kBeforeHour && kept_hour != hour_end) keep(kept_hour = hour_end);
  }
  const bool grown = count > known;
  drop_unseen();
  if (grown) qsort(runs, count, sizeof(*runs), by_job);
  if (count == 0) return INFINITY;
  const time_t next = hour_end - kBeforeHour;
  return next > now ? (double)(next - now) : 1.0;
}

void usage_records_end_run(const job_record_t *job) {
  if (!compat_slurmdbd_open()) return;
  struct run *const run = find_run(job->job_id, count);
  if (run && run->restarts == job->restart_cnt && may_report_hour(job)) (void)report(run, job, time(NULL));
}

void usage_records_finish(void) {
  static const slurmctld_lock_t locks = {.job = READ_LOCK};
  if (count == 0) return;
  lock_slurmctld(locks);
  const time_t now = time(NULL);
  /* What cannot be told now is told by the next slurmctld. */
  if (!compat_slurmdbd_open()) {
    unlock_slurmctld(locks);
    count = 0;
    return;
  }
  for (size_t i = 0; job_list && i < count; ++i) {
    const job_record_t *const job = record_of(&runs[i]);
    if (job && (IS_JOB_FINISHED(job) || may_report_hour(job))) (void)report_end(&runs[i]);
  }
  unlock_slurmctld(locks);
  keep(now);
  count = 0;
}
