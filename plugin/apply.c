/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/apply.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plugin/array_tasks.h"
#include "plugin/clock.h"
#include "plugin/compat.h"
#include "plugin/hold.h"
#include "plugin/job_shape.h"
#include "plugin/marks.h"
#include "plugin/saving.h"
#include "plugin/usage_records.h"
#include "shim/gate.h"
#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/fed_mgr.h"

/* See apply_set_takeover(). */
static const time_t kLongestWaitForNodes = 10;
static const time_t kCredentialSeconds = 2;
static time_t takeover;
static time_t nodes_known_at; /* 0: not yet */
static time_t nodes_looked_at;

void apply_set_takeover(time_t when) {
  takeover = when;
  nodes_known_at = nodes_looked_at = 0;
}

static bool nodes_known(const struct snapshot *snapshot, time_t now) {
  if (now < takeover) takeover = now; /* the clock was set back */
  if (nodes_known_at == 0 && now < takeover + kLongestWaitForNodes) {
    if (nodes_looked_at == now) return false; /* one look a second, not one for each job */
    nodes_looked_at = now;
    const struct dfrs_snapshot *view = snapshot_view(snapshot);
    for (size_t i = 0; i < view->node_count; ++i) {
      const uint32_t index = snapshot_node_index(snapshot, (uint32_t)i);
      if (!view->nodes[i].usable || (int)index >= node_record_count) continue;
      const node_record_t *node = compat_node((int)index);
      if (node && node->boot_time == 0) return false; /* it has not registered */
    }
  }
  if (nodes_known_at == 0) nodes_known_at = now;
  return now >= nodes_known_at + kCredentialSeconds;
}

static void set_result(struct dfrs_result *result, enum dfrs_result_code code, const char *reason) {
  result->code = code;
  snprintf(result->reason, sizeof(result->reason), "%s", reason ? reason : "");
}

static bool same_run(const job_record_t *job, const struct dfrs_job_key *key) {
  return job && job->details && job->restart_cnt == key->restarts && job->details->submit_time == (time_t)key->submit;
}

/* ---- start ------------------------------------------------------------------------------------------------------ */

static void set_start_error(struct dfrs_result *result, const job_record_t *job, int rc) {
  switch (rc) {
    case ESLURM_NODES_BUSY:
    case ESLURM_NODE_NOT_AVAIL:
      set_result(result, DFRS_BUSY, slurm_strerror(rc));
      break;
    case ESLURM_ACCOUNTING_POLICY:
    case ESLURM_RESERVATION_BUSY:
    case ESLURM_RESERVATION_NOT_USABLE:
    case ESLURM_RESERVATION_MAINT:
    case ESLURM_BURST_BUFFER_WAIT:
    case ESLURM_JOB_HELD:
    case ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE:
      set_result(result, DFRS_BLOCKED, job->state_desc ? job->state_desc : slurm_strerror(rc));
      break;
    default:
      set_result(result, DFRS_REFUSED, slurm_strerror(rc));
  }
}

static bool make_plan(const struct snapshot *snapshot, const struct dfrs_operation *op, const struct job_shape *shape,
                      struct dfrs_plan *plan, uint32_t *nodes) {
  const struct dfrs_snapshot *view = snapshot_view(snapshot);
  for (uint32_t i = 0; i < op->node_count; ++i) {
    if (op->nodes[i] >= view->node_count) return false;
    nodes[i] = snapshot_node_index(snapshot, op->nodes[i]);
    const node_record_t *node = (int)nodes[i] < node_record_count ? compat_node((int)nodes[i]) : NULL;
    if (!node || !node->name || strcmp(node->name, view->nodes[op->nodes[i]].name) != 0) return false;
  }
  *plan = (struct dfrs_plan){.kind = shape->stock_placed || shape->own_layout ? DFRS_PLAN_STOCK : DFRS_PLAN_EXACT,
                             .job_id = op->key.job_id,
                             .node_count = op->node_count,
                             .nodes = nodes,
                             .node_tasks = op->node_tasks,
                             .cpus_per_task = (uint16_t)shape->cpus_per_task,
                             .memory_per_task = shape->memory_per_task};
  return true;
}

/* A job that Slurm has started and whose node or srun has not been notified yet. */
struct started {
  uint32_t job_id, restarts;
  uint32_t array_job_id; /* 0: no task of an array, or seen to */
  time_t start_time;
  bool slurm_launches; /* when its nodes and PrologSlurmctld are ready; that may come before our save has ended */
};

