/* SPDX-License-Identifier: GPL-2.0-or-later
 * Submits many jobs faster than one sbatch for each could: for measuring slurmctld.
 *
 *   submit_jobs COUNT THREADS PAUSE CPUS MEMORY_MIB MINUTES SCRIPT
 *
 * COUNT batch jobs of one task with so many CPUs, so much memory and such a time limit, from so many threads at once,
 * each of which rests PAUSE seconds after a job. Prints a line for each: `submit JOB TIME TOOK`, the time (s since the
 * epoch) at which its submission began, and how long slurmctld took to answer.
 */
#include <pthread.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long left; /* atomic */
static double pause_after;
static int cpus;
static uint32_t minutes;
static uint64_t memory;
static char* script;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void* submit(void* unused) {
  (void)unused;
  static char* environment[] = {"PATH=/usr/bin:/bin", NULL};
  while (__atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) >= 0) {
    job_desc_msg_t job;
    slurm_init_job_desc_msg(&job);
    job.name = "bench";
    job.script = script;
    job.environment = environment;
    job.env_size = 1;
    job.work_dir = "/tmp";
    job.std_out = job.std_err = "/dev/null";
    job.user_id = getuid();
    job.group_id = getgid();
    job.num_tasks = 1;
    job.min_nodes = job.max_nodes = 1;
    job.cpus_per_task = (uint16_t)cpus;
    job.pn_min_cpus = (uint16_t)cpus;
    job.min_cpus = (uint32_t)cpus;
    job.pn_min_memory = memory;
    job.time_limit = minutes;
    const double at = now();
    submit_response_msg_t* answer = NULL;
    while (slurm_submit_batch_job(&job, &answer) != 0) {
      const int error = slurm_get_errno();
      if (error != EAGAIN && error != ESLURM_ERROR_ON_DESC_TO_RECORD_COPY && error != ETIMEDOUT) {
        fprintf(stderr, "submit_jobs: %s\n", slurm_strerror(error));
        exit(1);
      }
      usleep(100000);
    }
    printf("submit %u %.4f %.4f\n", answer->job_id, at, now() - at);
    fflush(stdout);
    slurm_free_submit_response_response_msg(answer);
    if (pause_after > 0) usleep((useconds_t)(pause_after * 1e6));
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 8) {
    fprintf(stderr, "usage: %s COUNT THREADS PAUSE CPUS MEMORY_MIB MINUTES SCRIPT\n", argv[0]);
    return 2;
  }
  enum { MOST_THREADS = 64 };
  pthread_t threads[MOST_THREADS];
  const int thread_count = atoi(argv[2]);
  left = atol(argv[1]);
  pause_after = atof(argv[3]);
  cpus = atoi(argv[4]);
  memory = (uint64_t)atoll(argv[5]);
  minutes = (uint32_t)atol(argv[6]);
  script = argv[7];
  if (thread_count < 1 || thread_count > MOST_THREADS) return 2;
  slurm_init(NULL);
  for (int i = 0; i < thread_count; ++i)
    if (pthread_create(&threads[i], NULL, submit, NULL) != 0) return 1;
  for (int i = 0; i < thread_count; ++i) pthread_join(threads[i], NULL);
  return 0;
}
