/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/group_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/agent/cgroup/task_path.h"

/* As the agent's (shim/agent/cpu_max.h says why). */
static const double kBasePeriodUs = 10000;
static const double kMaxPeriodUs = 1000000;
static const double kWantedQuotaUs = 2000;
static const double kMinQuotaUs = 1000;

int dfrs_fail(char *err, size_t err_size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(err, err_size, format, arguments);
  va_end(arguments);
  return -1;
}

int dfrs_open_folder(int at, const char *name) {
  return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

void dfrs_close(int fd) {
  if (fd >= 0) close(fd);
}

int dfrs_read_text(int at, const char *name, char *text, size_t size) {
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

int dfrs_write_text(int at, const char *name, const char *text) {
  const int fd = openat(at, name, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
  ssize_t length;
  if (fd < 0) return errno;
  do length = write(fd, text, strlen(text));
  while (length < 0 && errno == EINTR);
  const int error = length < 0 ? errno : 0;
  close(fd);
  return error;
}

int dfrs_read_cpus(int group, const char *file, char *text) {
  const int error = dfrs_read_text(group, file, text, PATH_MAX);
  text[strcspn(text, "\n")] = '\0';
  return error;
}

bool dfrs_process_path(const struct dfrs_group_conf *conf, const char *process, const char *controller,
                       const char *mount, char *path, char *seen) {
  char text[2 * PATH_MAX];
  char file[PATH_MAX];
  char where[PATH_MAX];
  char root[PATH_MAX];
  char folder[PATH_MAX];
  int length = snprintf(file, sizeof(file), "%s/%s/cgroup", conf->proc, process);
  if (length < 0 || (size_t)length >= sizeof(file) || dfrs_read_text(AT_FDCWD, file, text, sizeof(text)) != 0 ||
      !dfrs_task_path(text, controller, where, sizeof(where)))
    return false;
  if (seen && !seen[0]) snprintf(seen, PATH_MAX, "%s", where);
  length = snprintf(file, sizeof(file), "%s/self/mountinfo", conf->proc);
  if (length < 0 || (size_t)length >= sizeof(file) || !realpath(mount, folder) ||
      !dfrs_folder_root(file, folder, root, sizeof(root)))
    return false;
  const char *const below = dfrs_path_below(where, root);
  if (below) snprintf(path, PATH_MAX, "%s", below);
  return below != NULL;
}

bool dfrs_parse_quota(const char *text, struct dfrs_quota *quota) {
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

bool dfrs_same_quota(const struct dfrs_quota *a, const struct dfrs_quota *b) {
  return a->quota_us == b->quota_us && (a->quota_us < 0 || a->period_us == b->period_us);
}

/* Looks for the job's line in the agent's list. */
static bool find_quota(FILE *list, uint32_t job, struct dfrs_quota *quota) {
  char line[128];
  while (fgets(line, sizeof(line), list)) {
    char *end;
    errno = 0;
    const unsigned long number = strtoul(line, &end, 10);
    if (end != line && !errno && number == job && *end == ' ') return dfrs_parse_quota(end, quota);
  }
  return false;
}

bool dfrs_published_quota(const struct dfrs_group_conf *conf, uint32_t job, struct dfrs_quota *quota) {
  const int run = open(conf->run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int file = run >= 0 ? openat(run, "quotas", O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  FILE *const list = file >= 0 ? fdopen(file, "r") : NULL;
  const bool found = list && find_quota(list, job, quota);
  if (list)
    fclose(list);
  else
    dfrs_close(file);
  dfrs_close(run);
  return found;
}

bool dfrs_default_quota(const struct dfrs_group_conf *conf, unsigned cpus, struct dfrs_quota *quota) {
  const double cores = conf->default_cores_per_cpu * (cpus ? cpus : 1);
  double period = kBasePeriodUs;
  if (conf->default_cores_per_cpu <= 0) return false;
  if (cores * period < kWantedQuotaUs) period = fmin(kMaxPeriodUs, ceil(kWantedQuotaUs / cores));
  quota->period_us = (long)period;
  quota->quota_us = lround(fmax(kMinQuotaUs, cores * period));
  return true;
}
