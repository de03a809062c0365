/* SPDX-License-Identifier: GPL-2.0-or-later
 * sched/dfrs: the plugin that slurmctld loads, and its one thread. It is built under two names: sched_dfrs.so, and
 * sched_backfill.so for SchedulerType=sched/backfill, without which Slurm refuses all heterogeneous jobs.
 *
 * The thread is the host of the policy:
 *
 *   wait (a submission, an end, a change of jobs or nodes, the policy's own time)
 *   snapshot     read locks, a copy                           snapshot.c
 *   decide       no locks                                     shim/controller.h
 *   quotas out   no locks, bounded wait                       shim/controller.h
 *   apply        write locks, in short holds                  apply.c
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "plugin/apply.h"
#include "plugin/clock.h"
#include "plugin/compat.h"
#include "plugin/lost_jobs.h"
#include "plugin/saving.h"
#include "plugin/slurm_settings.h"
#include "plugin/snapshot.h"
#include "plugin/stock_backfill.h"
#include "plugin/usage_records.h"
#include "shim/controller.h"
#include "shim/gate.h"

const char plugin_name[] = "Dynamic fractional resource scheduling";
const char plugin_type[] = DFRS_SCHED_TYPE;
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* Changes without an event (the end of an epilog, the return of a node) show in Slurm's update times; this is how often
 * we read them. */
static const int kPollMs = 200;
/* s; the least time between rounds, so that a burst of submissions makes one round. */
static const double kShortestRound = 0.01;
/* s; the longest time between rounds without any change. */
static const double kLongestIdle = 5.0;
static const double kDependenciesEvery = 1.0;

static pthread_mutex_t thread_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static bool running;
static bool stop_requested;        /* atomic */
static bool reconfigure_requested; /* atomic */
static struct dfrs_controller *controller;

static void log_line(int level, const char *message) {
  switch (level) {
    case 1:
      error("sched/dfrs: %s", message);
      break;
    case 2:
      info("sched/dfrs: %s", message);
      break;
    case 3:
      verbose("sched/dfrs: %s", message);
      break;
    default:
      debug("sched/dfrs: %s", message);
  }
}

static bool stopping(void) { return __atomic_load_n(&stop_requested, __ATOMIC_ACQUIRE); }

static void publish_partitions(void) {
  const char *const *names = NULL;
  const size_t count = dfrs_controller_partitions(controller, &names);
  if (dfrs_gate_set_partitions(names, count) != 0) error("sched/dfrs: out of memory for the names of partitions");
}

static void say_at_risk(void) {
  error("sched/dfrs: continuing, but jobs are at risk: slurmctld will not restart with these settings");
}

static void reconfigure(void) {
  char message[1024];
  if (dfrs_controller_reconfigure(controller, message, sizeof(message)) != 0) {
    error("sched/dfrs: %s", message);
    return;
  }
  publish_partitions();
  const slurmctld_lock_t locks = {.conf = READ_LOCK};
  lock_slurmctld(locks);
  const int global = slurm_settings_check(), partitions = slurm_settings_check_partitions();
  unlock_slurmctld(locks);
  if (global != SLURM_SUCCESS || partitions != SLURM_SUCCESS) say_at_risk();
  info("sched/dfrs: configuration read again");
  if (dfrs_controller_stock_backfill(controller))
    (void)stock_backfill_start();
  else
    stock_backfill_stop();
  stock_backfill_reconfig();
}

/* The latest of Slurm's times of change, in whole seconds. */
static time_t last_change(void) {
  time_t last = last_job_update;
  if (last_node_update > last) last = last_node_update;
  if (last_part_update > last) last = last_part_update;
  return last;
}

struct rounds {
  struct snapshot *snapshot;
  struct dfrs_result *results;
  size_t *indices;
  size_t room;
  double wake_at;          /* s since the epoch */
  double rest;             /* s; the least time before the next round */
  struct hold_times holds; /* since the last line of the log about a round */
};

/* What a round took. s, wall time except where it says CPU. */
struct round_times {
  double cpu_since, step, saving, applied_before;
};

static bool grow(struct rounds *r, size_t count) {
  if (count <= r->room) return true;
  const size_t room = count * 2;
  struct dfrs_result *results = realloc(r->results, room * sizeof(*results));
  if (results) r->results = results;
  size_t *indices = realloc(r->indices, room * sizeof(*indices));
  if (indices) r->indices = indices;
  if (!results || !indices) return false;
  r->room = room;
  for (size_t i = 0; i < room; ++i) r->indices[i] = i;
  return true;
}

static void wake_in(struct rounds *r, double seconds) {
  const double at = wall_clock() + seconds;
  if (at < r->wake_at) r->wake_at = at;
}

struct applied {
  const struct rounds *rounds;
  const struct dfrs_operations *operations;
};

/* A task of an array is a job of its own, with a number of its own, only since its start: its quota has to be there
 * before its launch. */
static void take_results(void *argument) {
  const struct applied *const applied = argument;
  const struct rounds *const r = applied->rounds;
  const size_t count = applied->operations->count;
  if (dfrs_controller_applied(controller, r->indices, r->results, count, wall_clock()))
    (void)dfrs_controller_deliver(controller, dfrs_controller_quota_wait(controller));
}

