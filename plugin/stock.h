/* SPDX-License-Identifier: GPL-2.0-or-later
 * The stock select_cons_tres.so: found in PluginDir behind ours and loaded beside it. It does everything that we do not
 * do ourselves. We use its functions and data (the allocations on nodes and in partitions) by their exported names.
 */
#ifndef DFRS_PLUGIN_STOCK_H
#define DFRS_PLUGIN_STOCK_H

#include "plugin/compat.h"

struct stock {
  slurm_select_ops_t ops; /* every operation of a selector */
  int (*init)(void);
  int (*fini)(void);
  /* Its data. node_init replaces the arrays and lists behind these pointers. */
  node_use_record_t **node_usage;
  part_res_record_t **part_record;
  bool *initializing; /* true between node_init and reconfigure, when job_fini does nothing */
  uint64_t *def_cpu_per_gpu, *def_mem_per_gpu;
  uint64_t (*get_def_cpu_per_gpu)(compat_list defaults);
  uint64_t (*get_def_mem_per_gpu)(compat_list defaults);
};

extern struct stock stock;

/* Loads the plugin. SLURM_SUCCESS, or SLURM_ERROR with the reason in the log. */
int stock_load(void);
/* Unloads the plugin, if it is loaded. */
void stock_unload(void);

#endif