struct started_list {
  struct started *list;
  size_t count, room;
};

static bool make_room(struct started_list *started) {
  if (started->count < started->room) return true;
  const size_t room = started->room ? started->room * 2 : 16;
  struct started *list = realloc(started->list, room * sizeof(*list));
  if (!list) return false;
  started->list = list;
  started->room = room;
  return true;
}

static void notify_start(job_record_t *job, bool slurm_launches) {
  if (job->batch_flag == 0)
    srun_allocate(job);
  else if (!slurm_launches)
    launch_job(job);
}

/* To be called before the save, which then holds what was split off. */
static void split_arrays(struct started_list *started, const slurmctld_lock_t locks, struct hold_times *times) {
  for (size_t i = 0; i < started->count; ++i) {
    const uint32_t array = started->list[i].array_job_id;
    if (array == 0) continue;
    uint32_t tasks = 0;
    for (size_t k = i; k < started->count; ++k) {
      if (started->list[k].array_job_id != array) continue;
      started->list[k].array_job_id = 0;
      ++tasks;
    }
    for (bool done = false; !done;) {
      lock_slurmctld(locks);
      struct hold hold = hold_begun();
      done = slurmctld_config.shutdown_time || array_split_more(array, tasks, &hold);
      hold_ended(&hold, times);
      unlock_slurmctld(locks);
      if (!done) sched_yield();
    }
  }
}

/* A job may have been cancelled since its start; a suspend by its user reaches the node after the launch. */
static void notify_started(struct started_list *started, const slurmctld_lock_t locks, struct hold_times *times) {
  for (size_t i = 0; i < started->count;) {
    lock_slurmctld(locks);
    struct hold hold = hold_begun();
    do {
      const struct started *const one = &started->list[i];
      if (!compat_can_launch())
        continue; /* the next slurmctld finds that the job is not on its node, and requeues it */
      job_record_t *job = find_job_record(one->job_id);
      if (job && job->restart_cnt == one->restarts && job->start_time == one->start_time && !IS_JOB_COMPLETING(job) &&
          (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)))
        notify_start(job, one->slurm_launches);
      hold_did(&hold, "launch");
    } while (++i < started->count && hold_may_last(&hold));
    hold_ended(&hold, times);
    unlock_slurmctld(locks);
  }
}

/* Whether the job is still in a state in which it can start; if not, *result says why. */
static bool startable(const struct snapshot *snapshot, const job_record_t *job, const part_record_t *part, time_t now,
                      struct dfrs_result *result) {
  enum dfrs_result_code code = DFRS_DONE;
  const char *reason = NULL;
  if (!IS_JOB_PENDING(job)) {
    code = DFRS_STALE;
    reason = "not pending any more";
  } else if (IS_JOB_COMPLETING(job) || job->details->prolog_running || job->epilog_running ||
             (job->step_list && list_count(job->step_list))) {
    code = DFRS_BUSY;
    reason = "its last run is still being cleaned up";
  } else if (job->details->submit_time <= takeover && !nodes_known(snapshot, now)) {
    /* Times are whole seconds: a job submitted in the second of the takeover may be older than it. */
    code = DFRS_BUSY;
    reason = "slurmctld has just started and waits for its nodes to report";
  } else if (!part) {
    code = DFRS_STALE;
    reason = "dfrs no longer manages its partition";
  } else if (job->priority == 0) {
    code = DFRS_BLOCKED;
    reason = "held";
  } else if (array_is_full(job)) {
    code = DFRS_BLOCKED;
    reason = "its array runs as many tasks as it may";
  }
  if (code != DFRS_DONE) set_result(result, code, reason);
  return code == DFRS_DONE;
}

/* Whether the job's association may still use its QOS. If not, the job is marked, as Slurm's own scheduler does. */
static bool qos_valid(job_record_t *job) {
  if (!job->qos_id || !(accounting_enforce & ACCOUNTING_ENFORCE_QOS) || job->limit_set.qos) return true;
  assoc_mgr_lock_t locks = {.assoc = READ_LOCK, .qos = READ_LOCK};
  assoc_mgr_lock(&locks);
  const slurmdb_assoc_rec_t *assoc = job->assoc_ptr;
  const bool valid = !assoc || (job->qos_id < g_qos_count && assoc->usage && assoc->usage->valid_qos &&
                                compat_bit(assoc->usage->valid_qos, job->qos_id));
  assoc_mgr_unlock(&locks);
  if (!valid) {
    (void)job_fail_qos(job, "sched/dfrs", false);
  } else if (job->state_reason == FAIL_QOS) {
    xfree(job->state_desc);
    job->state_reason = WAIT_NO_REASON;
  }
  return valid;
}

