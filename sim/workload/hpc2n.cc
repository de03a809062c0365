// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/hpc2n.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/workload/number_parser.h"
#include "sim/workload/swf_instance.h"

namespace dfrs::sim {
namespace {

constexpr std::int64_t kCentiKbPerMib = 100 * 1024;

Result<void> check(const MemoryAnnotation& options) {
  if (options.nodes < 1 || options.nodes > kMaxTraceNodes) {
    return usage_error(fmt::format("nodes: {}, expected 1 to {}", options.nodes, kMaxTraceNodes));
  }
  if (options.cores < 1 || options.cores > 1024) {
    return usage_error(fmt::format("cores per node: {}, expected 1 to 1024", options.cores));
  }
  if (options.memory_mib < 1 || options.memory_mib > kMaxTraceRigid) {
    return usage_error(fmt::format("memory per node: {} MiB, expected 1 to {}", options.memory_mib, kMaxTraceRigid));
  }
  if (options.min_memory_percent < 0 || options.min_memory_percent > 100) {
    return usage_error(fmt::format("least memory of a processor: {} %, expected 0 to 100", options.min_memory_percent));
  }
  return {};
}

}  // namespace

RigidAmount rounded_memory(ExactMemory exact, RigidAmount node_mib) {
  if (exact.centi_kb <= 0) return 0;
  const RigidAmount up = (exact.centi_kb + kCentiKbPerMib - 1) / kCentiKbPerMib;
  const std::int64_t fit = node_mib * kCentiKbPerMib / exact.centi_kb;
  if (fit == 0) return up;  // larger than the node: keep it so
  const RigidAmount least = node_mib / (fit + 1) + 1;
  const RigidAmount most = node_mib / fit;
  const RigidAmount nearest = (exact.centi_kb + kCentiKbPerMib / 2) / kCentiKbPerMib;
  // With thousands of tasks per node, perhaps no whole MiB gives exactly their number; then at least as many fit.
  return std::min(std::max(nearest, least), most);
}

AnnotatedTasks annotate(int processors, double memory_kb, const MemoryAnnotation& options) {
  const std::int64_t node = options.memory_mib * kCentiKbPerMib;
  // Larger than any node; the cap keeps the arithmetic within 64 bits.
  const double most_kb = 1e15 / 100;
  const std::int64_t per_processor =
      std::max<std::int64_t>(std::llround(std::min(memory_kb, most_kb) * 100), node / 100 * options.min_memory_percent);
  if (processors % options.cores == 0 && per_processor * options.cores < node) {
    return {processors / options.cores, 1.0, {per_processor * options.cores}};
  }
  return {processors, 1.0 / options.cores, {per_processor}};
}

Result<SwfWorkload> annotated_instance(SwfRecords& log, const std::string& name, const SwfConventions& conventions,
                                       const MemoryAnnotation& options) {
  if (auto checked = check(options); !checked) return tl::unexpected(std::move(checked).error());
  return swf_workload(
      log, name, conventions, Platform::homogeneous(static_cast<std::size_t>(options.nodes), options.memory_mib),
      std::int64_t{options.nodes} * options.cores, options.lenient, [&](const SwfJob& record, Job& job) {
        const AnnotatedTasks tasks = annotate(record.processors, record.memory_kb, options);
        job.tasks = tasks.tasks;
        job.cpu_need = tasks.cpu_need * record.efficiency;
        job.rigid[kMemory] = rounded_memory(tasks.memory, options.memory_mib);
      });
}

Result<SwfWorkload> annotated_instance(const SwfLog& log, const std::string& name, const SwfConventions& conventions,
                                       const MemoryAnnotation& options) {
  SwfLogRecords records(log);
  return annotated_instance(records, name, conventions, options);
}

}  // namespace dfrs::sim
