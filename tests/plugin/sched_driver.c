/* SPDX-License-Identifier: GPL-2.0-or-later
 * sched/driver: a scheduler for tests of the select wrapper. It decides nothing: a test requests each step and gets
 * Slurm's answer, and can thus request what the policy would not, in a known order.
 *
 * A test renames a file to StateSaveLocation/driver/request; the answer appears as .../driver/answer, a line for each
 * of the request: a number (0: done, else Slurm's error), a space, and its text or the job's number.
 * - partitions NAME[,NAME...]: sets the managed partitions
 * - start JOB NODE:TASKS[,...]: exactly there
 * - place JOB NODE[,...]: somewhere on these (DFRS_PLAN_STOCK)
 * - suspend JOB, resume JOB, requeue JOB
 * - wakes: the number of wake-ups since the last request of this kind
 *
 * With bf_interval in SchedulerParameters stock backfill runs beside it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/compat.h"
#include "plugin/job_shape.h"
#include "plugin/stock_backfill.h"
#include "shim/gate.h"

const char plugin_name[] = "Driven by a test";
const char plugin_type[] = "sched/driver";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

enum { kMostNodes = 64 };

static pthread_t thread;
static bool running, stop;
static uint64_t wakes;

static void count_wakes(void) {
  uint64_t count;
  if (read(dfrs_gate_eventfd(), &count, sizeof(count)) == (ssize_t)sizeof(count)) wakes += count;
}

static void start(job_record_t* job, enum dfrs_plan_kind kind, char* where, int* rc) {
  uint32_t nodes[kMostNodes], count = 0;
  uint16_t tasks[kMostNodes];
  char* rest = NULL;
  for (char* name = strtok_r(where, ",", &rest); name && count < kMostNodes; name = strtok_r(NULL, ",", &rest)) {
    char* colon = strchr(name, ':');
    if (colon) *colon = '\0';
    const node_record_t* node = find_node_record(name);
    if (!node) return;
    nodes[count] = (uint32_t)node->index;
    tasks[count++] = (uint16_t)(colon ? atoi(colon + 1) : 1);
  }
  const struct job_shape shape = job_shape(job, 0);
  const struct dfrs_plan plan = {.kind = kind,
                                 .job_id = job->job_id,
                                 .node_count = count,
                                 .nodes = nodes,
                                 .node_tasks = tasks,
                                 .cpus_per_task = (uint16_t)shape.cpus_per_task,
                                 .memory_per_task = shape.memory_per_task};
  const uint32_t id = job->job_id;
  set_job_features_use(job->details);
  dfrs_gate_publish(&plan);
  *rc = compat_select_nodes(job);
  dfrs_gate_withdraw(id);
  if (*rc != SLURM_SUCCESS) return;
  last_job_update = time(NULL);
  if (!job->batch_flag)
    srun_allocate(job);
  else if (!IS_JOB_CONFIGURING(job))
    launch_job(job);
  rebuild_job_part_list(job);
}

static void set_partitions(char* names) {
  const char* list[8];
  size_t count = 0;
  char* rest = NULL;
  for (char* name = strtok_r(names, ",", &rest); name && count < 8; name = strtok_r(NULL, ",", &rest))
    list[count++] = name;
  dfrs_gate_set_partitions(list, count);
}

static void one_line(char* line, FILE* answer) {
  char* rest = NULL;
  char *operation = strtok_r(line, " \n", &rest), *what = strtok_r(NULL, " \n", &rest);
  char* where = strtok_r(NULL, " \n", &rest);
  if (!operation) return;
  if (strcmp(operation, "wakes") == 0) {
    count_wakes();
    fprintf(answer, "0 %llu\n", (unsigned long long)wakes);
    wakes = 0;
    return;
  }
  if (strcmp(operation, "partitions") == 0) {
    set_partitions(what ? what : line + strlen(line));
    fprintf(answer, "0 set\n");
    return;
  }
  const slurmctld_lock_t locks = {
      .conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK, .part = READ_LOCK, .fed = READ_LOCK};
  lock_slurmctld(locks);
  int rc = SLURM_ERROR;
  job_record_t* job = what ? find_job_record((uint32_t)strtoul(what, NULL, 10)) : NULL;
  if (job && job->details) {
    if (strcmp(operation, "start") == 0 && where)
      start(job, DFRS_PLAN_EXACT, where, &rc);
    else if (strcmp(operation, "place") == 0 && where)
      start(job, DFRS_PLAN_STOCK, where, &rc);
    else if (strcmp(operation, "suspend") == 0)
      rc = compat_suspend(job, true);
    else if (strcmp(operation, "resume") == 0)
      rc = compat_suspend(job, false);
    else if (strcmp(operation, "requeue") == 0)
      rc = compat_requeue(job);
  }
  if (rc == SLURM_SUCCESS)
    fprintf(answer, "0 %u\n", job->job_id);
  else
    fprintf(answer, "%d %s\n", rc, slurm_strerror(rc));
  unlock_slurmctld(locks);
  schedule_job_save();
  schedule_node_save();
}

static void* thread_main(void* unused) {
  char folder[2048], request[2100], taken[2100], answer[2100], temporary[2100];
  snprintf(folder, sizeof(folder), "%s/driver", slurm_conf.state_save_location);
  snprintf(request, sizeof(request), "%s/request", folder);
  snprintf(taken, sizeof(taken), "%s/taken", folder);
  snprintf(answer, sizeof(answer), "%s/answer", folder);
  snprintf(temporary, sizeof(temporary), "%s/answer.new", folder);
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    usleep(2000);
    count_wakes();
    if (!avail_node_bitmap || rename(request, taken) != 0) continue;
    FILE *from = fopen(taken, "r"), *to = fopen(temporary, "w");
    char line[1024];
    while (from && to && fgets(line, sizeof(line), from)) one_line(line, to);
    if (from) fclose(from);
    if (to) fclose(to);
    (void)rename(temporary, answer);
  }
  return NULL;
}

int init(void) {
  if (!compat_in_slurmctld() || running) return SLURM_SUCCESS;
  if (!dfrs_gate_select_ready()) {
    error("sched/driver: the select wrapper is not loaded");
    return SLURM_ERROR;
  }
  const char* const first[] = {"dfrs"};
  dfrs_gate_set_partitions(first, 1);
  __atomic_store_n(&stop, false, __ATOMIC_RELEASE);
  running = pthread_create(&thread, NULL, thread_main, NULL) == 0;
  if (running && xstrcasestr(slurm_conf.sched_params, "bf_interval")) (void)stock_backfill_start();
  return running ? SLURM_SUCCESS : SLURM_ERROR;
}

void fini(void) {
  if (!running) return;
  __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  stock_backfill_stop();
  running = false;
}

int sched_p_reconfig(void) { return SLURM_SUCCESS; }
