/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the entry points before 25.05 share. Operations that are handed on to the stock selector as they are:
 *
 *   FORWARD(type, name, (parameters), (arguments))
 *
 * defines select_p_NAME and the pointer that it calls; FORWARD_NAME, with the same arguments, is its line in
 * selector_names[].
 */
#ifndef DFRS_PLUGIN_SELECTOR_FORWARD_H
#define DFRS_PLUGIN_SELECTOR_FORWARD_H

#include "plugin/selector.h"
#include "plugin/stock.h"

#define FORWARD(type, name, parameters, arguments) \
  static type(*stock_##name) parameters;           \
  type select_p_##name parameters { return stock_##name arguments; }
#define FORWARD_NAME(type, name, parameters, arguments) {"select_p_" #name, &stock_##name, false},

/* The operations that all versions before 25.05 have. */
#define FORWARDED_BEFORE_25_05(X)                                                                                      \
  X(int, state_save, (char *folder), (folder))                                                                         \
  X(int, state_restore, (char *folder), (folder))                                                                      \
  X(int, job_init, (compat_list jobs), (jobs))                                                                         \
  X(bitstr_t *, step_pick_nodes, (job_record_t * job, select_jobinfo_t * info, uint32_t count, bitstr_t **avail),      \
    (job, info, count, avail))                                                                                         \
  X(int, step_start, (step_record_t * step), (step))                                                                   \
  X(int, step_finish, (step_record_t * step, bool killing), (step, killing))                                           \
  X(int, select_nodeinfo_pack, (select_nodeinfo_t * info, buf_t * buffer, uint16_t version), (info, buffer, version))  \
  X(int, select_nodeinfo_unpack, (select_nodeinfo_t * *info, buf_t * buffer, uint16_t version),                        \
    (info, buffer, version))                                                                                           \
  X(select_nodeinfo_t *, select_nodeinfo_alloc, (void), ())                                                            \
  X(int, select_nodeinfo_free, (select_nodeinfo_t * info), (info))                                                     \
  X(int, select_nodeinfo_get,                                                                                          \
    (select_nodeinfo_t * info, enum select_nodedata_type what, enum node_states state, void *data),                    \
    (info, what, state, data))                                                                                         \
  X(select_jobinfo_t *, select_jobinfo_alloc, (void), ())                                                              \
  X(int, select_jobinfo_free, (select_jobinfo_t * info), (info))                                                       \
  X(int, select_jobinfo_set, (select_jobinfo_t * info, enum select_jobdata_type what, void *data), (info, what, data)) \
  X(int, select_jobinfo_get, (select_jobinfo_t * info, enum select_jobdata_type what, void *data), (info, what, data)) \
  X(select_jobinfo_t *, select_jobinfo_copy, (select_jobinfo_t * info), (info))                                        \
  X(int, select_jobinfo_pack, (select_jobinfo_t * info, buf_t * buffer, uint16_t version), (info, buffer, version))    \
  X(int, select_jobinfo_unpack, (select_jobinfo_t * *info, buf_t * buffer, uint16_t version), (info, buffer, version)) \
  X(int, get_info_from_plugin, (enum select_plugindata_info what, job_record_t * job, void *data), (what, job, data))

/* Defaults for GPUs. cons_tres has functions for them, under names that begin with `prefix`. */
static uint64_t (*def_cpu_per_gpu)(compat_list);
static uint64_t (*def_mem_per_gpu)(compat_list);
#define GPU_DEFAULTS_NAMES(prefix) \
  {prefix "_get_def_cpu_per_gpu", &def_cpu_per_gpu, false}, { prefix "_get_def_mem_per_gpu", &def_mem_per_gpu, false }

uint64_t selector_def_cpu_per_gpu(compat_list defaults) { return def_cpu_per_gpu(defaults); }
uint64_t selector_def_mem_per_gpu(compat_list defaults) { return def_mem_per_gpu(defaults); }

#endif
