/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/stock.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "plugin/plugin_dir.h"

struct stock stock;

static void *library;

static const char kFile[] = "select_cons_tres.so";

/* Finds the first file of that name in PluginDir that is not our own. */
static bool find(char *path, size_t size) {
  Dl_info self;
  struct stat ours, other;
  if (!dladdr(&stock, &self) || stat(self.dli_fname, &ours) != 0) {
    error("select/cons_tres of dfrs: cannot tell from which file it was loaded");
    return false;
  }
  for (const char *rest = slurm_conf.plugindir; plugin_dir_next(&rest, kFile, path, size);)
    if (stat(path, &other) == 0 && (other.st_dev != ours.st_dev || other.st_ino != ours.st_ino)) return true;
  error(
      "select/cons_tres of dfrs (%s) wraps Slurm's own %s, and PluginDir=%s has no other one: "
      "set PluginDir=<folder of dfrs>:<folder of Slurm's plugins>",
      self.dli_fname, kFile, slurm_conf.plugindir);
  return false;
}

/* Looks up one name; false, with a message, if it is missing. */
static bool look_up(const char *path, const char *name, void *to) {
  void *found = dlsym(library, name);
  if (!found) {
    error("%s has no %s: it is not the cons_tres that dfrs was built for", path, name);
    return false;
  }
  memcpy(to, &found, sizeof(found));
  return true;
}

static bool look_up_all(const char *path) {
  /* Slurm fills the same structure from the same list of names. */
  enum { kCount = sizeof(slurm_select_ops_t) / sizeof(void *) };
  void *functions[kCount];
  for (int i = 0; i < kCount; ++i)
    if (!look_up(path, node_select_syms[i], &functions[i])) return false;
  memcpy(&stock.ops, functions, sizeof(stock.ops));
  return look_up(path, "init", &stock.init) && look_up(path, "fini", &stock.fini) &&
         look_up(path, "select_node_usage", &stock.node_usage) &&
         look_up(path, "select_part_record", &stock.part_record) &&
         look_up(path, "select_state_initializing", &stock.initializing) &&
         look_up(path, "def_cpu_per_gpu", &stock.def_cpu_per_gpu) &&
         look_up(path, "def_mem_per_gpu", &stock.def_mem_per_gpu) &&
         look_up(path, "common_get_def_cpu_per_gpu", &stock.get_def_cpu_per_gpu) &&
         look_up(path, "common_get_def_mem_per_gpu", &stock.get_def_mem_per_gpu);
}

int stock_load(void) {
  if (library) return SLURM_SUCCESS;
  char path[PATH_MAX];
  if (!find(path, sizeof(path))) return SLURM_ERROR;
  library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    error("cannot load %s: %s", path, dlerror());
    return SLURM_ERROR;
  }
  const uint32_t *version = dlsym(library, "plugin_version");
  const char *type = dlsym(library, "plugin_type");
  if (!version || *version != SLURM_VERSION_NUMBER) {
    error("%s is of Slurm version %#x, and dfrs was built for %#x: build dfrs for the installed version", path,
          version ? *version : 0, SLURM_VERSION_NUMBER);
  } else if (!type || strcmp(type, "select/cons_tres") != 0) {
    error("%s is not select/cons_tres", path);
  } else if (look_up_all(path)) {
    verbose("select/cons_tres of dfrs wraps %s", path);
    return SLURM_SUCCESS;
  }
  stock_unload();
  return SLURM_ERROR;
}

void stock_unload(void) {
  if (!library) return;
  dlclose(library);
  library = NULL;
  memset(&stock, 0, sizeof(stock));
}
