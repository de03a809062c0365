/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Version 1 of control groups: <root>/cpu/<tree>/<node>/job_<id>, and the same below cpuacct. Slurm does not know these
 * groups. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/group_parts.h"
#include "shim/agent/cgroup/task_path.h"

/* The kernel's largest, so that a job within its quota does not lose CPU time to other processes of the node. */
static const char kShares[] = "262144";

static bool v1_read(int group, struct dfrs_quota *quota) {
  char number[32];
  if (dfrs_read_text(group, "cpu.cfs_quota_us", number, sizeof(number))) return false;
  quota->quota_us = strtol(number, NULL, 10);
  if (dfrs_read_text(group, "cpu.cfs_period_us", number, sizeof(number))) return false;
  quota->period_us = strtol(number, NULL, 10);
  return true;
}

/* 0 or errno. */
static int v1_write(int group, const struct dfrs_quota *wanted) {
  struct dfrs_quota now;
  char number[32];
  int error = 0;
  if (v1_read(group, &now) && dfrs_same_quota(&now, wanted)) return 0;
  if (wanted->quota_us > 0) {
    error = dfrs_write_text(group, "cpu.shares", kShares);
    snprintf(number, sizeof(number), "%ld", wanted->period_us);
    if (!error) error = dfrs_write_text(group, "cpu.cfs_period_us", number);
  }
  snprintf(number, sizeof(number), "%ld", wanted->quota_us);
  return error ? error : dfrs_write_text(group, "cpu.cfs_quota_us", number);
}

/* The folder of the node below a controller; -1 and errno. Made where it is not there. */
static int v1_tree(const struct dfrs_group_conf *conf, const char *controller, bool make) {
  char path[PATH_MAX + 16];
  const char *const names[] = {conf->cgroup_tree, conf->node};
  snprintf(path, sizeof(path), "%s/%s", conf->cgroup_root, controller);
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  /* A plain folder may stand where no controller is mounted; groups could be "made" there, too. */
  if (folder >= 0 && conf->file_system(folder) != CGROUP_SUPER_MAGIC) {
    close(folder);
    errno = ENOTSUP;
    return -1;
  }
  for (int i = 0; i < 2 && folder >= 0; ++i) {
    const bool made = make && conf->make_group(folder, names[i]) == 0;
    const int below = dfrs_open_folder(folder, names[i]);
    const int error = errno;
    close(folder);
    errno = error;
    folder = below;
    if (folder >= 0 && made && !strcmp(controller, "cpu")) dfrs_write_text(folder, "cpu.shares", kShares);
  }
  return folder;
}

/* 0 or errno. Gives the group the quota that the agent has published; it may publish another one meanwhile. */
static int v1_set_quota(const struct dfrs_group_conf *conf, uint32_t job, int group, bool fresh, unsigned cpus) {
  struct dfrs_quota wanted;
  struct dfrs_quota again;
  int error = 0;
  if (!dfrs_published_quota(conf, job, &wanted)) {
    /* Only to a group that was just made: any other has the agent's quota, or that of an earlier task. */
    if (fresh && dfrs_default_quota(conf, cpus, &wanted) && (error = v1_write(group, &wanted))) return error;
    if (!dfrs_published_quota(conf, job, &wanted)) return 0;
  }
  for (int i = 0; i < kDfrsAttempts; ++i) {
    if ((error = v1_write(group, &wanted))) return error;
    if (!dfrs_published_quota(conf, job, &again) || dfrs_same_quota(&wanted, &again)) return 0;
    wanted = again;
  }
  return 0; /* the agent checks every quota again */
}

/* Puts the process into the job's group below `tree`. 0 or errno, and then *step names what failed. */
static int v1_enter(const struct dfrs_group_conf *conf, int tree, const char *name, uint32_t job, unsigned cpus,
                    const char *process, const char **step) {
  const bool fresh = conf->make_group(tree, name) == 0;
  const int group = dfrs_open_folder(tree, name);
  int error = group < 0 ? errno : 0;
  *step = "open";
  if (!error) {
    *step = "quota";
    error = v1_set_quota(conf, job, group, fresh, cpus);
  }
  if (!error) {
    *step = "cgroup.procs";
    error = dfrs_write_text(group, "cgroup.procs", process);
  }
  dfrs_close(group);
  return error;
}

