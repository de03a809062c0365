// SPDX-License-Identifier: GPL-2.0-or-later
// The annotation of RR-7659 (section 5.3.1) for logs with memory data: derives tasks, CPU needs and memory from
// processors.
#pragma once

#include <cstdint>
#include <string>

#include "sim/workload/swf.h"

namespace dfrs::sim {

/// The machine the log is from. The defaults are HPC2N's: 120 dual-core nodes of 2 GB.
struct MemoryAnnotation {
  int nodes = 120;
  int cores = 2;                  ///< processors of the log per node, 1 .. 1024
  RigidAmount memory_mib = 2048;  ///< per node, >= 1
  int min_memory_percent = 10;    ///< minimum memory of a processor, also if the log gives none; 0 .. 100
  /// Jobs larger than the machine are counted and skipped instead of being an error.
  bool lenient = false;
};

/// Exact memory of a task before rounding to MiB, in hundredths of a KB.
struct ExactMemory {
  std::int64_t centi_kb = 0;
};

/// MiB for a task that needs `exact`, on nodes of `node_mib`: the nearest amount at which as many equal tasks fit on a
/// node as with the exact one, floor(node / exact). Ten tasks at the minimum of 10 % of 2 GB (204.8 MiB) become 204 MiB
/// each.
///
/// Why plain rounding does not do: on the 202,876 jobs of HPC2N-2002-2.1-cln, rounding up changes how many tasks of a
/// job fit on a node for 3,965 jobs, rounding to the nearest for the same 3,965 (204.8 becomes 205), rounding down and
/// this for none. Rounding down, however, would let two tasks of 1024.5 MiB share a node of 2048, which this does not.
RigidAmount rounded_memory(ExactMemory exact, RigidAmount node_mib);

/// The tasks that the annotation derives from a record.
struct AnnotatedTasks {
  int tasks = 1;
  double cpu_need = 1.0;
  ExactMemory memory;  ///< per task
};

/// A processor needs max(used, requested) memory, at least the minimum. If the processors are a multiple of the node's
/// cores (paper: even) and a node has the memory for more than one processor per core (paper: memory < 0.5), tasks are
/// multi-threaded: processors/cores of them, each with a whole node's CPU and cores times the memory. Otherwise each
/// processor is a task that needs 1/cores. Memory is multiplied before it is rounded to MiB, so that nothing is lost.
AnnotatedTasks annotate(int processors, double memory_kb, const MemoryAnnotation& options);

/// A whole log under the annotation, times relative to its origin.
/// Errors: kExitUsage for an option out of range; kExitInput for a job larger than the machine (unless lenient), or if
/// no record can be simulated.
Result<SwfWorkload> annotated_instance(SwfRecords& log, const std::string& name, const SwfConventions& conventions,
                                       const MemoryAnnotation& options);
Result<SwfWorkload> annotated_instance(const SwfLog& log, const std::string& name, const SwfConventions& conventions,
                                       const MemoryAnnotation& options);

}  // namespace dfrs::sim