static bool account_valid(job_record_t *job) {
  if (assoc_mgr_validate_assoc_id(acct_db_conn, job->assoc_id, accounting_enforce) == SLURM_SUCCESS) return true;
  job->state_reason = FAIL_ACCOUNT;
  xfree(job->state_desc);
  return false;
}

/* Whether the checks of Slurm's own scheduler let the job start in its partition now; if not, *result says why. The job
 * may end here, if it can no longer meet its deadline. */
static bool permitted(job_record_t *job, time_t now, struct dfrs_result *result) {
  job_record_t *limited = job;
  const char *reason = NULL;
  if (!fed_mgr_sibs_synced()) {
    set_result(result, DFRS_BUSY, "the clusters of its federation are not known yet");
    return false;
  }
  if (!job_independent(job)) {
    reason = compat_reason(job);
  } else if (job_limits_check(&limited, false) != WAIT_NO_REASON) {
    reason = "a limit of its partition or QOS";
  } else if (!qos_valid(job)) {
    reason = "it may no longer use its QOS";
  } else if (job->deadline && job->deadline != NO_VAL && !deadline_ok(job, "sched/dfrs")) {
    reason = "its deadline cannot be met";
  } else if (license_job_test(job, now, true) != SLURM_SUCCESS) {
    job->state_reason = WAIT_LICENSES;
    xfree(job->state_desc);
    reason = "waits for licences";
  } else if (!account_valid(job)) {
    reason = "its account or association has been removed";
  }
  if (!reason) return true;
  last_job_update = now;
  set_result(result, DFRS_BLOCKED, reason);
  return false;
}

/* Minutes that the job may run to end at its deadline; its own limit if that is shorter, or if it has no deadline. */
static uint32_t limit_by_deadline(const job_record_t *job, time_t now) {
  if (!job->deadline || job->deadline == NO_VAL) return job->time_limit;
  uint32_t limit = job->time_limit;
  if (limit == NO_VAL || limit == INFINITE) {
    const part_record_t *const part = job->part_ptr;
    limit = part->default_time != NO_VAL && part->default_time != INFINITE ? part->default_time : part->max_time;
  }
  const uint32_t left = (uint32_t)((job->deadline - now) / 60);
  return limit == NO_VAL || limit == INFINITE || left < limit ? left : limit;
}

/* Lets Slurm start the job as the operation says; if it does not, *result says why. */
static bool start_as_planned(const struct snapshot *snapshot, const struct dfrs_operation *op, job_record_t *job,
                             struct dfrs_result *result) {
  const struct job_shape shape = job_shape(job, snapshot_least_memory(snapshot));
  struct dfrs_plan plan;
  uint32_t *nodes = malloc(sizeof(*nodes) * (op->node_count ? op->node_count : 1));
  const bool published = nodes && make_plan(snapshot, op, &shape, &plan, nodes) && dfrs_gate_publish(&plan) == 0;
  free(nodes);
  if (!published) {
    set_result(result, DFRS_STALE, "the nodes have changed");
    return false;
  }
  /* Of a federation's clusters, only the one that has the job's lock may start it. */
  if (fed_mgr_job_lock(job) != SLURM_SUCCESS) {
    dfrs_gate_withdraw(op->key.job_id);
    set_result(result, DFRS_BUSY, "another cluster of its federation has the job");
    return false;
  }
  const uint32_t own_limit = job->time_limit;
  job->time_limit = limit_by_deadline(job, time(NULL));
  const int rc = compat_select_nodes(job);
  dfrs_gate_withdraw(op->key.job_id);
  if (rc == SLURM_SUCCESS) {
    (void)fed_mgr_job_start(job, job->start_time);
    return true;
  }
  (void)fed_mgr_job_unlock(job);
  job->time_limit = own_limit;
  set_start_error(result, job, rc);
  return false;
}

static bool start_if_permitted(const struct snapshot *snapshot, const struct dfrs_operation *op, job_record_t *job,
                               struct dfrs_result *result) {
  return permitted(job, time(NULL), result) && start_as_planned(snapshot, op, job, result);
}

