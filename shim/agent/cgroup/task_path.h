/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where the kernel says that a process is: paths of /proc/PID/cgroup, and what they are below a mount. Slurm's folders
 * have other names from version to version (CgroupSlice, jobs named by SLUID, prefixes of containers), so a job's group
 * is read from one of its processes, never put together. C, for the SPANK plugin and the agent.
 */
#ifndef DFRS_SHIM_AGENT_CGROUP_TASK_PATH_H
#define DFRS_SHIM_AGENT_CGROUP_TASK_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies the path of the group that a text of /proc/PID/cgroup names for a controller; "" stands for version 2. False:
 * it names none, or the path is too long. */
bool dfrs_task_path(const char* text, const char* controller, char* path, size_t size);

/* The folder's own path in its hierarchy, from the mounts in a file like /proc/self/mountinfo: "/" at the top of a
 * mount that shows all of it. False: it is below no mount, or the path is too long. */
bool dfrs_folder_root(const char* mountinfo, const char* folder, char* root, size_t size);

/* The part of a path that is below a root, without a '/' at its start; NULL: it is not below it. */
const char* dfrs_path_below(const char* path, const char* root);

/* The length of the part of a path of version 2 that ends with the node's scope, "NODE_slurmstepd.scope" or
 * "slurmstepd.scope"; the deepest one counts. 0: there is none, or the path tries to leave it. */
size_t dfrs_scope_length(const char* path, const char* node);

/* The length of the part that names a job's group: SCOPE/JOB in SCOPE/JOB/step_STEP/... 0: the path is no step's. */
size_t dfrs_job_group_length(const char* path, const char* node);

/* The same in a path of version 1: [PREFIX/]slurm[_NODE]/uid_USER/job_JOB/... 0: it is not of this job and node. */
size_t dfrs_v1_job_group_length(const char* path, const char* node, uint32_t job);

/* The job of a slurmstepd by its command line, "slurmstepd: [JOB.STEP]"; 0: it is none. */
uint32_t dfrs_job_of_command(const char* command);

#ifdef __cplusplus
}
#endif
#endif
