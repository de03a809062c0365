/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/job_group.h"

#include <fcntl.h>
#include <linux/magic.h>
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
