/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Version 2 of control groups: Slurm's own group of the job. Slurm leaves its cpu.max and cpu.weight alone. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/group_parts.h"
#include "shim/agent/cgroup/task_path.h"

/* The kernel's largest, so that a job within its quota does not lose CPU time to other processes of the node. */
static const char kWeight[] = "10000";

/* The path below cgroup_root of the job's group that the process is in. False, and `seen`, if it was empty, says where
 * it is instead. */
static bool job_path(const struct dfrs_group_conf *conf, const char *process, char *path, char *seen) {
  if (!dfrs_process_path(conf, process, "", conf->cgroup_root, path, seen)) return false;
  const size_t group = dfrs_job_group_length(path, conf->node);
  path[group] = '\0';
  return group > 0;
}

/* Opens the job's group; -1 and a message. The group must be one of the kernel's, and must belong to us: a user may be
 * given groups of his own, with any name. */
static int open_job(const struct dfrs_group_conf *conf, int root, pid_t process, char *path, char *err,
                    size_t err_size) {
  char number[32];
  char seen[PATH_MAX] = "";
  struct stat about;
  snprintf(number, sizeof(number), "%d", (int)process);
  /* If the task cannot be seen: slurmstepd itself is in another group of the same job. */
  if (!job_path(conf, number, path, seen) && !job_path(conf, "self", path, seen))
    return dfrs_fail(err, err_size,
                     "the task is in group '%.500s', which is no job's of %s_slurmstepd.scope or slurmstepd.scope "
                     "below %.500s: ProctrackType=proctrack/cgroup is needed",
                     seen, conf->node, conf->cgroup_root);
  const int group = dfrs_open_folder(root, path);
  if (group < 0) return dfrs_fail(err, err_size, "%.500s/%.500s: %s", conf->cgroup_root, path, strerror(errno));
  if (fstat(group, &about) == 0 && about.st_uid == geteuid() && conf->file_system(group) == CGROUP2_SUPER_MAGIC)
    return group;
  close(group);
  return dfrs_fail(err, err_size, "%.500s/%.500s: not a control group of user id %u", conf->cgroup_root, path,
                   (unsigned)geteuid());
}

static int write_quota(int group, const struct dfrs_quota *wanted) {
  char text[64];
  if (wanted->quota_us < 0) {
    snprintf(text, sizeof(text), "max %ld", wanted->period_us);
  } else {
    snprintf(text, sizeof(text), "%ld %ld", wanted->quota_us, wanted->period_us);
    dfrs_write_text(group, "cpu.weight", kWeight);
  }
  return dfrs_write_text(group, "cpu.max", text);
}

/* 0 or errno. */
static int set_quota(const struct dfrs_group_conf *conf, int group, uint32_t job, unsigned cpus) {
  struct dfrs_quota now;
  struct dfrs_quota wanted;
  char text[64];
  int error = dfrs_read_text(group, "cpu.max", text, sizeof(text));
  for (int i = 0; i < kDfrsAttempts && !error && dfrs_parse_quota(text, &now); ++i) {
    const bool told = dfrs_published_quota(conf, job, &wanted);
    /* The default is for a group without a quota. */
    if (!told && (now.quota_us >= 0 || !dfrs_default_quota(conf, cpus, &wanted))) break;
    if (dfrs_same_quota(&now, &wanted)) break;
    error = write_quota(group, &wanted);
    if (!error) error = dfrs_read_text(group, "cpu.max", text, sizeof(text));
  }
  return error;
}

/* The group may use the same CPUs as all jobs together. Slurm narrows the job's again at its next step, for the moment
 * until this is called. `narrowed` tells whether the group has a set of its own. 0 or errno. */
static int widen(int group, const char *all, bool *narrowed) {
  char now[PATH_MAX];
  if (dfrs_read_cpus(group, "cpuset.cpus", now) != 0 || !now[0]) return 0;
  *narrowed = true;
  return strcmp(now, all) != 0 ? dfrs_write_text(group, "cpuset.cpus", all) : 0;
}

/* A new slurmstepd begins in SCOPE/system, beside jobs that weigh a hundred times as much as Slurm's other groups:
 * while they use the whole node, it would wait for minutes. Errors do no harm. */
static void weigh_system(const struct dfrs_group_conf *conf, int root, const char *job) {
  char path[PATH_MAX];
  struct stat about;
  if (snprintf(path, sizeof(path), "%.*s/system", (int)dfrs_scope_length(job, conf->node), job) >= (int)sizeof(path))
    return;
  const int group = dfrs_open_folder(root, path);
  if (group >= 0 && fstat(group, &about) == 0 && about.st_uid == geteuid() &&
      conf->file_system(group) == CGROUP2_SUPER_MAGIC)
    dfrs_write_text(group, "cpu.weight", kWeight);
  dfrs_close(group);
}

