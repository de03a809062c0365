/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/job_shape.h"

#include <string.h>

#include "shim/gate.h"

static uint32_t known(uint32_t value, uint32_t otherwise) {
  return value == 0 || value == NO_VAL || value == INFINITE ? otherwise : value;
}

static uint32_t known16(uint16_t value, uint32_t otherwise) {
  return value == 0 || value == NO_VAL16 || value == INFINITE16 ? otherwise : value;
}

/* Users may ask for more than fits; the product is then as much as can be said, which no node has. */
static uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint32_t times32(uint32_t a, uint32_t b) {
  const uint64_t product = (uint64_t)a * b;
  return product < UINT32_MAX ? (uint32_t)product : UINT32_MAX;
}

static uint32_t divide_up(uint32_t value, uint32_t by) { return value / by + (value % by != 0); }

/* Whether features are names joined by one operator, & or |. Slurm handles all others. */
static bool plain_features(compat_list features) {
  if (!features) return true;
  bool plain = true;
  int joined = FEATURE_OP_END;
  compat_iterator each = list_iterator_create(features);
  for (job_feature_t *feature; (feature = list_next(each));) {
    const int op = feature->op_code;
    if (feature->count || feature->paren || (op != FEATURE_OP_AND && op != FEATURE_OP_OR && op != FEATURE_OP_END))
      plain = false;
    if (op == FEATURE_OP_END) continue;
    if (joined != FEATURE_OP_END && joined != op) plain = false;
    joined = op;
  }
  list_iterator_destroy(each);
  return plain;
}

/* Whether the list names more than CPUs. Since 23.11 Slurm also writes --cpus-per-task there, as "cpu:4" or "cpu=4". */
static bool beyond_cpus(const char *list) {
  while (list && *list) {
    if (strncmp(list, "cpu:", 4) != 0 && strncmp(list, "cpu=", 4) != 0) return true;
    list = strchr(list, ',');
    if (list) ++list;
  }
  return false;
}

struct job_shape job_shape(const job_record_t *job, uint64_t node_memory) {
  const compat_details *details = job->details;
  struct job_shape shape = {.tasks = 1, .cpus_per_task = 1, .memory_per_task = node_memory};
  if (!details) return shape;

  const uint32_t nodes = known(details->min_nodes, 1);
  uint32_t most_nodes = known(details->max_nodes, 0);
  const uint32_t partition_most = job->part_ptr ? known(job->part_ptr->max_nodes, 0) : 0;
  if (partition_most != 0 && (most_nodes == 0 || partition_most < most_nodes)) most_nodes = partition_most;
  const uint32_t most_per_node = known16(details->ntasks_per_node, 0);
  uint32_t tasks = known(details->num_tasks, 1);
  if (tasks < nodes) tasks = nodes;
  uint32_t cpus = known16(details->cpus_per_task, 1);
  const uint32_t min_cpus = known(details->min_cpus, 1);
  /* Without --cpus-per-task the job may still request CPUs (srun -c of older clients, --mincpus). */
  if (min_cpus > times32(tasks, cpus)) cpus = divide_up(min_cpus, tasks);
  if (details->overcommit) cpus = known16(details->cpus_per_task, 1);

  /* A fixed number of nodes with equal numbers of tasks: for the policy, the tasks of a node are one. */
  uint32_t together = 1;
  shape.one_per_node = most_nodes == nodes && tasks % nodes == 0;
  if (shape.one_per_node) together = tasks / nodes;
  shape.tasks = tasks / together;
  shape.cpus_per_task = times32(cpus, together);

  const uint64_t memory = details->pn_min_memory;
  if (memory & MEM_PER_CPU) {
    shape.memory_per_task = times(memory & ~MEM_PER_CPU, shape.cpus_per_task);
  } else if (memory != 0 && memory != NO_VAL64) {
    const uint32_t per_node = most_per_node ? most_per_node : divide_up(tasks, nodes);
    const uint64_t sum = times(memory, together);
    shape.memory_per_task = sum / per_node + (sum % per_node != 0);
  } else {
    shape.exclusive = true; /* it takes all memory of its nodes */
  }

  if (details->whole_node) shape.exclusive = true;
  shape.stock_placed =
      (job->gres_list_req && list_count(job->gres_list_req)) || job->tres_per_job || job->tres_per_node ||
      job->tres_per_socket || beyond_cpus(job->tres_per_task) || job->req_switch || job->burst_buffer || job->reboot ||
      details->contiguous || (details->core_spec != 0 && details->core_spec != NO_VAL16) ||
      !plain_features(details->feature_list) || (details->prefer_list && list_count(details->prefer_list));
  shape.own_layout = nodes > 1 || (most_nodes != 0 && most_nodes < shape.tasks) ||
                     (most_per_node != 0 && most_per_node < tasks && most_nodes != 1) ||
                     (details->req_node_bitmap && bit_set_count(details->req_node_bitmap) > 1);
  return shape;
}

part_record_t *job_managed_partition(const job_record_t *job) {
  if (job->part_ptr && dfrs_gate_manages(job->part_ptr->name)) return job->part_ptr;
  if (!IS_JOB_PENDING(job) || !job->part_ptr_list) return NULL;
  part_record_t *managed = NULL;
  compat_iterator each = list_iterator_create(job->part_ptr_list);
  for (part_record_t *part; !managed && (part = list_next(each));)
    if (dfrs_gate_manages(part->name)) managed = part;
  list_iterator_destroy(each);
  return managed;
}

slurmctld_resv_t *job_reservation(const job_record_t *job, time_t now) {
  slurmctld_resv_t *found = NULL;
  if (!job->resv_list) return job->resv_ptr;
  compat_iterator each = list_iterator_create(job->resv_list);
  for (slurmctld_resv_t *one; !found && (one = list_next(each));)
    if (one->start_time <= now && now < one->end_time) found = one;
  list_iterator_destroy(each);
  return found ? found : job->resv_ptr;
}

uint16_t partition_cr_type(uint16_t own) {
  const uint16_t all = slurm_conf.select_type_param;
  if (!own || !(all & (COMPAT_CR_SOCKET | COMPAT_CR_CORE))) return all;
  return (uint16_t)((all & ~(COMPAT_CR_SOCKET | COMPAT_CR_CORE | COMPAT_CR_MEMORY)) | own);
}
