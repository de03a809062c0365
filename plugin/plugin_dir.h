/* SPDX-License-Identifier: GPL-2.0-or-later
 * Iterates over the paths of a file in the folders of PluginDir, a list separated by colons:
 *
 *   for (const char *rest = slurm_conf.plugindir; plugin_dir_next(&rest, file, path, sizeof(path));)
 *     ... path
 */
#ifndef DFRS_PLUGIN_PLUGIN_DIR_H
#define DFRS_PLUGIN_PLUGIN_DIR_H

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes the path of the file in the next folder. False: there is no further one. Skips paths that are too long. */
static inline bool plugin_dir_next(const char **rest, const char *file, char *path, size_t size) {
  while (*rest && **rest) {
    const char *const folder = *rest;
    const size_t length = strcspn(folder, ":");
    *rest = folder + length + (folder[length] == ':');
    if (length > 0 && snprintf(path, size, "%.*s/%s", (int)length, folder, file) < (int)size) return true;
  }
  return false;
}

static inline bool plugin_dir_of(const char *path, struct stat *folder) {
  char copy[PATH_MAX];
  if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy)) return false;
  return stat(dirname(copy), folder) == 0;
}

/* The first file of that name that is not in our own folder, that of the plugin which has `own`, one of its objects. */
static inline bool plugin_dir_find_other(const char *folders, const char *file, const void *own, char *path,
                                         size_t size) {
  Dl_info self;
  struct stat ours, other;
  if (!dladdr(own, &self) || !plugin_dir_of(self.dli_fname, &ours)) return false;
  for (const char *rest = folders; plugin_dir_next(&rest, file, path, size);)
    if (access(path, R_OK) == 0 && plugin_dir_of(path, &other) &&
        (other.st_dev != ours.st_dev || other.st_ino != ours.st_ino))
      return true;
  return false;
}

#endif
