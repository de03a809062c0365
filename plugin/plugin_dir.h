/* SPDX-License-Identifier: GPL-2.0-or-later
 * Iterates over the paths of a file in the folders of PluginDir, a list separated by colons:
 *
 *   for (const char *rest = slurm_conf.plugindir; plugin_dir_next(&rest, file, path, sizeof(path));)
 *     ... path
 */
#ifndef DFRS_PLUGIN_PLUGIN_DIR_H
#define DFRS_PLUGIN_PLUGIN_DIR_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

#endif
