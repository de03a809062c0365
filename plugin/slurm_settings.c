/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/slurm_settings.h"

#include "plugin/compat.h"
#include "plugin/job_shape.h"
#include "shim/gate.h"

static bool names(const char *list, const char *name) { return list && xstrcasestr(list, name); }

int slurm_settings_check(void) {
  int rc = SLURM_SUCCESS;
  if (slurm_conf.preempt_mode & PREEMPT_MODE_GANG) {
    error("sched/dfrs: PreemptMode has GANG, which stops and continues jobs behind dfrs' back: set PreemptMode=OFF");
    rc = SLURM_ERROR;
  }
  if (names(slurm_conf.preempt_type, "qos")) {
    error(
        "sched/dfrs: PreemptType=preempt/qos takes a row from every partition, and with it the cores of dfrs' jobs: "
        "remove it");
    rc = SLURM_ERROR;
  }
  if (!(slurm_conf.select_type_param & COMPAT_CR_MEMORY)) {
    error(
        "sched/dfrs: SelectTypeParameters does not count memory, which is a hard limit under dfrs: set "
        "SelectTypeParameters=CR_Core_Memory (or CR_CPU_Memory, CR_Socket_Memory)");
    rc = SLURM_ERROR;
  }
  if (slurm_conf.preempt_mode & (PREEMPT_MODE_REQUEUE | PREEMPT_MODE_CANCEL) &&
      !(slurm_conf.preempt_mode & PREEMPT_MODE_GANG))
    info(
        "sched/dfrs: warning: PreemptMode lets Slurm requeue or cancel jobs of managed partitions; dfrs only slows "
        "them down or pauses them: set PreemptMode=OFF, at least for these partitions");
  /* With none, only a user's own --cpu-bind pins. task/cgroup's cpusets are widened for each task (job_group.h). */
  if (names(slurm_conf.task_plugin, "affinity") && !(slurm_conf.task_plugin_param & CPU_BIND_NONE))
    info(
        "sched/dfrs: warning: TaskPlugin has task/affinity, which pins tasks to cores: jobs that share a core get less "
        "than their share while other cores idle; leave it out, or set TaskPluginParam=none");
  return rc;
}

int slurm_settings_check_partitions(void) {
  int rc = SLURM_SUCCESS;
  slurm_conf_partition_t **parts = NULL;
  const int count = slurm_conf_partition_array(&parts);
  for (int i = 0; i < count; ++i) {
    if (!parts[i]->name || !dfrs_gate_manages(parts[i]->name) ||
        (partition_cr_type(parts[i]->cr_type) & COMPAT_CR_MEMORY))
      continue;
    error(
        "sched/dfrs: the SelectTypeParameters of partition %s do not count memory, which is a hard limit under dfrs: "
        "remove them from its line, or set CR_Core_Memory or CR_Socket_Memory there",
        parts[i]->name);
    rc = SLURM_ERROR;
  }
  return rc;
}
