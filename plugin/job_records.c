/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/job_records.h"

#include <stdlib.h>

enum { kAhead = 48, kGap = 64 /* unused numbers in a row, after which no new job is expected */ };

struct listed_job {
  uint32_t id;
  uintptr_t record; /* where it was: it may be gone */
};

static void prefetch(uintptr_t record) {
  __builtin_prefetch((const char *)record + offsetof(job_record_t, job_id));
  __builtin_prefetch((const char *)record + offsetof(job_record_t, job_next));
}

/* By number. Returns how many were found, at most `count`: if so many, there are no others, since different numbers
 * lead to different records, and in all versions of Slurm only to those in its list. */
static size_t find_all(const struct job_records *known, job_record_t **records, size_t count) {
  size_t found = 0;
  for (size_t k = 0; k < known->count && found < count; ++k) {
    if (k + kAhead < known->count) prefetch(known->listed[k + kAhead].record);
    job_record_t *const job = find_job_record(known->listed[k].id);
    if (job) records[found++] = job;
  }
  for (uint32_t gap = 0, id = known->last_id; found < count && gap < kGap && id < UINT32_MAX; ++gap) {
    job_record_t *const job = find_job_record(++id);
    if (!job) continue;
    records[found++] = job;
    gap = 0;
  }
  return found;
}

/* Whether each of them is the one that its number leads to. */
static bool found_by_number(job_record_t *const *records, size_t count) {
  for (size_t k = 0; k < count; ++k)
    if (find_job_record(records[k]->job_id) != records[k]) return false;
  return true;
}

/* Remembers nothing if there is no memory. */
static void remember(struct job_records *known, job_record_t *const *records, size_t count) {
  known->count = 0;
  known->last_id = 0;
  if (known->room < count) {
    free(known->listed);
    known->room = 0;
    known->listed = malloc(2 * count * sizeof(*known->listed));
    if (!known->listed) return;
    known->room = 2 * count;
  }
  known->count = count;
  for (size_t k = 0; k < count; ++k) {
    const uint32_t id = records[k]->job_id;
    known->listed[k] = (struct listed_job){.id = id, .record = (uintptr_t)records[k]};
    if (known->last_id < id) known->last_id = id;
  }
}

static size_t follow_list(job_record_t **records, size_t count) {
  size_t followed = 0;
  compat_iterator each = list_iterator_create(job_list);
  for (job_record_t *job; followed < count && (job = list_next(each));) records[followed++] = job;
  list_iterator_destroy(each);
  return followed;
}

size_t job_records_list(struct job_records *known, job_record_t **records, size_t count) {
  size_t listed = find_all(known, records, count);
  bool by_number = listed == count;
  if (!by_number) {
    listed = follow_list(records, count);
    by_number = found_by_number(records, listed);
  }
  remember(known, records, by_number ? listed : 0);
  return listed;
}

void job_records_free(struct job_records *known) {
  free(known->listed);
  *known = (struct job_records){0};
}
