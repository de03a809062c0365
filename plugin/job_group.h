/* SPDX-License-Identifier: GPL-2.0-or-later
 * A job's control group as the SPANK plugin uses it, on the node, inside slurmstepd. The node agent (shim/agent) uses
 * the same groups. The two share these conventions (docs/reference/dfrsd.md):
 *
 * - cgroup v1: <root>/cpu/<tree>/<node>/job_<id>, and the same below cpuacct. Either of the two makes it; tasks join it
 *   here.
 * - cgroup v2: Slurm's own group of the job, as the task's /proc/PID/cgroup names it.
 * - <run_dir>/quotas: the quotas of all jobs here, each line "ID QUOTA PERIOD" in microseconds, QUOTA is "max" for
 *   none. The agent replaces it.
 * - <run_dir>/group/<id>, version 2: the job's group, "INODE PATH" below <root>. Written here at each task's start,
 *   since the names of Slurm's folders need not say which job they are of; removed when the job is over.
 *
 * This part does not use Slurm. Messages are one line. For one thread at a time.
 */
#ifndef DFRS_PLUGIN_JOB_GROUP_H
#define DFRS_PLUGIN_JOB_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dfrs_group_conf {
  char cgroup_root[PATH_MAX];
  char cgroup_tree[NAME_MAX + 1]; /* v1: our group at the top of each controller */
  char run_dir[PATH_MAX];
  char node[NAME_MAX + 1];
  double default_cores_per_cpu; /* of a job for which the agent has published no quota; 0: unlimited */
  const char *proc;             /* where processes are; tests have their own */
  /* The kernel's functions; tests, whose trees are plain folders, have others. */
  long (*file_system)(int fd);                 /* f_type of an open folder; 0 if unknown */
  int (*make_group)(int at, const char *name); /* 0, or -1 and errno */
  int (*remove_group)(int at, const char *name);
  /* A process' mask of CPUs; 0 is slurmstepd. `size` in bytes. */
  int (*get_affinity)(pid_t process, size_t size, unsigned long *cpus);
  int (*set_affinity)(pid_t process, size_t size, const unsigned long *cpus);
};

/* Reads the arguments of the line in plugstack.conf: run_dir=, cgroup_root=, cgroup_tree=, default_cores_per_cpu=. %n
 * in them stands for the node's name. 0; on an error -1 and a message that names the argument. */
int dfrs_group_configure(struct dfrs_group_conf *conf, const char *node, int argc, char **argv, char *err,
                         size_t err_size);

/* Moves the process into the job's group and sets the group's quota: the published one, else, for a new group, the
 * default for so many CPUs. Creates the group if it is missing. 0; on an error -1 and a message: the process then stays
 * where it was. */
int dfrs_group_join(const struct dfrs_group_conf *conf, uint32_t job, unsigned cpus, pid_t process, char *err,
                    size_t err_size);

/* Lets the process run on all CPUs of the node again if task/cgroup (ConstrainCores=yes) has put it into a set of CPUs:
 * jobs that share cores must not be pinned to some of them. Version 1: it moves to the set of all jobs; the job's own,
 * which Slurm narrows again for each step, is left to slurmstepd. Version 2: the sets of the job and of its step become
 * that of all jobs. The process' own mask follows, unless it was bound more narrowly than slurmstepd: by --cpu-bind.
 * (hwloc sets slurmstepd's own mask, and from Linux 6.2 on such a mask outlasts a wider set.) Does nothing for jobs
 * that dfrs does not manage, or where CPUs of the node are kept from all jobs (CoreSpecCount, CpuSpecList). 0; on an
 * error -1 and a message. */
int dfrs_group_free_cpus(const struct dfrs_group_conf *conf, uint32_t job, pid_t process, char *err, size_t err_size);

/* Whether dfrs manages the job: whether the agent has published a quota for it here. */
bool dfrs_group_managed(const struct dfrs_group_conf *conf, uint32_t job);

/* Removes the job's group if no process is in it. The agent's are left to the agent (it still has to read what was
 * used), unless the job is over. v2: the groups are Slurm's; when the job is over, the agent is no longer told of its.
 */
void dfrs_group_leave(const struct dfrs_group_conf *conf, uint32_t job, bool job_over);

#ifdef __cplusplus
}
#endif
#endif
