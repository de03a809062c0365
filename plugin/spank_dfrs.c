/* SPDX-License-Identifier: GPL-2.0-or-later
 * SPANK plugin: every task starts under its job's CPU quota. In plugstack.conf of the compute nodes:
 *
 *   optional spank_dfrs.so [run_dir=/run/dfrs/%n] [cgroup_root=/sys/fs/cgroup] [default_cores_per_cpu=X]
 *
 * The hook runs in slurmstepd as root while the new task waits for its exec, so that the quota holds from the task's
 * first instruction. An error is only logged, since a plugin that fails could drain the node. The task then runs
 * without a quota, with cgroup v2 until the node agent sets it.
 */
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/job_group.h"

SPANK_PLUGIN(dfrs, 1)

static bool configure(struct dfrs_group_conf *conf, int argc, char **argv) {
  char err[512];
  /* From slurmstepd's own environment: the job's (spank_getenv) may name another node. */
  if (dfrs_group_configure(conf, getenv("SLURMD_NODENAME"), argc, argv, err, sizeof(err)) == 0) return true;
  slurm_error("spank_dfrs: %s", err);
  return false;
}

/* The number of CPUs in a list like "0-3,8". */
static unsigned count_cpus(const char *list) {
  unsigned count = 0;
  while (list && *list >= '0' && *list <= '9') {
    char *end;
    const unsigned long first = strtoul(list, &end, 10);
    const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
    if (last < first || last - first > UINT16_MAX) break;
    count += (unsigned)(last - first) + 1;
    if (*end != ',') break;
    list = end + 1;
  }
  return count;
}

/* The CPUs of the whole job, not of the step, on this node. */
static unsigned job_cpus(spank_t spank) {
  char *cores = NULL;
  uint16_t cpus = 0;
  unsigned count = 0;
  if (spank_get_item(spank, S_JOB_ALLOC_CORES, &cores) == ESPANK_SUCCESS) count = count_cpus(cores);
  if (count == 0 && spank_get_item(spank, S_JOB_NCPUS, &cpus) == ESPANK_SUCCESS) count = cpus;
  return count ? count : 1;
}

int slurm_spank_task_post_fork(spank_t spank, int argc, char **argv) {
  struct dfrs_group_conf conf;
  char err[512];
  uint32_t job = 0;
  pid_t process = 0;
  /* The extern step has no task. */
  if (spank_get_item(spank, S_TASK_PID, &process) != ESPANK_SUCCESS || process <= 0 ||
      spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS)
    return 0;
  if (!configure(&conf, argc, argv)) return 0;
  if (dfrs_group_join(&conf, job, job_cpus(spank), process, err, sizeof(err)) != 0)
    slurm_error("spank_dfrs: job %u runs without its quota: %s", job, err);
  if (dfrs_group_free_cpus(&conf, job, process, err, sizeof(err)) != 0)
    slurm_error("spank_dfrs: job %u stays pinned to its cores: %s", job, err);
  return 0;
}

/* From 22.05 on, srun does not take --cpus-per-task from its job. A plain srun in a script would have one CPU per task,
 * and Slurm would distribute the tasks over the job's nodes in a way that does not match placement and quotas. srun
 * takes it from this variable; a value that the user has set stays. */
int slurm_spank_user_init(spank_t spank, int argc, char **argv) {
  struct dfrs_group_conf conf;
  uint32_t job = 0;
  uint32_t step = 0;
  char cpus[32];
  if (spank_remote(spank) == 1 && spank_get_item(spank, S_JOB_ID, &job) == ESPANK_SUCCESS &&
      spank_get_item(spank, S_JOB_STEPID, &step) == ESPANK_SUCCESS && step == SLURM_BATCH_SCRIPT &&
      configure(&conf, argc, argv) && dfrs_group_managed(&conf, job) &&
      spank_getenv(spank, "SLURM_CPUS_PER_TASK", cpus, sizeof(cpus)) == ESPANK_SUCCESS)
    spank_setenv(spank, "SRUN_CPUS_PER_TASK", cpus, 0);
  return 0;
}

static void leave(spank_t spank, int argc, char **argv, bool job_over) {
  struct dfrs_group_conf conf;
  uint32_t job = 0;
  if (spank_get_item(spank, S_JOB_ID, &job) == ESPANK_SUCCESS && configure(&conf, argc, argv))
    dfrs_group_leave(&conf, job, job_over);
}

/* At the end of a step; the last one removes the group. */
int slurm_spank_exit(spank_t spank, int argc, char **argv) {
  if (spank_remote(spank) == 1) leave(spank, argc, argv, false);
  return 0;
}

int slurm_spank_job_epilog(spank_t spank, int argc, char **argv) {
  leave(spank, argc, argv, true);
  return 0;
}
