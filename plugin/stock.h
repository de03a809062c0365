/* SPDX-License-Identifier: GPL-2.0-or-later
 * The stock select_cons_tres.so: found in PluginDir behind ours and loaded beside it. It does everything that we do not
 * do ourselves. We use its functions and data (the allocations on nodes and in partitions) by their exported names.
 */
#ifndef DFRS_PLUGIN_STOCK_H
#define DFRS_PLUGIN_STOCK_H

#include "plugin/compat.h"

struct stock {
  /* The operations that have one form in all versions of Slurm. */
  int (*node_init)(void);
  int (*job_begin)(job_record_t *);
  int (*job_ready)(job_record_t *);
  int (*job_expand)(job_record_t *from, job_record_t *to);
  int (*job_resized)(job_record_t *, node_record_t *);
  int (*job_fini)(job_record_t *);
  int (*job_suspend)(job_record_t *, bool indefinite);
  int (*job_resume)(job_record_t *, bool indefinite);
  int (*nodeinfo_set)(job_record_t *);
  int (*nodeinfo_set_all)(void);
  int (*reconfigure)(void);
  int (*init)(void);
  void (*fini)(void); /* returns an int before 26.05, always SLURM_SUCCESS */
  /* Its data. node_init replaces the arrays and lists behind these pointers. */
  node_use_record_t **node_usage;
  part_res_record_t **part_record;
  bool *initializing; /* true between node_init and reconfigure, when job_fini does nothing */
  uint64_t *def_cpu_per_gpu, *def_mem_per_gpu;
};

/* A name to look up in the stock selector, and the pointer to set; an optional one that is not there stays NULL. */
struct stock_name {
  const char *name;
  void *to;
  bool optional;
};

/* The operations that the generation of Slurm has besides; the last name is NULL. */
extern const struct stock_name selector_names[];

extern struct stock stock;

/* Loads the plugin. SLURM_SUCCESS, or SLURM_ERROR with the reason in the log. */
int stock_load(void);
/* Unloads the plugin, if it is loaded. */
void stock_unload(void);

#endif
