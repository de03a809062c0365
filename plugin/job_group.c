/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE /* sched_setaffinity */
#include "plugin/job_group.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "plugin/group_parts.h"

static const double kMaxCoresPerCpu = 1000;

static long file_system(int fd) {
  struct statfs about;
  return fstatfs(fd, &about) == 0 ? (long)about.f_type : 0;
}

static int make_group(int at, const char *name) { return mkdirat(at, name, 0755); }

static int remove_group(int at, const char *name) { return unlinkat(at, name, AT_REMOVEDIR); }

static int get_affinity(pid_t process, size_t size, unsigned long *cpus) {
  return sched_getaffinity(process, size, (cpu_set_t *)cpus);
}

static int set_affinity(pid_t process, size_t size, const unsigned long *cpus) {
  return sched_setaffinity(process, size, (const cpu_set_t *)cpus);
}

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
  conf->proc = "/proc";
  conf->file_system = file_system;
  conf->make_group = make_group;
  conf->remove_group = remove_group;
  conf->get_affinity = get_affinity;
  conf->set_affinity = set_affinity;
  if (!node || !is_file_name(node)) return dfrs_fail(err, err_size, "the node's name is not known (SLURMD_NODENAME)");
  snprintf(conf->node, sizeof(conf->node), "%s", node);
  for (int i = 0; i < argc; ++i) {
    const char *value = value_of(argv[i], "default_cores_per_cpu");
    if (value && !parse_cores(value, &conf->default_cores_per_cpu))
      return dfrs_fail(err, err_size, "%s: expected a number above 0 and up to %g", argv[i], kMaxCoresPerCpu);
    for (int k = 0; k < kTexts && !value; ++k)
      if ((value = value_of(argv[i], texts[k].key))) texts[k].value = value;
    if (!value)
      return dfrs_fail(err, err_size,
                       "%s: unknown argument in plugstack.conf; known are run_dir=, cgroup_root=, cgroup_tree= and "
                       "default_cores_per_cpu=",
                       argv[i]);
  }
  for (int k = 0; k < kTexts; ++k)
    if (!expand(texts[k].out, texts[k].size, texts[k].value, node) || !texts[k].valid(texts[k].out))
      return dfrs_fail(err, err_size, "%s=%.200s: expected %s", texts[k].key, texts[k].value, texts[k].expected);
  return 0;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The open root folder if it is of version 2, else -1. */
static int open_v2_root(const struct dfrs_group_conf *conf) {
  const int root = open(conf->cgroup_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root >= 0 && conf->file_system(root) == CGROUP2_SUPER_MAGIC) return root;
  dfrs_close(root);
  return -1;
}

int dfrs_group_join(const struct dfrs_group_conf *conf, uint32_t job, unsigned cpus, pid_t process, char *err,
                    size_t err_size) {
  const int root = open_v2_root(conf);

  if (root < 0) return dfrs_v1_join(conf, job, cpus, process, err, err_size);
  const int result = dfrs_v2_join(conf, root, job, cpus, process, err, err_size);
  close(root);
  return result;
}

/* As many CPUs as the kernel can have; its masks are rows of these words. */
enum { kWordBits = 8 * sizeof(unsigned long), kWords = 8192 / kWordBits };

/* A list like "0-3,8". */
static void parse_cpus(const char *list, unsigned long *cpus) {
  memset(cpus, 0, kWords * sizeof(*cpus));
  while (*list >= '0' && *list <= '9') {
    char *end;
    const unsigned long first = strtoul(list, &end, 10);
    const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
    for (unsigned long cpu = first; cpu <= last && cpu < kWords * kWordBits; ++cpu)
      cpus[cpu / kWordBits] |= 1ul << (cpu % kWordBits);
    list = *end == ',' ? end + 1 : end;
  }
}

/* 0 or errno. */
static int free_mask(const struct dfrs_group_conf *conf, pid_t process, const char *all) {
  unsigned long mine[kWords] = {0};
  unsigned long its[kWords] = {0};
  if (conf->get_affinity(0, sizeof(mine), mine) != 0 || conf->get_affinity(process, sizeof(its), its) != 0 ||
      memcmp(mine, its, sizeof(mine)) != 0)
    return 0;
  parse_cpus(all, its);
  return conf->set_affinity(process, sizeof(its), its) == 0 ? 0 : errno;
}

int dfrs_group_free_cpus(const struct dfrs_group_conf *conf, uint32_t job, pid_t process, char *err, size_t err_size) {
  char all[PATH_MAX] = "";
  int result;
  if (!dfrs_group_managed(conf, job)) return 0;
  const int root = open_v2_root(conf);
  if (root < 0) {
    result = dfrs_v1_free_cpus(conf, job, process, all, err, err_size);
  } else {
    result = dfrs_v2_free_cpus(conf, root, process, all, err, err_size);
    close(root);
  }
  if (result != 0 || !all[0]) return result;
  const int error = free_mask(conf, process, all);
  return error ? dfrs_fail(err, err_size, "CPUs %.500s: %s", all, strerror(error)) : 0;
}

bool dfrs_group_managed(const struct dfrs_group_conf *conf, uint32_t job) {
  struct dfrs_quota quota;
  return dfrs_published_quota(conf, job, &quota);
}

void dfrs_group_leave(const struct dfrs_group_conf *conf, uint32_t job, bool job_over) {
  struct dfrs_quota quota;
  const int root = open_v2_root(conf);
  if (root >= 0) {
    close(root);
    if (job_over) dfrs_v2_forget(conf, job);
    return;
  }
  if (!job_over && dfrs_published_quota(conf, job, &quota)) return;
  if (dfrs_v1_remove(conf, job, "cpu")) dfrs_v1_remove(conf, job, "cpuacct");
}