/* tests/live/scale.py reads this line. */
static void log_round(struct rounds *r, const struct round_times *times, size_t operations) {
  const struct hold_times *const holds = &r->holds;
  debug(
      "sched/dfrs: round: %zu jobs, %zu operations, snapshot %.3f ms, step %.3f ms, apply %.3f ms, CPU %.3f ms, "
      "longest write lock %.3f ms (%.3f ms of CPU), saving %.3f ms, in that lock %.3f ms of CPU for one %s",
      snapshot_view(r->snapshot)->job_count, operations, snapshot_lock_time(r->snapshot) * 1e3, times->step * 1e3,
      (holds->total - times->applied_before) * 1e3, (thread_cpu_clock() - times->cpu_since) * 1e3, holds->longest * 1e3,
      holds->longest_cpu * 1e3, times->saving * 1e3, holds->longest_step * 1e3,
      holds->longest_step_of ? holds->longest_step_of : "look");
  r->holds = (struct hold_times){0};
}

/* Whether jobs are saved before they are launched. */
static bool saved_first(void) {
  static bool before = true;
  const bool now = dfrs_controller_save_before_launch(controller, saving_is_slow());
  if (now != before) {
    info("sched/dfrs: from now on jobs are %s (SaveBeforeLaunch in dfrs.conf; the last save took %.0f ms)",
         now ? "saved before they are launched" : "launched first and saved right after", saving_took() * 1e3);
  }
  return before = now;
}

/* False: no snapshot of the jobs could be taken now. */
static bool one_round(struct rounds *r) {
  r->wake_at = wall_clock() + kLongestIdle;
  r->rest = kShortestRound;
  struct round_times times = {.cpu_since = thread_cpu_clock()};
  wake_in(r, lost_jobs_check(&r->holds));
  const int taken = snapshot_take(r->snapshot, dfrs_controller_wants(controller));
  if (taken != 0) {
    if (taken < 0) error("sched/dfrs: out of memory for a snapshot");
    r->wake_at = wall_clock() + 0.5;
    return false;
  }
  wake_in(r, usage_records_check(snapshot_view(r->snapshot)));
  struct dfrs_operations operations = {0};
  const double step_from = monotonic_clock();
  if (dfrs_controller_step(controller, snapshot_view(r->snapshot), &operations) != 0) {
    r->wake_at = wall_clock() + 1.0; /* the controller has logged the reason */
    return true;
  }
  times.step = monotonic_clock() - step_from;
  times.applied_before = r->holds.total;
  if (operations.wake_at < r->wake_at) r->wake_at = operations.wake_at;
  (void)dfrs_controller_deliver(controller, dfrs_controller_quota_wait(controller));
  if (operations.count == 0) {
    log_round(r, &times, 0);
    return true;
  }
  if (!grow(r, operations.count)) {
    error("sched/dfrs: out of memory for %zu operations", operations.count);
    return true;
  }
  struct applied applied = {.rounds = r, .operations = &operations};
  const struct launching launching = {.after_save = saved_first(), .before = take_results, .argument = &applied};
  times.saving = apply_operations(r->snapshot, operations.list, operations.count, r->results, &launching, &r->holds);
  log_round(r, &times, operations.count);
  if (times.saving > 0 && saving_rest() > r->rest) r->rest = saving_rest();
  /* The next round follows at once if there may be more to do: further tasks of an array, or an answer to a refusal. */
  for (size_t i = 0; i < operations.count; ++i) {
    const enum dfrs_operation_kind kind = operations.list[i].kind;
    if (r->results[i].code == DFRS_DONE && (kind == DFRS_OP_COMMENT || kind == DFRS_OP_END_TIME)) continue;
    if (r->results[i].code == DFRS_BUSY) continue;
    wake_in(r, kShortestRound);
    break;
  }
  return true;
}

/* Waits for a wake-up until the next round is due, but not longer than kPollMs. True: woken up. */
static bool wait_for_wake(const struct rounds *r, int fd) {
  struct pollfd watched = {.fd = fd, .events = POLLIN};
  const double left = r->wake_at - wall_clock();
  const int wait = left <= 0 ? 0 : left * 1e3 < kPollMs ? (int)ceil(left * 1e3) : kPollMs;
  if (poll(&watched, fd >= 0 ? 1 : 0, wait) <= 0) return false;
  uint64_t count;
  if (!stopping() && read(fd, &count, sizeof(count)) < 0 && errno != EAGAIN) verbose("sched/dfrs: eventfd: %m");
  return true;
}

static void sleep_for(double seconds) {
  if (seconds <= 0) return;
  const struct timespec rest = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};
  nanosleep(&rest, NULL);
}

