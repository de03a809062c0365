/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the selector reads from a job that slurmctld has saved: plugin/marks.h, on jobs made up here with Slurm's
 * headers.
 */
#include "plugin/marks.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void expect(bool holds, const char* what) {
  printf("%s: %s\n", holds ? "ok" : "FAIL", what);
  failures += !holds;
}

enum { kCoreMemory = COMPAT_CR_CORE | COMPAT_CR_MEMORY };

static uint64_t memory[2];
static job_resources_t resources;
static job_record_t job;

static job_record_t* job_with(uint16_t cr_type, uint32_t state, uint32_t priority, uint64_t first, uint64_t second) {
  memset(&resources, 0, sizeof(resources));
  memset(&job, 0, sizeof(job));
  memory[0] = first;
  memory[1] = second;
  resources.cr_type = cr_type;
  resources.nhosts = 2;
  resources.memory_allocated = memory;
  job.job_resrcs = &resources;
  job.job_state = state;
  job.priority = priority;
  return &job;
}

static void marks_of_0_1(void) {
  marks_upgrade(job_with(kCoreMemory | 0x40 | 0x80, JOB_RUNNING, 1, 100, 100), kCoreMemory);
  expect(marked_exact(&job), "a job that 0.1 placed exactly is marked");
  expect(resources.cr_type == (kCoreMemory | COMPAT_MARK), "and its old marks are gone");
  marks_upgrade(job_with(kCoreMemory | 0x40 | 0x400, JOB_SUSPENDED, 1, 0, 0), kCoreMemory);
  expect(marked_exact(&job) && marked_paused(&job), "a job that 0.1 paused stays paused");
  marks_upgrade(job_with(kCoreMemory, JOB_RUNNING, 1, 100, 100), kCoreMemory);
  expect(!marked_exact(&job), "a job that cons_tres placed is not marked");
  marks_upgrade(job_with(kCoreMemory | 0x40, JOB_RUNNING, 1, 100, 100), kCoreMemory | 0x40);
  expect(!marked_exact(&job) && resources.cr_type == (kCoreMemory | 0x40),
         "nor is one that has the bit from SelectTypeParameters");
  marks_upgrade(job_with(kCoreMemory | 0x80 | 0x400, JOB_RUNNING, 1, 100, 100), kCoreMemory);
  expect(!marked_exact(&job), "nor one with the other bits alone");
}

static void pauses(void) {
  expect(marked_paused(job_with(kCoreMemory, JOB_SUSPENDED, 1, 0, 0)), "without memory: paused by us");
  expect(marked_paused(job_with(kCoreMemory, JOB_SUSPENDED, 0, 0, 0)), "also when its user holds it");
  expect(!marked_paused(job_with(kCoreMemory, JOB_SUSPENDED, 0, 100, 0)), "with memory: suspended by its user");
  expect(marked_paused(job_with(kCoreMemory, JOB_SUSPENDED, 1, 100, 0)), "with memory and a priority: paused by us");
  expect(!marked_paused(job_with(kCoreMemory, JOB_RUNNING, 1, 0, 0)), "a running job is not paused");
  expect(!marked_paused(job_with(COMPAT_CR_CORE, JOB_SUSPENDED, 0, 0, 0)),
         "where memory is not counted its absence says nothing");
}

int main(void) {
  marks_of_0_1();
  pauses();
  return failures != 0;
}
