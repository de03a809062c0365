/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/lost_jobs.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "plugin/job_shape.h"
#include "src/slurmctld/agent.h"
#include "src/slurmctld/ping_nodes.h"

/* s; slurmd's reports lack a job while it is still being launched. A site's prolog may take as long as Slurm allows for
 * a start. */
static const time_t kLaunchTakes = 3;
static const time_t kAskAgain = 5; /* a request may be lost */
static const int kReports = 2;
static const time_t kCredentialSeconds = 3; /* slurmd refuses credentials of the second in which it ended a run */
static const double kLookEvery = 0.25;

struct suspect {
  uint32_t job_id, restarts;
  time_t start_time;
  time_t asked; /* when its node was last asked; 0: not since the last report */
  time_t next;  /* when its node may be asked next */
  int missing;  /* reports in a row that lack it */
  bool lost, held;
};

static time_t since;
static bool collected = true;
static struct suspect *suspects;    /* by job_id */
static size_t count, checked, kept; /* of the pass that is under way: [0, kept) stay, [checked, count) are to come */
static size_t lost_count;

void lost_jobs_begin(time_t from) {
  since = from;
  collected = false;
  free(suspects);
  suspects = NULL;
  count = checked = kept = lost_count = 0;
}

static int by_job_id(const void *a, const void *b) {
  const uint32_t left = ((const struct suspect *)a)->job_id, right = ((const struct suspect *)b)->job_id;
  return (left > right) - (left < right);
}

static bool in_question(const job_record_t *job) {
  return job->batch_flag && (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) && !IS_JOB_CONFIGURING(job) &&
         !IS_JOB_COMPLETING(job) && job->start_time <= since && job->batch_host && job->node_bitmap &&
         job_managed_partition(job);
}

/* Needs the job and partition read locks. */
static bool collect_suspects(void) {
  const size_t all = (size_t)list_count(job_list);
  suspects = calloc(all ? all : 1, sizeof(*suspects));
  if (!suspects) return false;
  const time_t first = since + kLaunchTakes + (slurm_conf.prolog ? slurm_conf.batch_start_timeout : 0);
  compat_iterator each = list_iterator_create(job_list);
  for (job_record_t *job; (job = list_next(each));)
    if (in_question(job))
      suspects[count++] = (struct suspect){
          .job_id = job->job_id, .restarts = job->restart_cnt, .start_time = job->start_time, .next = first};
  list_iterator_destroy(each);
  return true;
}

static bool ready(void) { return job_list && avail_node_bitmap && !slurmctld_config.shutdown_time; }

/* Once, with all jobs to go over: nobody has to wait for read locks but those who write. */
static void collect(void) {
  const slurmctld_lock_t locks = {.conf = READ_LOCK, .job = READ_LOCK, .node = READ_LOCK, .part = READ_LOCK};
  lock_slurmctld(locks);
  if (ready()) collected = collect_suspects();
  unlock_slurmctld(locks);
  if (collected) qsort(suspects, count, sizeof(*suspects), by_job_id);
}

static job_record_t *still_there(const struct suspect *suspect) {
  job_record_t *job = find_job_record(suspect->job_id);
  if (!job || job->restart_cnt != suspect->restarts || job->start_time != suspect->start_time) return NULL;
  return in_question(job) ? job : NULL;
}

/* Whether a registration or a new step has shown it since. A suspend sets the same time and shows nothing. */
static bool shown_since(const job_record_t *job, time_t asked) {
  return job->time_last_active >= asked && job->time_last_active != job->suspend_time;
}

/* Asks the nodes of suspects [first, last), each once: one report shows all its jobs. */
static void request_reports(time_t now, size_t first, size_t last) {
  compat_hostlist hosts = NULL;
  uint16_t protocol = SLURM_PROTOCOL_VERSION;
  for (size_t i = first; i < last; ++i) {
    if (suspects[i].asked != now || suspects[i].lost) continue;
    const job_record_t *job = still_there(&suspects[i]);
    node_record_t *node = job ? find_node_record(job->batch_host) : NULL;
    if (!node) continue;
    node->boot_time = 0; /* Slurm's mark of a node that has yet to register; the registration sets it again */
    if (!hosts) hosts = hostlist_create(NULL);
    hostlist_push_host(hosts, node->name);
    if (node->protocol_version < protocol) protocol = node->protocol_version;
  }
  if (!hosts) return;
  agent_arg_t *request = xmalloc(sizeof(*request));
  hostlist_uniq(hosts);
  request->msg_type = REQUEST_NODE_REGISTRATION_STATUS;
  request->retry = 0;
  request->protocol_version = protocol;
  request->hostlist = hosts;
  request->node_count = (uint32_t)hostlist_count(hosts);
  ping_begin(); /* the sending thread calls ping_end() */
  set_agent_arg_r_uid(request, SLURM_AUTH_UID_ANY);
  agent_queue_request(request);
}