static void *thread_main(void *unused) {
  struct rounds rounds = {.snapshot = snapshot_new()};
  if (!rounds.snapshot) {
    error("sched/dfrs: out of memory; nothing will be scheduled");
    return NULL;
  }
  const int fd = dfrs_gate_eventfd();
  double last_round = 0, last_end = -INFINITY, last_dependencies = 0;
  time_t seen = 0; /* the second in which the last snapshot was taken */
  while (!stopping()) {
    bool due = wait_for_wake(&rounds, fd);
    if (stopping()) break;
    if (__atomic_exchange_n(&reconfigure_requested, false, __ATOMIC_ACQ_REL)) {
      reconfigure();
      due = true;
    }
    const double now = wall_clock();
    /* Times of change are whole seconds: one in the second of the last snapshot may be before or after it. */
    if (now >= rounds.wake_at || last_change() >= seen || now < last_round) due = true;
    if (!due) continue;
    sleep_for(rounds.rest - (monotonic_clock() - last_end));
    last_round = wall_clock();
    seen = (time_t)last_round;
    const bool looked = one_round(&rounds);
    last_end = monotonic_clock();
    if (looked) wake_in(&rounds, saving_if_due());
    if (wall_clock() - last_dependencies >= kDependenciesEvery) {
      apply_dependencies(rounds.snapshot, &rounds.holds);
      last_dependencies = wall_clock();
    }
  }
  usage_records_finish();
  saving_finish();
  snapshot_free(rounds.snapshot);
  free(rounds.results);
  free(rounds.indices);
  return NULL;
}

static struct dfrs_controller *new_controller(void) {
  char *conf_file = get_extra_conf_path("dfrs.conf");
  char *socket = slurm_conf.authinfo ? slurm_auth_opts_to_socket(slurm_conf.authinfo) : NULL;
  const struct dfrs_controller_paths paths = {.conf_file = conf_file,
                                              .state_dir = slurm_conf.state_save_location,
                                              .auth_type = slurm_conf.authtype,
                                              .auth_socket = socket,
                                              .cluster_name = slurm_conf.cluster_name,
                                              .slurm_user_id = slurm_conf.slurm_user_id,
                                              .wake = dfrs_gate_wake,
                                              .goes_on = compat_goes_on()};
  char message[1024] = "";
  struct dfrs_controller *made = dfrs_controller_create(&paths, log_line, message, sizeof(message));
  if (!made) {
    error("sched/dfrs: %s", message);
    error("sched/dfrs: slurmctld cannot start with this; `dfrs-check-config %s` shows all errors", conf_file);
  }
  xfree(conf_file);
  xfree(socket);
  return made;
}

static void stop_controller(void) {
  stock_backfill_stop();
  dfrs_controller_destroy(controller);
  controller = NULL;
}

/* Wrong settings end a slurmctld only where no jobs are under way. */
static bool may_start(int settings) {
  if (settings == SLURM_SUCCESS) return true;
  if (!compat_goes_on()) return false;
  say_at_risk();
  return true;
}

/* Starts the controller and the thread. The caller holds thread_lock. */
static int start_thread(void) {
  controller = new_controller();
  if (!controller) return SLURM_ERROR;
  publish_partitions();
  if (!may_start(slurm_settings_check_partitions())) {
    stop_controller();
    return SLURM_ERROR;
  }
  apply_set_takeover(time(NULL));
  lost_jobs_begin(time(NULL));
  usage_records_begin(slurm_conf.state_save_location);
  if (dfrs_controller_stock_backfill(controller)) (void)stock_backfill_start();
  __atomic_store_n(&stop_requested, false, __ATOMIC_RELEASE);
  if (pthread_create(&thread, NULL, thread_main, NULL) != 0) {
    error("sched/dfrs: cannot start a thread");
    stop_controller();
    return SLURM_ERROR;
  }
  running = true;
  info("sched/dfrs: started");
  return SLURM_SUCCESS;
}

int init(void) {
  if (!compat_in_slurmctld()) return SLURM_SUCCESS;
  if (dfrs_controller_abi() != DFRS_CONTROLLER_ABI) {
    error("sched/dfrs: libdfrs_controller.so has ABI %u, this plugin was built for %u: install both from one build",
          dfrs_controller_abi(), DFRS_CONTROLLER_ABI);
    return SLURM_ERROR;
  }
  if (!dfrs_gate_select_ready()) {
    error(
        "sched/dfrs: slurmctld has loaded Slurm's own selector instead of that of dfrs: PluginDir must name the folder "
        "of dfrs' plugins before Slurm's own, and SelectType must be select/cons_tres");
    return SLURM_ERROR;
  }
  if (!may_start(slurm_settings_check())) return SLURM_ERROR;
  pthread_mutex_lock(&thread_lock);
  const int rc = running ? SLURM_SUCCESS : start_thread();
  pthread_mutex_unlock(&thread_lock);
  return rc;
}

void fini(void) {
  pthread_mutex_lock(&thread_lock);
  if (running) {
    __atomic_store_n(&stop_requested, true, __ATOMIC_RELEASE);
    dfrs_gate_wake();
    pthread_join(thread, NULL);
    running = false;
    stop_controller();
  }
  pthread_mutex_unlock(&thread_lock);
}

/* slurmctld holds locks here, so the thread does the work. */
int sched_p_reconfig(void) {
  __atomic_store_n(&reconfigure_requested, true, __ATOMIC_RELEASE);
  dfrs_gate_wake();
  return SLURM_SUCCESS;
}
