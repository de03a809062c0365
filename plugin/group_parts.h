/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of job_group.h share: messages, the small files of control groups, quotas, and the two versions.
 */
#ifndef DFRS_PLUGIN_GROUP_PARTS_H
#define DFRS_PLUGIN_GROUP_PARTS_H

#include "plugin/job_group.h"

/* The agent removes empty groups: one that we have just made can be gone before the task joins it. */
enum { kDfrsAttempts = 5 };

/* Writes the message, returns -1. */
int dfrs_fail(char *err, size_t err_size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* -1 and errno. A link is not followed. */
int dfrs_open_folder(int at, const char *name);
void dfrs_close(int fd); /* nothing for -1 */
/* 0 or errno; what does not fit is left out. */
int dfrs_read_text(int at, const char *name, char *text, size_t size);
/* 0 or errno. The file must be there: on a file system that is no cgroup nothing is created. */
int dfrs_write_text(int at, const char *name, const char *text);

struct dfrs_quota {
  long quota_us; /* -1: unlimited */
  long period_us;
};
bool dfrs_parse_quota(const char *text, struct dfrs_quota *quota);
bool dfrs_same_quota(const struct dfrs_quota *a, const struct dfrs_quota *b);
/* The quota that the agent has published for the job; false if there is none, or none that can be read. */
bool dfrs_published_quota(const struct dfrs_group_conf *conf, uint32_t job, struct dfrs_quota *quota);
/* False: no default is configured. */
bool dfrs_default_quota(const struct dfrs_group_conf *conf, unsigned cpus, struct dfrs_quota *quota);

/* Where the kernel has a process for a controller ("": version 2), below the folder where that is mounted. `process`: a
 * number or "self". `seen`, unless NULL, becomes the kernel's path. False: it cannot be told. */
bool dfrs_process_path(const struct dfrs_group_conf *conf, const char *process, const char *controller,
                       const char *mount, char *path, char *seen);
/* A list of CPUs in the kernel's words, without the end of line; up to PATH_MAX. 0 or errno. */
int dfrs_read_cpus(int group, const char *file, char *text);

int dfrs_v1_join(const struct dfrs_group_conf *conf, uint32_t job, unsigned cpus, pid_t process, char *err,
                 size_t err_size);
/* As dfrs_group_free_cpus(), for the groups alone. `all`, of PATH_MAX, becomes the CPUs that the process may use now;
 * it stays empty if nothing keeps it from any. */
int dfrs_v1_free_cpus(const struct dfrs_group_conf *conf, uint32_t job, pid_t process, char *all, char *err,
                      size_t err_size);
/* True if the group below the controller was removed. */
bool dfrs_v1_remove(const struct dfrs_group_conf *conf, uint32_t job, const char *controller);

/* `root`: cgroup_root, open. */
int dfrs_v2_join(const struct dfrs_group_conf *conf, int root, uint32_t job, unsigned cpus, pid_t process, char *err,
                 size_t err_size);
int dfrs_v2_free_cpus(const struct dfrs_group_conf *conf, int root, pid_t process, char *all, char *err,
                      size_t err_size);
/* Takes back what dfrs_v2_join() has told the agent. */
void dfrs_v2_forget(const struct dfrs_group_conf *conf, uint32_t job);

#endif
