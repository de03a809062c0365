// SPDX-License-Identifier: GPL-2.0-or-later
// Converts the records of a log to jobs and instances.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/workload/number_parser.h"
#include "sim/workload/swf.h"
#include "sim/workload/swf_instance.h"

namespace dfrs::sim {
namespace {

constexpr double kKbPerMib = 1024;
constexpr double kLeastEfficiency = 0.01;

Result<int> machine_nodes(const SwfRecords& log, const SwfPlatformOptions& options) {
  if (options.cores < 1 || options.cores > 1024) {
    return usage_error(fmt::format("cores per node: {}, expected 1 to 1024", options.cores));
  }
  if (options.memory_mib < 0 || options.memory_mib > kMaxTraceRigid) {
    return usage_error(fmt::format("memory per node: {} MiB, expected 0 to {}", options.memory_mib, kMaxTraceRigid));
  }
  if (options.nodes < 0 || options.nodes > kMaxTraceNodes) {
    return usage_error(fmt::format("nodes: {}, expected 1 to {}", options.nodes, kMaxTraceNodes));
  }
  if (options.nodes > 0) return options.nodes;
  std::int64_t nodes = 0;
  if (log.header().max_procs) {
    // Rounds up without overflow.
    nodes = *log.header().max_procs / options.cores + (*log.header().max_procs % options.cores > 0 ? 1 : 0);
  } else if (log.header().max_nodes) {
    nodes = *log.header().max_nodes;
  } else {
    return usage_error(fmt::format(
        "{}: the header names neither MaxProcs nor MaxNodes; give the number of nodes (--nodes)", log.source()));
  }
  if (nodes < 1 || nodes > kMaxTraceNodes) {
    return input_error(
        fmt::format("{}: the header's MaxProcs or MaxNodes makes {} nodes, expected 1 to {}; give the number of nodes",
                    log.source(), nodes, kMaxTraceNodes));
  }
  return static_cast<int>(nodes);
}

}  // namespace

bool simulated_job(const SwfRecord& record, const SwfConventions& conventions, ReadReport& report, SwfJob& job) {
  const auto skip = [&](std::string_view reason) {
    report.skip(reason, record.line);
    return false;
  };
  if (record.status >= 2 && record.status <= 4) return skip("part of a job that has its own record (status 2 to 4)");
  if (record.job < 0) return skip("job number missing");
  // Only -1 stands for a missing value.
  if (record.submit < 0) return skip(record.submit == -1 ? "submit time missing" : "submit time negative");
  if (record.run_time < 0) return skip(record.run_time == -1 ? "run time missing" : "run time negative");
  const bool requested = conventions.processors == SwfProcessors::kRequested;
  int processors = requested ? record.processors_requested : record.processors_allocated;
  if (processors < 0) {
    processors = requested ? record.processors_allocated : record.processors_requested;
    if (processors > 0) {
      report.adjust(requested ? "requested processors missing, allocated ones taken"
                              : "allocated processors missing, requested ones taken",
                    record.line);
    }
  }
  if (processors <= 0) return skip("number of processors missing or 0");
  if (record.submit > kMaxTraceSeconds || record.run_time > kMaxTraceSeconds) {
    return skip(fmt::format("time beyond {:.0f} seconds", kMaxTraceSeconds));
  }
  job = SwfJob{};
  job.id = static_cast<JobId>(record.job);
  job.submit = record.submit;
  job.processors = processors;
  job.run_time = record.run_time;
  const bool has_request = record.time_requested > 0;
  if (conventions.kill_at_requested_time && has_request && record.run_time > record.time_requested) {
    job.run_time = record.time_requested;
    report.adjust("run time cut at the requested time", record.line);
  }
  job.estimate = job.run_time;
  if (conventions.estimates == SwfEstimates::kTrace) {
    if (has_request) {
      job.estimate = std::min(record.time_requested, kMaxTraceSeconds);
    } else {
      report.adjust("requested time missing, run time taken as the estimate", record.line);
    }
  }
  if (conventions.measured_cpu_need) {
    if (record.cpu_time > 0 && record.run_time > 0) {
      job.efficiency = std::clamp(record.cpu_time / record.run_time, kLeastEfficiency, 1.0);
    } else {
      report.adjust("CPU time missing, taken as using all its processors", record.line);
    }
  }
  job.memory_kb = std::max({record.memory_used, record.memory_requested, 0.0});
  job.user = record.user == 0 ? kUserZero : static_cast<std::uint32_t>(std::max(0, record.user));
  job.weight = weight_of(conventions.weights, record.user, record.queue);
  job.line = record.line;
  return true;
}

tl::unexpected<Error> refuse_without_jobs(const std::string& source, const ReadReport& report) {
  std::string reasons;
  for (const ReadNote& note : report.skipped)
    reasons += fmt::format("{}{} x {}", reasons.empty() ? ": " : ", ", note.count, note.reason);
  return input_error(fmt::format("{}: no record can be simulated{}", source, reasons));
}

Result<SwfWorkload> swf_instance(SwfRecords& log, const std::string& name, const SwfConventions& conventions,
                                 const SwfPlatformOptions& options) {
  const Result<int> nodes = machine_nodes(log, options);
  if (!nodes) return tl::unexpected(nodes.error());
  return swf_workload(log, name, conventions,
                      Platform::homogeneous(static_cast<std::size_t>(*nodes), options.memory_mib),
                      std::int64_t{*nodes} * options.cores, options.lenient, [&](const SwfJob& record, Job& job) {
                        job.tasks = record.processors;
                        job.cpu_need = record.efficiency / options.cores;
                        if (options.memory_mib > 0) {
                          job.rigid[kMemory] = static_cast<RigidAmount>(std::ceil(record.memory_kb / kKbPerMib));
                        }
                      });
}

Result<SwfWorkload> swf_instance(const SwfLog& log, const std::string& name, const SwfConventions& conventions,
                                 const SwfPlatformOptions& options) {
  SwfLogRecords records(log);
  return swf_instance(records, name, conventions, options);
}

}  // namespace dfrs::sim
