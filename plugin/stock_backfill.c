/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/stock_backfill.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "plugin/compat.h"

static void *library;
static void (*stop)(void);
static int (*reconfig)(void);

static void *open_in(const char *folders) {
  char path[4096];
  for (const char *at = folders; at && *at;) {
    const size_t length = strcspn(at, ":");
    if (length > 0 && snprintf(path, sizeof(path), "%.*s/sched_backfill.so", (int)length, at) < (int)sizeof(path)) {
      void *found = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
      if (found) return found;
    }
    at += length + (at[length] == ':');
  }
  return NULL;
}

int stock_backfill_start(void) {
  if (library) return 0;
  library = open_in(slurm_conf.plugindir);
  if (!library) {
    error(
        "sched/dfrs: cannot load sched_backfill.so from PluginDir=%s; partitions that are not managed have Slurm's "
        "main scheduler only. StockBackfill=no in dfrs.conf says that this is meant",
        slurm_conf.plugindir);
    return -1;
  }
  const uint32_t *version = dlsym(library, "plugin_version");
  int (*start)(void) = (int (*)(void))dlsym(library, "init");
  stop = (void (*)(void))dlsym(library, "fini");
  reconfig = (int (*)(void))dlsym(library, "sched_p_reconfig");
  if (!version || *version != SLURM_VERSION_NUMBER || !start || !stop || start() != SLURM_SUCCESS) {
    error("sched/dfrs: sched_backfill.so is of another Slurm version, or did not start; going on without it");
    dlclose(library);
    library = NULL;
    return -1;
  }
  verbose("sched/dfrs: stock backfill runs beside us for the partitions that are not managed");
  return 0;
}

void stock_backfill_reconfig(void) {
  if (library && reconfig) (void)reconfig();
}

void stock_backfill_stop(void) {
  if (!library) return;
  stop();
  /* Stays mapped: its thread's last instructions may still be running when pthread_join has returned to us. */
  library = NULL;
}
