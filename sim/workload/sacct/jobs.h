// SPDX-License-Identifier: GPL-2.0-or-later
// Converts a cluster's accounting to problem instances and to the Standard Workload Format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/workload/sacct/machine.h"
#include "sim/workload/sacct/reader.h"
#include "sim/workload/swf.h"

namespace dfrs::sim {

/// The CPU that a task can use.
enum class CpuNeed {
  kMeasured,   ///< its CPUs times the job's CPU efficiency, TotalCPU / (run time x CPUs), where known
  kAllocated,  ///< its CPUs: what a scheduler knows when it starts the job
};

/// The memory that a task holds.
enum class MemoryNeed {
  kRequested,  ///< the request; the used memory if there is no request
  kUsed,       ///< the used memory; the request if the use is not known
  kLarger,     ///< the larger of the two
};

struct SacctOptions {
  NodeShape shape;                   ///< zeros are inferred, see machine_of
  std::vector<NodeKind> kinds = {};  ///< of the machine's nodes, instead of `shape`; empty: see there
  CpuNeed cpu_need = CpuNeed::kMeasured;
  MemoryNeed memory_need = MemoryNeed::kRequested;
  SwfEstimates estimates = SwfEstimates::kTrace;
  /// How many the cluster has; names that are missing are inferred, see licences_of().
  std::vector<Licence> licences = {};
  /// Jobs larger than the machine are counted and skipped instead of being an error.
  bool lenient = false;
};

/// By the kinds that the options give, or else by machine_of(log, options.shape), with its errors.
Result<Machine> machine_by(const SacctLog& log, const SacctOptions& options);

/// TotalCPU / (run time x CPUs), at most 1. Nothing if the run time is 0 or TotalCPU is not known (Slurm gathers none
/// for very short runs, or with jobacct_gather/none).
std::optional<double> cpu_efficiency(const SacctJob& job);

/// How a job's CPUs are divided into tasks: as many as srun started, at least one per node. If the CPUs do not divide
/// evenly: one per node, or else one per CPU.
struct TaskShape {
  int tasks = 1;
  int cpus = 1;  ///< per task
};
TaskShape task_shape(const SacctJob& job, int cores);

/// Converts the log to an instance whose time 0 is the first submission. The time limit is the estimate of the run
/// time: UNLIMITED is a year, as in Slurm's backfill; for a partition's limit, or none, it is the longest limit of the
/// partition's other jobs, or else of all jobs, or else the run time. A job with GPUs is one task per node; GPUs
/// are a rigid resource. Errors: those of machine_of; kExitInput for a job
/// larger than the machine (unless lenient).
Result<SwfWorkload> sacct_instance(const SacctLog& log, const std::string& name, const SacctOptions& options);

/// The log in SWF, with users, groups, queues (QOS) and partitions numbered in order of appearance. Time 0 is the first
/// submission, given by UnixStartTime in the header. `importer`: the subcommand of dfrs-sim import that made it.
SwfLog sacct_swf(const SacctLog& log, const NodeShape& shape, std::string_view importer = "sacct");

}  // namespace dfrs::sim
