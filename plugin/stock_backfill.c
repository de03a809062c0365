/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/stock_backfill.h"

#include <dlfcn.h>
#include <limits.h>

#include "plugin/compat.h"
#include "plugin/plugin_dir.h"

static void *library;
static void (*stop)(void);
static int (*reconfig)(void);

/* Slurm's own: dfrs may be installed under that name, too. */
static void *open_in(const char *folders) {
  char path[PATH_MAX];
  if (!plugin_dir_find_other(folders, "sched_backfill.so", &library, path, sizeof(path))) return NULL;
  return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

int stock_backfill_start(void) {
  if (library) return 0;
  library = open_in(slurm_conf.plugindir);
  if (!library) {
    error(
        "sched/dfrs: cannot load sched_backfill.so from PluginDir=%s; partitions that dfrs does not manage have only "
        "Slurm's main scheduler. If that is intended, set StockBackfill=no in dfrs.conf",
        slurm_conf.plugindir);
    return -1;
  }
  const uint32_t *version = dlsym(library, "plugin_version");
  int (*start)(void) = (int (*)(void))dlsym(library, "init");
  stop = (void (*)(void))dlsym(library, "fini");
  reconfig = (int (*)(void))dlsym(library, "sched_p_reconfig");
  if (!version || *version != SLURM_VERSION_NUMBER || !start || !stop || start() != SLURM_SUCCESS) {
    error("sched/dfrs: sched_backfill.so is of another Slurm version, or did not start; dfrs runs without it");
    dlclose(library);
    library = NULL;
    return -1;
  }
  verbose("sched/dfrs: Slurm's own backfill schedules the partitions that dfrs does not manage");
  return 0;
}

void stock_backfill_reconfig(void) {
  if (library && reconfig) (void)reconfig();
}

void stock_backfill_stop(void) {
  if (!library) return;
  stop();
  /* No dlclose: the last instructions of its thread may still run after pthread_join. */
  library = NULL;
}