/* The groups from the job's down to the task's: Slurm narrows that of the job and that of the step's tasks. */
int dfrs_v2_free_cpus(const struct dfrs_group_conf *conf, int root, pid_t process, char *all, char *err,
                      size_t err_size) {
  char path[PATH_MAX];
  char cpus[PATH_MAX];
  char number[32];
  struct stat about;
  snprintf(number, sizeof(number), "%d", (int)process);
  if (!dfrs_process_path(conf, number, "", conf->cgroup_root, path, NULL)) return 0;
  const size_t job = dfrs_job_group_length(path, conf->node);
  const size_t scope = dfrs_scope_length(path, conf->node);
  if (job == 0) return 0;
  path[scope] = '\0';
  const int top = dfrs_open_folder(root, path);
  const int known = top < 0 ? errno : dfrs_read_cpus(top, "cpuset.cpus.effective", cpus);
  dfrs_close(top);
  if (known != 0 || !cpus[0]) return 0; /* the controller is off: nothing is narrowed */
  path[scope] = '/';
  bool narrowed = false;
  int error = 0;
  for (size_t end = job; !error;) {
    const char after = path[end];
    path[end] = '\0';
    const int group = dfrs_open_folder(root, path);
    /* A user may have been given groups of his own, and answers for their CPUs. */
    const bool ours = group >= 0 && fstat(group, &about) == 0 && about.st_uid == geteuid() &&
                      conf->file_system(group) == CGROUP2_SUPER_MAGIC;
    error = ours ? widen(group, cpus, &narrowed) : 0;
    dfrs_close(group);
    path[end] = after;
    if (!ours || !after) break;
    end += 1 + strcspn(path + end + 1, "/");
  }
  if (error)
    return dfrs_fail(err, err_size, "%.500s/%.500s: cpuset.cpus: %s", conf->cgroup_root, path, strerror(error));
  if (narrowed) snprintf(all, PATH_MAX, "%s", cpus);
  return 0;
}

/* ---- for the agent ----------------------------------------------------------------------------------------------- */

/* <run_dir>/group, made where it is not there; -1: not to be had. The agent trusts what is in it, so it must be ours
 * alone. */
static int open_published(const struct dfrs_group_conf *conf, bool make) {
  struct stat about;
  const int run = open(conf->run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int folder = -1;
  if (run >= 0 && fstat(run, &about) == 0 && about.st_uid == geteuid() && !(about.st_mode & 022)) {
    if (make) mkdirat(run, "group", 0755);
    folder = dfrs_open_folder(run, "group");
  }
  dfrs_close(run);
  return folder;
}

/* Tells the agent. Errors do no harm: it finds the group by slurmstepd, too, only later. */
static void publish(const struct dfrs_group_conf *conf, int group, uint32_t job, const char *path) {
  char text[PATH_MAX + 32];
  char known[PATH_MAX + 32];
  char name[32];
  char unseen[64];
  struct stat about;
  const int folder = open_published(conf, true);
  if (folder < 0 || fstat(group, &about) != 0) {
    dfrs_close(folder);
    return;
  }
  snprintf(text, sizeof(text), "%" PRIuMAX " %s\n", (uintmax_t)about.st_ino, path);
  snprintf(name, sizeof(name), "%u", job);
  snprintf(unseen, sizeof(unseen), ".%u.%d", job, (int)getpid());
  if (dfrs_read_text(folder, name, known, sizeof(known)) != 0 || strcmp(known, text) != 0) {
    const int file = openat(folder, unseen, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    const bool written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    dfrs_close(file);
    if (!written || renameat(folder, unseen, folder, name) != 0) unlinkat(folder, unseen, 0);
  }
  close(folder);
}

void dfrs_v2_forget(const struct dfrs_group_conf *conf, uint32_t job) {
  char name[32];
  const int folder = open_published(conf, false);
  snprintf(name, sizeof(name), "%u", job);
  if (folder >= 0) unlinkat(folder, name, 0);
  dfrs_close(folder);
}

int dfrs_v2_join(const struct dfrs_group_conf *conf, int root, uint32_t job, unsigned cpus, pid_t process, char *err,
                 size_t err_size) {
  char path[PATH_MAX];
  const int group = open_job(conf, root, process, path, err, err_size);
  if (group < 0) return -1;
  publish(conf, group, job, path);
  weigh_system(conf, root, path);
  const int error = set_quota(conf, group, job, cpus);
  close(group);
  if (error)
    return dfrs_fail(err, err_size,
                     "%.500s/%.500s/cpu.max: %s; the cpu controller must be on in Slurm's groups: Delegate=yes in "
                     "slurmd's unit, or without systemd EnableControllers=yes in cgroup.conf (Slurm 23.02 and newer)",
                     conf->cgroup_root, path, strerror(error));
  return 0;
}