/* The same, with the first of the job's QOS that lets it start. */
static bool start_with_some_qos(const struct snapshot *snapshot, const struct dfrs_operation *op, job_record_t *job,
                                struct dfrs_result *result) {
  const compat_list several = compat_qos_list(job);
  if (!several || list_count(several) == 0) return start_if_permitted(snapshot, op, job, result);
  bool started = false;
  result->code = DFRS_BLOCKED;
  compat_iterator each = list_iterator_create(several);
  for (slurmdb_qos_rec_t *qos;
       !started && IS_JOB_PENDING(job) && result->code == DFRS_BLOCKED && (qos = list_next(each));) {
    job->qos_ptr = qos;
    job->qos_id = qos->id;
    started = start_if_permitted(snapshot, op, job, result);
  }
  list_iterator_destroy(each);
  return started;
}

static void start(const struct snapshot *snapshot, const struct dfrs_operation *op, job_record_t *job,
                  struct started_list *started, struct dfrs_result *result) {
  const time_t now = time(NULL);
  part_record_t *const part = job_managed_partition(job), *const former_part = job->part_ptr;
  if (!startable(snapshot, job, part, now, result)) return;
  if (op->after_requeue && job->details->begin_time > now) job->details->begin_time = 0;
  job->part_ptr = part;
  set_job_features_use(job->details);
  slurmctld_resv_t *const reservation = job_reservation(job, now);
  if (reservation && reservation != job->resv_ptr) {
    job->resv_ptr = reservation;
    job->resv_id = reservation->resv_id;
  }
  if (!start_with_some_qos(snapshot, op, job, result)) {
    job->part_ptr = former_part;
    return;
  }
  last_job_update = now;
  const struct started one = {.job_id = job->job_id,
                              .restarts = job->restart_cnt,
                              .array_job_id = job->array_task_id != NO_VAL ? job->array_job_id : 0,
                              .start_time = job->start_time,
                              .slurm_launches = IS_JOB_CONFIGURING(job)};
  if (make_room(started))
    started->list[started->count++] = one;
  else
    notify_start(job, one.slurm_launches);
  rebuild_job_part_list(job);
  result->job_id = job->job_id;
  set_result(result, DFRS_DONE, NULL);
}

/* ---- pause and resume ------------------------------------------------------------------------------------------- */

static void suspend_or_resume(bool suspend, job_record_t *job, struct dfrs_result *result) {
  if (suspend ? !IS_JOB_RUNNING(job) : !IS_JOB_SUSPENDED(job))
    return set_result(result, DFRS_STALE, suspend ? "not running any more" : "not suspended any more");
  if (suspend && IS_JOB_CONFIGURING(job)) return set_result(result, DFRS_BUSY, "its nodes are still being prepared");
  if (!suspend && !marked_paused(job))
    return set_result(result, DFRS_BLOCKED, "suspended by its user or an administrator");
  const int rc = compat_suspend(job, suspend);
  if (rc == SLURM_SUCCESS) {
    last_job_update = time(NULL);
    return set_result(result, DFRS_DONE, NULL);
  }
  set_result(result, rc == ESLURM_NODES_BUSY || rc == ESLURM_TRANSITION_STATE_NO_UPDATE ? DFRS_BUSY : DFRS_REFUSED,
             slurm_strerror(rc));
}

static void requeue(job_record_t *job, struct dfrs_result *result) {
  if (!IS_JOB_RUNNING(job) && !IS_JOB_SUSPENDED(job)) return set_result(result, DFRS_STALE, "not running any more");
  if (IS_JOB_COMPLETING(job)) return set_result(result, DFRS_STALE, "it is ending");
  if (!job->batch_flag) return set_result(result, DFRS_REFUSED, "only batch jobs can be requeued");
  if (!job->details->requeue) return set_result(result, DFRS_REFUSED, "submitted with --no-requeue");
  usage_records_end_run(job);
  const int rc = compat_requeue(job);
  if (rc == SLURM_SUCCESS) return set_result(result, DFRS_DONE, NULL);
  set_result(result, DFRS_REFUSED, slurm_strerror(rc));
}

/* ---- what the user sees ----------------------------------------------------------------------------------------- */

static void set_comment(const struct snapshot *snapshot, const struct dfrs_operation *op, job_record_t *job,
                        struct dfrs_result *result) {
  const struct dfrs_job *seen = snapshot_find(snapshot, op->key.job_id);
  if (!seen || xstrcmp(seen->comment, job->comment) != 0)
    return set_result(result, DFRS_STALE, "its user has changed the comment"); /* the next step adds our tag to it */
  xfree(job->comment);
  job->comment = xstrdup(op->text);
  last_job_update = time(NULL);
  set_result(result, DFRS_DONE, NULL);
}

