// SPDX-License-Identifier: GPL-2.0-or-later
// A cluster's accounting to problem instances and to the Standard Workload Format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/workload/sacct/reader.h"
#include "sim/workload/swf.h"

namespace dfrs::sim {

/// The CPU that a task can use.
enum class CpuNeed {
  kMeasured,   ///< that of its CPUs times the job's CPU efficiency, TotalCPU / (run time x CPUs), where it is known
  kAllocated,  ///< that of its CPUs: what a scheduler knows when it starts the job
};

/// The memory that a task holds.
enum class MemoryNeed {
  kRequested,  ///< what was asked for; where the accounting has none, what was used
  kUsed,       ///< what was used; where that is not known, what was asked for
  kLarger,     ///< the larger of both
};

struct NodeShape {
  int nodes = 0;               ///< 0: not known
  int cores = 0;               ///< CPUs of a node as Slurm counts them
  RigidAmount memory_mib = 0;  ///< of a node; 0: not modelled
};

struct SacctOptions {
  NodeShape shape;  ///< what is 0 in it is inferred, see infer_shape
  CpuNeed cpu_need = CpuNeed::kMeasured;
  MemoryNeed memory_need = MemoryNeed::kRequested;
  SwfEstimates estimates = SwfEstimates::kTrace;
  /// Jobs larger than the machine are counted and skipped instead of being an error.
  bool lenient = false;
};

/// The least cluster that the jobs show: nodes by their names in NodeList; cores and memory of a node by the job with
/// the most of each per node. 0 where the accounting does not tell. A cluster whose nodes differ looks like one of its
/// largest.
NodeShape infer_shape(const SacctLog& log);

/// `given` completed by infer_shape. Errors: UsageError for values out of range, or if the number of nodes is neither
/// given nor in the accounting.
NodeShape complete_shape(const SacctLog& log, const NodeShape& given);

/// What complete_shape had to infer, as a sentence for people; empty if all was given.
std::string describe_guess(const SacctLog& log, const NodeShape& given);

/// TotalCPU / (run time x CPUs), at most 1; nothing where TotalCPU is not known (Slurm gathers none of runs that ended
/// at once, or with jobacct_gather/none) or the job ran for no time.
std::optional<double> cpu_efficiency(const SacctJob& job);

/// How a job's CPUs are divided into tasks: as many as srun started, at least one per node; where its CPUs do not
/// divide so, one per node, or else one per CPU.
struct TaskShape {
  int tasks = 1;
  int cpus = 1;  ///< of a task
};
TaskShape task_shape(const SacctJob& job, int cores);

/// The time limit as an estimate of the run time: UNLIMITED is a year, as for Slurm's backfill; the limit of a
/// partition, or none, is the longest limit of the partition's other jobs, or else of all jobs, or else the run time.
/// The instance's time 0 is the first submission.
/// Errors: as of complete_shape; InputError for a job larger than the machine (unless lenient).
SwfWorkload sacct_instance(const SacctLog& log, const std::string& name, const SacctOptions& options);

/// The log in SWF, with users, groups, queues (QOS) and partitions numbered in the order of their appearance. Time 0 is
/// the first submission, UnixStartTime in the header tells it.
SwfLog sacct_swf(const SacctLog& log, const NodeShape& shape);

}  // namespace dfrs::sim
