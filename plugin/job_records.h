/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lists the records of all of Slurm's jobs. The links of Slurm's list lie anywhere in memory, and each has to be read
 * before the next is known: with 20,000 jobs, following them took a quarter of a round. So jobs that were listed before
 * are found by their numbers, and new ones by the numbers that follow. If that does not find all, the list is followed.
 */
#ifndef DFRS_PLUGIN_JOB_RECORDS_H
#define DFRS_PLUGIN_JOB_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "plugin/compat.h"

struct job_records {
  struct listed_job *listed; /* those of the last time */
  size_t count, room;
  uint32_t last_id; /* the highest number among them */
};

/* Writes all of Slurm's jobs to records[], which has room for `count`, as many as Slurm's list has; mostly, but not
 * always, in the list's order. The caller has Slurm's read lock on jobs. Returns how many there are. O(count). */
size_t job_records_list(struct job_records *known, job_record_t **records, size_t count);
void job_records_free(struct job_records *known);

#endif
