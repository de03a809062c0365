/* SPDX-License-Identifier: GPL-2.0-or-later
 * A job's control group as the SPANK plugin uses it, on the node, inside slurmstepd. The node agent (shim/agent) uses
 * the same groups. The two share these conventions (docs/reference/dfrsd.md):
 *
 * - cgroup v1: <root>/cpu/<tree>/<node>/job_<id>, and the same below cpuacct. Either of the two creates it; the plugin
 *   moves tasks into it.
 * - cgroup v2: Slurm's own <root>/system.slice/[<node>_]slurmstepd.scope/job_<id>.
 * - <run_dir>/quota/<id>: the job's quota here, "QUOTA PERIOD" in microseconds; QUOTA is "max" for none. The agent
 *   writes it.
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
  double default_cores_per_cpu; /* for jobs without a published quota; 0: unlimited */
  /* The kernel's functions; tests, whose trees are plain folders, replace them. */
  long (*file_system)(int fd);                 /* f_type of an open folder; 0 if unknown */
  int (*make_group)(int at, const char *name); /* 0, or -1 and errno */
  int (*remove_group)(int at, const char *name);
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

/* Whether dfrs manages the job: whether the agent has published a quota for it here. */
bool dfrs_group_managed(const struct dfrs_group_conf *conf, uint32_t job);

/* Removes the job's group if it has no process. Leaves groups with a published quota to the agent, which still has to
 * read their use, unless the job is over. v2: does nothing, since the groups are Slurm's. */
void dfrs_group_leave(const struct dfrs_group_conf *conf, uint32_t job, bool job_over);

#ifdef __cplusplus
}
#endif
#endif