/* For accounting alone, so errors do no harm: without it the agent adds up what it finds of each process. */
static void v1_account(const struct dfrs_group_conf *conf, const char *name, const char *process) {
  const int tree = v1_tree(conf, "cpuacct", true);
  if (tree < 0) return;
  conf->make_group(tree, name);
  const int group = dfrs_open_folder(tree, name);
  if (group >= 0) dfrs_write_text(group, "cgroup.procs", process);
  dfrs_close(group);
  close(tree);
}

int dfrs_v1_join(const struct dfrs_group_conf *conf, uint32_t job, unsigned cpus, pid_t process, char *err,
                 size_t err_size) {
  char name[32], number[32];
  int error = ENOENT;
  const char *step = "";
  const int tree = v1_tree(conf, "cpu", true);
  if (tree < 0)
    return dfrs_fail(err, err_size, "%s/cpu/%s/%s: %s", conf->cgroup_root, conf->cgroup_tree, conf->node,
                     strerror(errno));
  snprintf(name, sizeof(name), "job_%u", job);
  snprintf(number, sizeof(number), "%d", (int)process);
  for (int i = 0; i < kDfrsAttempts && (error == ENOENT || error == ENODEV); ++i)
    error = v1_enter(conf, tree, name, job, cpus, number, &step);
  close(tree);
  if (error)
    return dfrs_fail(err, err_size, "%s/cpu/%s/%s/%s: %s: %s", conf->cgroup_root, conf->cgroup_tree, conf->node, name,
                     step, strerror(error));
  v1_account(conf, name, number);
  return 0;
}

/* slurm[_NODE]/uid_USER/job_JOB: the group above those of all jobs has all CPUs. Its group `system` is slurmd's: it has
 * the same ones, unless some are kept for it. */
int dfrs_v1_free_cpus(const struct dfrs_group_conf *conf, uint32_t job, pid_t process, char *all, char *err,
                      size_t err_size) {
  char mount[PATH_MAX + 16];
  char path[PATH_MAX];
  char number[32];
  char cpus[PATH_MAX];
  char kept[PATH_MAX];
  struct stat about;
  snprintf(mount, sizeof(mount), "%s/cpuset", conf->cgroup_root);
  snprintf(number, sizeof(number), "%d", (int)process);
  if (!dfrs_process_path(conf, number, "cpuset", mount, path, NULL)) return 0;
  const size_t length = dfrs_v1_job_group_length(path, conf->node, job);
  if (length == 0) return 0;
  path[length] = '\0';
  for (int i = 0; i < 2; ++i) *strrchr(path, '/') = '\0';
  const int root = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int group = root >= 0 ? dfrs_open_folder(root, path) : -1;
  int error = group < 0 ? errno : 0;
  if (!error &&
      (fstat(group, &about) != 0 || about.st_uid != geteuid() || conf->file_system(group) != CGROUP_SUPER_MAGIC))
    error = EPERM;
  if (!error) error = dfrs_read_cpus(group, "cpuset.cpus", cpus);
  if (!error && (dfrs_read_cpus(group, "system/cpuset.cpus", kept) != 0 || !strcmp(cpus, kept))) {
    error = dfrs_write_text(group, "cgroup.procs", number);
    snprintf(all, PATH_MAX, "%s", cpus);
  }
  dfrs_close(group);
  dfrs_close(root);
  return error ? dfrs_fail(err, err_size, "%.500s/%.500s: %s", mount, path, strerror(error)) : 0;
}

bool dfrs_v1_remove(const struct dfrs_group_conf *conf, uint32_t job, const char *controller) {
  char name[32];
  const int tree = v1_tree(conf, controller, false);
  if (tree < 0) return false;
  snprintf(name, sizeof(name), "job_%u", job);
  /* EBUSY as long as a process is in it. */
  const bool removed = conf->remove_group(tree, name) == 0;
  close(tree);
  return removed;
}
