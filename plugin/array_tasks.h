/* SPDX-License-Identifier: GPL-2.0-or-later
 * Arrays: one record stands for all tasks that have not been split off. The policy sees it as one job and starts one
 * task at a time, so tasks are split off ahead of their start while an array makes progress.
 *
 * All functions need the locks of jobs, those that split the write lock.
 */
#ifndef DFRS_PLUGIN_ARRAY_TASKS_H
#define DFRS_PLUGIN_ARRAY_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/compat.h"
#include "plugin/hold.h"

/* Whether the job is a task of an array that runs as many tasks as its user allows (--array=0-9%2). */
bool array_is_full(const job_record_t *job);

/* After `started` tasks of the array have started in one round: splits so many off that twice as many can start in the
 * next one, up to 128, or as many as 1,000 a second make if the pause for the save is long, but 1,024 at most. Those
 * that have been split off and still wait count. False: the hold has lasted long enough, and there is more to split. */
bool array_split_more(uint32_t array_job_id, uint32_t started, struct hold *hold);

#endif