static void set_end_time(const struct dfrs_operation *op, job_record_t *job, struct dfrs_result *result) {
  if (!IS_JOB_RUNNING(job)) return set_result(result, DFRS_STALE, "not running any more");
  job->end_time = job->end_time_exp = (time_t)op->end_time;
  set_result(result, DFRS_DONE, NULL);
}

static void apply_one(const struct snapshot *snapshot, const struct dfrs_operation *op, struct started_list *started,
                      struct dfrs_result *result) {
  memset(result, 0, sizeof(*result));
  job_record_t *job = find_job_record(op->key.job_id);
  if (!same_run(job, &op->key)) return set_result(result, DFRS_STALE, "the job has ended or has been started again");
  switch (op->kind) {
    case DFRS_OP_START:
      return start(snapshot, op, job, started, result);
    case DFRS_OP_SUSPEND:
      return suspend_or_resume(true, job, result);
    case DFRS_OP_RESUME:
      return suspend_or_resume(false, job, result);
    case DFRS_OP_REQUEUE:
      return requeue(job, result);
    case DFRS_OP_END_TIME:
      return set_end_time(op, job, result);
    case DFRS_OP_COMMENT:
      return set_comment(snapshot, op, job, result);
  }
  set_result(result, DFRS_REFUSED, "unknown operation");
}

static bool end_time_of_the_last(const struct dfrs_operation *list, size_t i) {
  return list[i].kind == DFRS_OP_END_TIME && list[i].key.job_id == list[i - 1].key.job_id;
}

double apply_operations(const struct snapshot *snapshot, const struct dfrs_operation *list, size_t count,
                        struct dfrs_result *results, const struct launching *launching, struct hold_times *times) {
  const slurmctld_lock_t locks = {
      .conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK, .part = READ_LOCK, .fed = READ_LOCK};
  struct started_list started = {0};
  bool changed = false, urgent = false;
  for (size_t i = 0; i < count;) {
    lock_slurmctld(locks);
    struct hold hold = hold_begun();
    for (bool more = true; more;) {
      if (slurmctld_config.shutdown_time) {
        for (; i < count; ++i) {
          memset(&results[i], 0, sizeof(results[i]));
          set_result(&results[i], DFRS_BUSY, "slurmctld is stopping");
        }
        break;
      }
      apply_one(snapshot, &list[i], &started, &results[i]);
      hold_did(&hold, dfrs_operation_name(list[i].kind));
      if (results[i].code == DFRS_DONE) {
        if (list[i].kind != DFRS_OP_COMMENT) changed = true;
        if (list[i].kind != DFRS_OP_COMMENT && list[i].kind != DFRS_OP_END_TIME) urgent = true;
      }
      ++i;
      /* An end time belongs to the same hold as its job's resume: Slurm's own may lie in the past. */
      more = i < count && (hold_may_last(&hold) || end_time_of_the_last(list, i));
    }
    hold_ended(&hold, times);
    unlock_slurmctld(locks);
    if (i < count) sched_yield();
  }
  launching->before(launching->argument);
  split_arrays(&started, locks, times);
  if (!launching->after_save) notify_started(&started, locks, times);
  double saving = 0;
  if (urgent) {
    const double since = monotonic_clock();
    saving_now();
    saving = monotonic_clock() - since;
  } else if (changed) {
    schedule_job_save();
  }
  if (changed) schedule_node_save(); /* nothing waits for that */
  if (launching->after_save) notify_started(&started, locks, times);
  free(started.list);
  return saving;
}

void apply_dependencies(const struct snapshot *snapshot, struct hold_times *times) {
  const slurmctld_lock_t locks = {
      .conf = READ_LOCK, .job = WRITE_LOCK, .node = READ_LOCK, .part = READ_LOCK, .fed = READ_LOCK};
  size_t count;
  const uint32_t *const ids = snapshot_dependents(snapshot, &count);
  for (size_t i = 0; i < count;) {
    lock_slurmctld(locks);
    struct hold hold = hold_begun();
    do {
      job_record_t *const job = slurmctld_config.shutdown_time ? NULL : find_job_record(ids[i]);
      if (job && IS_JOB_PENDING(job) && !IS_JOB_COMPLETING(job) && (job->bit_flags & JOB_DEPENDENT) && job->details &&
          job_managed_partition(job))
        (void)job_independent(job);
    } while (++i < count && hold_may_last(&hold));
    hold_did(&hold, "look at dependencies");
    hold_ended(&hold, times);
    unlock_slurmctld(locks);
    if (i < count) sched_yield();
  }
}
