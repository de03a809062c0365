/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/job_group.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* The values of the agent: shim/agent/cpu_max.h has the reasons. */
static const double kBasePeriodUs = 10000;
static const double kMaxPeriodUs = 1000000;
static const double kWantedQuotaUs = 2000;
static const double kMinQuotaUs = 1000;
/* The kernel's maxima: within its quota a job must not lose CPU time to other processes of the node. */
static const char kShares[] = "262144";
static const char kWeight[] = "10000";
static const double kMaxCoresPerCpu = 1000;
/* The agent removes empty groups, so one that we have just created may be gone before the task joins it. */
enum { kAttempts = 5 };

struct quota {
  long quota_us; /* -1: unlimited */
  long period_us;
};

static int fail(char *err, size_t err_size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int fail(char *err, size_t err_size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(err, err_size, format, arguments);
  va_end(arguments);
  return -1;
}

static long file_system(int fd) {
  struct statfs about;
  return fstatfs(fd, &about) == 0 ? (long)about.f_type : 0;
}

static int make_group(int at, const char *name) { return mkdirat(at, name, 0755); }

static int remove_group(int at, const char *name) { return unlinkat(at, name, AT_REMOVEDIR); }

/* ---- configuration ----------------------------------------------------------------------------------------------- */

/* Copies text with each %n replaced. False: too long. */
static bool expand(char *out, size_t size, const char *text, const char *node) {
  size_t used = 0;
  while (*text) {
    const bool is_node = text[0] == '%' && text[1] == 'n';
    const char *piece = is_node ? node : text;
    const size_t length = is_node ? strlen(node) : 1;
    text += is_node ? 2 : 1;
    if (used + length >= size) return false;
    memcpy(out + used, piece, length);
    used += length;
  }
  out[used] = '\0';
  return true;
}

static bool is_file_name(const char *name) {
  return name[0] && name[0] != '.' && !strchr(name, '/') && strlen(name) <= NAME_MAX;
}

static bool is_absolute(const char *path) { return path[0] == '/'; }

/* An argument of plugstack.conf in which %n is replaced. */
struct text_argument {
  const char *key;
  const char *value; /* the default, then what is given */
  char *out;
  size_t size;
  bool (*valid)(const char *value);
  const char *expected;
};

/* The value of "key=value", or NULL if the argument has another key. */
static const char *value_of(const char *argument, const char *key) {
  const size_t length = strlen(key);
  return !strncmp(argument, key, length) && argument[length] == '=' ? argument + length + 1 : NULL;
}

static bool parse_cores(const char *text, double *cores) {
  char *end;
  *cores = strtod(text, &end);
  return end != text && !*end && *cores > 0 && *cores <= kMaxCoresPerCpu;
}

int dfrs_group_configure(struct dfrs_group_conf *conf, const char *node, int argc, char **argv, char *err,
                         size_t err_size) {
  enum { kTexts = 3 };
  struct text_argument texts[kTexts] = {
      {"run_dir", "/run/dfrs/%n", conf->run_dir, sizeof(conf->run_dir), is_absolute, "an absolute path"},
      {"cgroup_root", "/sys/fs/cgroup", conf->cgroup_root, sizeof(conf->cgroup_root), is_absolute, "an absolute path"},
      {"cgroup_tree", "dfrs", conf->cgroup_tree, sizeof(conf->cgroup_tree), is_file_name, "the name of a folder"},
  };
  memset(conf, 0, sizeof(*conf));
  conf->file_system = file_system;
  conf->make_group = make_group;
  conf->remove_group = remove_group;
  if (!node || !is_file_name(node)) return fail(err, err_size, "the node's name is not known (SLURMD_NODENAME)");
  snprintf(conf->node, sizeof(conf->node), "%s", node);
  for (int i = 0; i < argc; ++i) {
    const char *value = value_of(argv[i], "default_cores_per_cpu");
    if (value && !parse_cores(value, &conf->default_cores_per_cpu))
      return fail(err, err_size, "%s: expected a number above 0 and up to %g", argv[i], kMaxCoresPerCpu);
    for (int k = 0; k < kTexts && !value; ++k)
      if ((value = value_of(argv[i], texts[k].key))) texts[k].value = value;
    if (!value)
      return fail(err, err_size,
                  "%s: unknown argument in plugstack.conf; known are run_dir=, cgroup_root=, cgroup_tree= and "
                  "default_cores_per_cpu=",
                  argv[i]);
  }
  for (int k = 0; k < kTexts; ++k)
    if (!expand(texts[k].out, texts[k].size, texts[k].value, node) || !texts[k].valid(texts[k].out))
      return fail(err, err_size, "%s=%.200s: expected %s", texts[k].key, texts[k].value, texts[k].expected);
  return 0;
}

/* ---- small files ------------------------------------------------------------------------------------------------- */

static int open_folder(int at, const char *name) {
  return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

static void close_fd(int fd) {
  if (fd >= 0) close(fd);
}

/* 0 or errno. */
static int read_text(int at, const char *name, char *text, size_t size) {
  const int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  ssize_t length;
  if (fd < 0) return errno;
  do length = read(fd, text, size - 1);
  while (length < 0 && errno == EINTR);
  const int error = length < 0 ? errno : 0;
  close(fd);
  text[length > 0 ? length : 0] = '\0';
  return error;
}

/* 0 or errno. The file must exist, so that nothing is created outside a cgroup file system. */
static int write_text(int at, const char *name, const char *text) {
  const int fd = openat(at, name, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
  ssize_t length;
  if (fd < 0) return errno;
  do length = write(fd, text, strlen(text));
  while (length < 0 && errno == EINTR);
  const int error = length < 0 ? errno : 0;
  close(fd);
  return error;
}

static bool parse_quota(const char *text, struct quota *quota) {
  char first[32];
  char *end;
  long period;
  int used = 0;
  if (sscanf(text, "%31s %ld %n", first, &period, &used) != 2 || used == 0 || text[used] || period < 1) return false;
  quota->period_us = period;
  if (!strcmp(first, "max")) {
    quota->quota_us = -1;
    return true;
  }
  errno = 0;
  quota->quota_us = strtol(first, &end, 10);
  return !errno && !*end && quota->quota_us > 0;
}

static bool same_quota(const struct quota *a, const struct quota *b) {
  return a->quota_us == b->quota_us && (a->quota_us < 0 || a->period_us == b->period_us);
}

/* Reads the quota that the agent has published for the job; false if there is none or it is invalid. */
static bool published_quota(const struct dfrs_group_conf *conf, uint32_t job, struct quota *quota) {
  char text[128];
  char name[32];
  bool found = false;
  const int run = open(conf->run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int folder = run >= 0 ? open_folder(run, "quota") : -1;
  snprintf(name, sizeof(name), "%u", job);
  if (folder >= 0 && read_text(folder, name, text, sizeof(text)) == 0) found = parse_quota(text, quota);
  close_fd(folder);
  close_fd(run);
  return found;
}

static bool default_quota(const struct dfrs_group_conf *conf, unsigned cpus, struct quota *quota) {
  const double cores = conf->default_cores_per_cpu * (cpus ? cpus : 1);
  double period = kBasePeriodUs;
  if (conf->default_cores_per_cpu <= 0) return false;
  if (cores * period < kWantedQuotaUs) period = fmin(kMaxPeriodUs, ceil(kWantedQuotaUs / cores));
  quota->period_us = (long)period;
  quota->quota_us = lround(fmax(kMinQuotaUs, cores * period));
  return true;
}

/* ---- version 1 --------------------------------------------------------------------------------------------------- */

static bool v1_read(int group, struct quota *quota) {
  char number[32];
  if (read_text(group, "cpu.cfs_quota_us", number, sizeof(number))) return false;
  quota->quota_us = strtol(number, NULL, 10);
  if (read_text(group, "cpu.cfs_period_us", number, sizeof(number))) return false;
  quota->period_us = strtol(number, NULL, 10);
  return true;
}

/* 0 or errno. */
static int v1_write(int group, const struct quota *wanted) {
  struct quota now;
  char number[32];
  int error = 0;
  if (v1_read(group, &now) && same_quota(&now, wanted)) return 0;
  if (wanted->quota_us > 0) {
    error = write_text(group, "cpu.shares", kShares);
    snprintf(number, sizeof(number), "%ld", wanted->period_us);
    if (!error) error = write_text(group, "cpu.cfs_period_us", number);
  }
  snprintf(number, sizeof(number), "%ld", wanted->quota_us);
  return error ? error : write_text(group, "cpu.cfs_quota_us", number);
}

/* The folder of the node below a controller, created on request; -1 and errno. */
static int v1_tree(const struct dfrs_group_conf *conf, const char *controller, bool make) {
  char path[PATH_MAX + 16];
  const char *const names[] = {conf->cgroup_tree, conf->node};
  snprintf(path, sizeof(path), "%s/%s", conf->cgroup_root, controller);
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  /* Where no controller is mounted there may be a plain folder, in which folders could be created, too. */
  if (folder >= 0 && conf->file_system(folder) != CGROUP_SUPER_MAGIC) {
    close(folder);
    errno = ENOTSUP;
    return -1;
  }
  for (int i = 0; i < 2 && folder >= 0; ++i) {
    const bool made = make && conf->make_group(folder, names[i]) == 0;
    const int below = open_folder(folder, names[i]);
    const int error = errno;
    close(folder);
    errno = error;
    folder = below;
    if (folder >= 0 && made && !strcmp(controller, "cpu")) write_text(folder, "cpu.shares", kShares);
  }
  return folder;
}

/* Sets the published quota; the agent may publish another one in the meantime. 0 or errno. */
static int v1_set_quota(const struct dfrs_group_conf *conf, uint32_t job, int group, bool fresh, unsigned cpus) {
  struct quota wanted;
  struct quota again;
  int error = 0;
  if (!published_quota(conf, job, &wanted)) {
    /* Only for a new group: any other has the agent's quota, or that of an earlier task. */
    if (fresh && default_quota(conf, cpus, &wanted) && (error = v1_write(group, &wanted))) return error;
    if (!published_quota(conf, job, &wanted)) return 0;
  }
  for (int i = 0; i < kAttempts; ++i) {
    if ((error = v1_write(group, &wanted))) return error;
    if (!published_quota(conf, job, &again) || same_quota(&wanted, &again)) return 0;
    wanted = again;
  }
  return 0; /* the agent checks all quotas regularly */
}

/* Moves the process into the job's group below `tree`. 0; or errno, and *step names what failed. */
static int v1_enter(const struct dfrs_group_conf *conf, int tree, const char *name, uint32_t job, unsigned cpus,
                    const char *process, const char **step) {
  const bool fresh = conf->make_group(tree, name) == 0;
  const int group = open_folder(tree, name);
  int error = group < 0 ? errno : 0;
  *step = "open";
  if (!error) {
    *step = "quota";
    error = v1_set_quota(conf, job, group, fresh, cpus);
  }
  if (!error) {
    *step = "cgroup.procs";
    error = write_text(group, "cgroup.procs", process);
  }
  close_fd(group);
  return error;
}

/* Only for accounting, so errors do no harm: without it the agent adds up the use of processes. */
static void v1_account(const struct dfrs_group_conf *conf, const char *name, const char *process) {
  const int tree = v1_tree(conf, "cpuacct", true);
  if (tree < 0) return;
  conf->make_group(tree, name);
  const int group = open_folder(tree, name);
  if (group >= 0) write_text(group, "cgroup.procs", process);
  close_fd(group);
  close(tree);
}

static int v1_join(const struct dfrs_group_conf *conf, uint32_t job, unsigned cpus, pid_t process, char *err,
                   size_t err_size) {
  char name[32], number[32];
  int error = ENOENT;
  const char *step = "";
  const int tree = v1_tree(conf, "cpu", true);
  if (tree < 0)
    return fail(err, err_size, "%s/cpu/%s/%s: %s", conf->cgroup_root, conf->cgroup_tree, conf->node, strerror(errno));
  snprintf(name, sizeof(name), "job_%u", job);
  snprintf(number, sizeof(number), "%d", (int)process);
  for (int i = 0; i < kAttempts && (error == ENOENT || error == ENODEV); ++i)
    error = v1_enter(conf, tree, name, job, cpus, number, &step);
  close(tree);
  if (error)
    return fail(err, err_size, "%s/cpu/%s/%s/%s: %s: %s", conf->cgroup_root, conf->cgroup_tree, conf->node, name, step,
                strerror(error));
  v1_account(conf, name, number);
  return 0;
}

static bool v1_remove(const struct dfrs_group_conf *conf, uint32_t job, const char *controller) {
  char name[32];
  const int tree = v1_tree(conf, controller, false);
  if (tree < 0) return false;
  snprintf(name, sizeof(name), "job_%u", job);
  /* EBUSY as long as a process is in it. */
  const bool removed = conf->remove_group(tree, name) == 0;
  close(tree);
  return removed;
}

/* ---- version 2 --------------------------------------------------------------------------------------------------- */

static int v2_open(const struct dfrs_group_conf *conf, int root, uint32_t job) {
  char path[NAME_MAX + 64];
  snprintf(path, sizeof(path), "system.slice/%s_slurmstepd.scope/job_%u", conf->node, job);
  int group = open_folder(root, path);
  if (group < 0) {
    snprintf(path, sizeof(path), "system.slice/slurmstepd.scope/job_%u", job);
    group = open_folder(root, path);
  }
  return group;
}

static int v2_write(int group, const struct quota *wanted) {
  char text[64];
  if (wanted->quota_us < 0) {
    snprintf(text, sizeof(text), "max %ld", wanted->period_us);
  } else {
    snprintf(text, sizeof(text), "%ld %ld", wanted->quota_us, wanted->period_us);
    write_text(group, "cpu.weight", kWeight);
  }
  return write_text(group, "cpu.max", text);
}

static int v2_join(const struct dfrs_group_conf *conf, int root, uint32_t job, unsigned cpus, char *err,
                   size_t err_size) {
  struct quota now;
  struct quota wanted;
  char text[64];
  const int group = v2_open(conf, root, job);
  int error = group < 0 ? errno : read_text(group, "cpu.max", text, sizeof(text));

  for (int i = 0; i < kAttempts && !error && parse_quota(text, &now); ++i) {
    const bool published = published_quota(conf, job, &wanted);
    /* The default is only for a group without a quota. */
    if (!published && (now.quota_us >= 0 || !default_quota(conf, cpus, &wanted))) break;
    if (same_quota(&now, &wanted)) break;
    error = v2_write(group, &wanted);
    if (!error) error = read_text(group, "cpu.max", text, sizeof(text));
  }
  close_fd(group);
  if (error)
    return fail(err, err_size,
                "%s/system.slice/%s_slurmstepd.scope/job_%u/cpu.max: %s; the cpu controller must be on in Slurm's "
                "groups: ProctrackType=proctrack/cgroup, and EnableControllers=yes in cgroup.conf",
                conf->cgroup_root, conf->node, job, strerror(error));
  return 0;
}

/* ---- either version ---------------------------------------------------------------------------------------------- */

/* The open root folder if it is of version 2, else -1. */
static int open_v2_root(const struct dfrs_group_conf *conf) {
  const int root = open(conf->cgroup_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root >= 0 && conf->file_system(root) == CGROUP2_SUPER_MAGIC) return root;
  close_fd(root);
  return -1;
}

int dfrs_group_join(const struct dfrs_group_conf *conf, uint32_t job, unsigned cpus, pid_t process, char *err,
                    size_t err_size) {
  const int root = open_v2_root(conf);

  if (root < 0) return v1_join(conf, job, cpus, process, err, err_size);
  const int result = v2_join(conf, root, job, cpus, err, err_size);
  close(root);
  return result;
}

bool dfrs_group_managed(const struct dfrs_group_conf *conf, uint32_t job) {
  struct quota quota;
  return published_quota(conf, job, &quota);
}

void dfrs_group_leave(const struct dfrs_group_conf *conf, uint32_t job, bool job_over) {
  struct quota quota;
  const int root = open_v2_root(conf);
  if (root >= 0) {
    close(root);
    return;
  }
  if (!job_over && published_quota(conf, job, &quota)) return;
  if (v1_remove(conf, job, "cpu")) v1_remove(conf, job, "cpuacct");
}
