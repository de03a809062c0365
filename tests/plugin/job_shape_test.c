/* SPDX-License-Identifier: GPL-2.0-or-later
 * The shape of jobs (plugin/job_shape.h), also of those that ask for more than anybody has. Jobs are made up here with
 * Slurm's headers; what slurmctld would do for them is played here.
 */
#include "plugin/job_shape.h"

#include <stdio.h>
#include <string.h>

#include "shim/gate.h"

slurm_conf_t slurm_conf;

bool dfrs_gate_manages(const char* partition) { return strcmp(partition, "managed") == 0; }

/* No job here has lists. */
int list_count(compat_list list) { return list ? 1 : 0; }
compat_iterator list_iterator_create(compat_list list) {
  (void)list;
  return NULL;
}
void* list_next(compat_iterator each) {
  (void)each;
  return NULL;
}
void list_iterator_destroy(compat_iterator each) { (void)each; }
int32_t bit_set_count(bitstr_t* bits) {
  (void)bits;
  return 0;
}

static int failures;

static void expect(bool holds, const char* what) {
  printf("%s: %s\n", holds ? "ok" : "FAIL", what);
  failures += !holds;
}

static struct job_details details;
static job_record_t job;

static struct job_shape shape_of(uint32_t nodes, uint32_t most_nodes, uint32_t tasks, uint16_t cpus, uint64_t memory) {
  memset(&details, 0, sizeof(details));
  memset(&job, 0, sizeof(job));
  job.details = &details;
  details.min_nodes = nodes;
  details.max_nodes = most_nodes;
  details.num_tasks = tasks;
  details.cpus_per_task = cpus;
  details.min_cpus = 1;
  details.pn_min_memory = memory;
  return job_shape(&job, 1000);
}

static void usual_jobs(void) {
  struct job_shape shape = shape_of(1, 0, 8, 2, 100 | MEM_PER_CPU);
  expect(shape.tasks == 8 && shape.cpus_per_task == 2 && shape.memory_per_task == 200, "eight tasks of two CPUs");
  shape = shape_of(2, 2, 8, 2, 100);
  expect(shape.tasks == 2 && shape.cpus_per_task == 8 && shape.memory_per_task == 100 && shape.one_per_node,
         "on two nodes, the tasks of a node are one");
  shape = shape_of(1, 0, 8, 2, 100);
  expect(shape.memory_per_task == 13 && !shape.exclusive, "the memory of a node is that of its tasks, rounded up");
  shape = shape_of(1, 0, 1, 1, 0);
  expect(shape.exclusive && shape.memory_per_task == 1000, "without a request it has all memory of its nodes");
}

static void impossible_jobs(void) {
  struct job_shape shape = shape_of(1, 1, 70000, 65500, 1 | MEM_PER_CPU);
  expect(shape.tasks == 1 && shape.cpus_per_task == UINT32_MAX, "70000 x 65500 CPUs of one node are not few");
  shape = shape_of(1, 0, 70000, 65500, 1 | MEM_PER_CPU);
  expect(shape.cpus_per_task == 65500, "nor are they more CPUs of each task");
  shape = shape_of(1, 1, 4, 4, ((uint64_t)1 << 60) | MEM_PER_CPU);
  expect(shape.memory_per_task == UINT64_MAX, "16 x 2^60 MiB of memory are not none");
  shape = shape_of(1, 1, 4, 1, (uint64_t)1 << 62);
  expect(shape.memory_per_task >= (uint64_t)1 << 61, "nor is the memory of a node that has several tasks");
}

int main(void) {
  usual_jobs();
  impossible_jobs();
  return failures != 0;
}
