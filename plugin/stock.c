/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/stock.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include "plugin/plugin_dir.h"

struct stock stock;

static void *library;

static const char kFile[] = "select_cons_tres.so";

static bool find(char *path, size_t size) {
  if (plugin_dir_find_other(slurm_conf.plugindir, kFile, &stock, path, size)) return true;
  error(
      "select/cons_tres of dfrs wraps Slurm's own %s, and PluginDir=%s has no other one: set "
      "PluginDir=<folder of dfrs>:<folder of Slurm's plugins>",
      kFile, slurm_conf.plugindir);
  return false;
}

/* Looks up one name; false, with a message, if it is missing. */
static bool look_up(const char *path, const struct stock_name *wanted) {
  void *found = dlsym(library, wanted->name);
  if (!found && !wanted->optional) {
    error("%s has no %s: it is not the cons_tres that dfrs was built for", path, wanted->name);
    return false;
  }
  memcpy(wanted->to, &found, sizeof(found));
  return true;
}

static const struct stock_name kNames[] = {
    {"select_p_node_init", &stock.node_init, false},
    {"select_p_job_begin", &stock.job_begin, false},
    {"select_p_job_ready", &stock.job_ready, false},
    {"select_p_job_expand", &stock.job_expand, false},
    {"select_p_job_resized", &stock.job_resized, false},
    {"select_p_job_fini", &stock.job_fini, false},
    {"select_p_job_suspend", &stock.job_suspend, false},
    {"select_p_job_resume", &stock.job_resume, false},
    {"select_p_select_nodeinfo_set", &stock.nodeinfo_set, false},
    {"select_p_select_nodeinfo_set_all", &stock.nodeinfo_set_all, false},
    {"select_p_reconfigure", &stock.reconfigure, false},
    {"init", &stock.init, false},
    {"fini", &stock.fini, false},
    {"select_node_usage", &stock.node_usage, false},
    {"select_part_record", &stock.part_record, false},
    {"select_state_initializing", &stock.initializing, false},
    {"def_cpu_per_gpu", &stock.def_cpu_per_gpu, false},
    {"def_mem_per_gpu", &stock.def_mem_per_gpu, false},
    {NULL, NULL, false},
};

static bool look_up_all(const char *path, const struct stock_name *names) {
  for (; names->name; ++names)
    if (!look_up(path, names)) return false;
  return true;
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
  } else if (look_up_all(path, kNames) && look_up_all(path, selector_names)) {
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