/* The job, if its slurmd had it held because it could not confirm the launch to a slurmctld that was gone. */
static job_record_t *held_for_no_fault(const struct suspect *suspect) {
  job_record_t *job = find_job_record(suspect->job_id);
  return job && job->restart_cnt == suspect->restarts + 1 && IS_JOB_PENDING(job) && job->priority == 0 &&
                 !xstrcmp(job->state_desc, "launch failed requeued held")
             ? job
             : NULL;
}

static void release(job_record_t *job) { /* as `scontrol release` */
  job->direct_set_prio = 0;
  set_job_prio(job);
  job->state_reason = WAIT_NO_REASON;
  xfree(job->state_desc);
  job->exit_code = 0;
  if (job->details) job->details->begin_time = 0;
  last_job_update = time(NULL);
  info("sched/dfrs: %pJ released: it was held only because its node could not reach the former slurmctld", job);
}

/* False: the suspect needs no further check. */
static bool check_suspect(struct suspect *suspect, time_t now) {
  job_record_t *const held = held_for_no_fault(suspect);
  if (held && !suspect->held) {
    suspect->held = true;
    suspect->next = now + kCredentialSeconds;
  }
  if (held) {
    if (now < suspect->next || IS_JOB_COMPLETING(held)) return true;
    release(held);
    return false;
  }
  const job_record_t *job = still_there(suspect);
  if (!job) return false;
  if (suspect->lost) return true;
  const node_record_t *node = find_node_record(job->batch_host);
  /* Slurm deals with jobs on nodes that are down. */
  if (!node || IS_NODE_DOWN(node) || IS_NODE_NO_RESPOND(node)) return true;
  if (!suspect->asked) {
    if (now >= suspect->next && node->boot_time != 0) suspect->asked = now;
  } else if (node->boot_time == 0) {
    if (now >= suspect->asked + kAskAgain) suspect->asked = now;
  } else if (shown_since(job, suspect->asked)) {
    return false;
  } else {
    suspect->asked = 0;
    suspect->next = now + 1;
    if (++suspect->missing < kReports) return true;
    suspect->lost = true;
    info("sched/dfrs: %pJ is not on its node %s: its launch or its end was lost with the former slurmctld", job,
         job->batch_host);
  }
  return true;
}

/* Checks some more suspects; true once all have been looked at. A suspect that goes on is kept at the front. */
static bool check_some(time_t now, struct hold *hold) {
  const size_t first = kept;
  while (checked < count && hold_may_last(hold)) {
    suspects[kept] = suspects[checked++];
    const bool was_lost = suspects[kept].lost, stays = check_suspect(&suspects[kept], now);
    if (stays && suspects[kept].lost && !was_lost) ++lost_count;
    if (!stays && was_lost) --lost_count;
    kept += stays;
  }
  hold_did(hold, "look for lost jobs");
  request_reports(now, first, kept);
  hold_did(hold, "request for reports");
  if (checked < count) return false;
  count = kept;
  checked = kept = 0;
  return true;
}

double lost_jobs_check(struct hold_times *times) {
  if (collected && count == 0) return INFINITY;
  const slurmctld_lock_t locks = {.conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK, .part = READ_LOCK};
  const time_t now = time(NULL);
  if (now < since) since = now; /* the clock was set back */
  if (!collected) collect();
  for (bool done = !collected || count == 0; !done;) {
    lock_slurmctld(locks);
    struct hold hold = hold_begun();
    done = !ready() || check_some(now, &hold);
    hold_ended(&hold, times);
    unlock_slurmctld(locks);
    if (!done) sched_yield();
  }
  return collected && count == 0 ? INFINITY : kLookEvery;
}

bool lost_jobs_has(const job_record_t *job) {
  if (lost_count == 0) return false;
  const struct suspect wanted = {.job_id = job->job_id};
  const struct suspect *const found = bsearch(&wanted, suspects, count, sizeof(*suspects), by_job_id);
  return found && found->lost && found->restarts == job->restart_cnt && found->start_time == job->start_time;
}
