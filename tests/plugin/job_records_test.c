/* SPDX-License-Identifier: GPL-2.0-or-later
 * plugin/job_records.h: whatever is remembered, all jobs are listed, each once; and Slurm's list is followed only where
 * it must be. Slurm's list of jobs, and its search by number, are played here.
 */
#include "plugin/job_records.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 400 };

compat_list job_list;

static job_record_t records[kMost]; /* in use: those with a number */
static job_record_t* order[kMost];  /* of the list */
static size_t count;
static bool unknown[kMost]; /* not found by its number */
static size_t next;
static int follows;

compat_iterator list_iterator_create(compat_list list) {
  (void)list;
  ++follows;
  next = 0;
  return NULL;
}
void* list_next(compat_iterator each) {
  (void)each;
  return next < count ? order[next++] : NULL;
}
void list_iterator_destroy(compat_iterator each) { (void)each; }

job_record_t* find_job_record(uint32_t job_id) {
  for (size_t k = 0; k < count; ++k)
    if (order[k]->job_id == job_id && !unknown[order[k] - records]) return order[k];
  return NULL;
}

static int failures;

static void expect(bool holds, const char* what) {
  printf("%s: %s\n", holds ? "ok" : "FAIL", what);
  failures += !holds;
}

static void add(uint32_t job_id) {
  size_t k = 0;
  while (records[k].job_id != 0) ++k;
  records[k].job_id = job_id;
  unknown[k] = false;
  order[count++] = &records[k];
}

static void purge(size_t at) {
  order[at]->job_id = 0;
  for (--count; at < count; ++at) order[at] = order[at + 1];
}

static void purge_all(void) {
  while (count > 0) purge(count - 1);
}

static struct job_records known;

/* Whether all jobs are listed, each once. */
static bool complete(void) {
  job_record_t* listed[kMost];
  follows = 0;
  if (job_records_list(&known, listed, count) != count) return false;
  bool is_listed[kMost] = {false};
  for (size_t k = 0; k < count; ++k) {
    if (listed[k]->job_id == 0 || is_listed[listed[k] - records]) return false;
    is_listed[listed[k] - records] = true;
  }
  return true;
}

static void by_hand(void) {
  expect(complete() && follows == 0, "no jobs");
  add(100);
  expect(complete() && follows == 1, "the first job is found by following the list");
  expect(complete() && follows == 0, "and then by its number");
  add(101);
  add(164); /* 63 numbers are not used */
  expect(complete() && follows == 0, "new jobs are found by the numbers that follow");
  add(164 + 66);
  expect(complete() && follows == 1, "but not after many unused ones");
  purge(0);
  expect(complete() && follows == 0, "a job is gone");
  purge(0);
  add(231);
  expect(complete() && follows == 0, "one is gone, one is new");
  add(7); /* after the highest number, Slurm starts again at the lowest */
  expect(complete() && follows == 1, "a lower number");
  expect(complete() && follows == 0, "is known from then on");
  unknown[order[1] - records] = true;
  expect(complete() && follows == 1, "a job that is not found by its number");
  expect(complete() && follows == 1, "is never remembered");
  purge(1);
  expect(complete() && complete() && follows == 0, "once it is gone, the others are");
  purge_all();
  expect(complete(), "all are gone");
  add(UINT32_MAX);
  expect(complete() && complete() && follows == 0, "the highest number");
  add(8);
  expect(complete() && complete() && follows == 0, "none follows it");
  job_records_free(&known);
  expect(complete() && follows == 1, "nothing is remembered any more");
}

/* Two records with one number, which Slurm never has: the list has both. */
static void same_number(void) {
  purge_all();
  add(5);
  add(6);
  add(6);
  expect(complete() && complete(), "two records with the same number");
}

static void at_random(void) {
  purge_all();
  srand(1);
  uint32_t last = 1;
  bool all = true;
  int followed = 0, lists = 0;
  for (; lists < 3000 && all; ++lists) {
    for (int changes = rand() % 8; changes > 0; --changes) {
      if (count > 0 && rand() % 2 == 0) purge((size_t)rand() % count);
      if (count == kMost) continue;
      last += rand() % 500 == 0 ? 100 : 1 + (uint32_t)rand() % 3;
      add(last);
    }
    all = complete();
    followed += follows;
  }
  expect(all, "3,000 lists of jobs that come and go");
  printf("%s: the list was followed for %d of them\n", followed < lists / 10 ? "ok" : "FAIL", followed);
  failures += followed >= lists / 10;
}

int main(void) {
  by_hand();
  same_number();
  at_random();
  job_records_free(&known);
  return failures > 0;
}
