/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/array_tasks.h"

#include "plugin/saving.h"

enum { kLeastAhead = 128, kMostAhead = 1024 };
/* 1/s; what slurmctld may launch. A round that starts tasks is followed by a pause in proportion to its save. */
static const double kMostStarts = 1000;

static uint32_t most_ahead(void) {
  const double wanted = kMostStarts * saving_rest();
  return wanted < kLeastAhead ? kLeastAhead : wanted > kMostAhead ? kMostAhead : (uint32_t)wanted;
}

bool array_is_full(const job_record_t *job) {
  const job_array_struct_t *array = job->array_recs;
  if (!array && job->array_task_id != NO_VAL && job->array_job_id != job->job_id) {
    const job_record_t *head = find_job_record(job->array_job_id);
    array = head ? head->array_recs : NULL;
  }
  return array && array->max_run_tasks != 0 && array->tot_run_tasks >= array->max_run_tasks;
}

/* Splits one task off; returns the record of the rest. NULL: there is no more than a task or two, which need no help.
 */
static job_record_t *split_one(job_record_t *rest) {
  if (!rest || !IS_JOB_PENDING(rest) || !rest->details || !rest->array_recs || !rest->array_recs->task_id_bitmap ||
      rest->array_task_id != NO_VAL || rest->array_recs->task_cnt <= 2)
    return NULL;
  job_array_pre_sched(rest);
  return rest->array_task_id == NO_VAL ? NULL : compat_array_post_sched(rest);
}

bool array_split_more(uint32_t array_job_id, uint32_t started, struct hold *hold) {
  const uint32_t waiting = (uint32_t)num_pending_job_array_tasks(array_job_id), most = most_ahead();
  uint32_t wanted = started < most / 2 ? 2 * started : most;
  job_record_t *rest = find_job_record(array_job_id);
  if (!rest || !rest->array_recs) return true;
  const job_array_struct_t *array = rest->array_recs;
  if (array->max_run_tasks != 0) {
    const uint32_t room = array->max_run_tasks > array->tot_run_tasks ? array->max_run_tasks - array->tot_run_tasks : 0;
    if (wanted > room) wanted = room;
  }
  hold_did(hold, "count of tasks");
  uint32_t have = waiting;
  do {
    rest = have < wanted ? split_one(rest) : NULL;
    hold_did(hold, "task split off");
    ++have;
  } while (rest && hold_may_last(hold));
  last_job_update = time(NULL);
  return !rest;
}
