// SPDX-License-Identifier: GPL-2.0-or-later
// Records of a log to jobs and instances.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/errors.h"
#include "sim/workload/fit.h"
#include "sim/workload/number_parser.h"
#include "sim/workload/swf.h"

namespace dfrs::sim {
namespace {

constexpr double kKbPerMib = 1024;
constexpr double kLeastEfficiency = 0.01;

int machine_nodes(const SwfLog& log, const SwfPlatformOptions& options) {
  if (options.cores < 1 || options.cores > 1024) {
    throw UsageError(fmt::format("cores per node: {}, expected 1 to 1024", options.cores));
  }
  if (options.memory_mib < 0 || options.memory_mib > kMaxTraceRigid) {
    throw UsageError(fmt::format("memory per node: {} MiB, expected 0 to {}", options.memory_mib, kMaxTraceRigid));
  }
  if (options.nodes < 0 || options.nodes > kMaxTraceNodes) {
    throw UsageError(fmt::format("nodes: {}, expected 1 to {}", options.nodes, kMaxTraceNodes));
  }
  if (options.nodes > 0) return options.nodes;
  std::int64_t nodes = 0;
  if (log.header.max_procs) {
    // Rounded up, without a sum that could overflow.
    nodes = *log.header.max_procs / options.cores + (*log.header.max_procs % options.cores > 0 ? 1 : 0);
  } else if (log.header.max_nodes) {
    nodes = *log.header.max_nodes;
  } else {
    throw UsageError(fmt::format(
        "{}: the header names neither MaxProcs nor MaxNodes; give the number of nodes (--nodes)", log.source));
  }
  if (nodes < 1 || nodes > kMaxTraceNodes) {
    throw InputError(
        fmt::format("{}: the header's MaxProcs or MaxNodes makes {} nodes, expected 1 to {}; give the number of nodes",
                    log.source, nodes, kMaxTraceNodes));
  }
  return static_cast<int>(nodes);
}

}  // namespace

std::vector<SwfJob> simulated_jobs(const SwfLog& log, const SwfConventions& conventions, ReadReport& report) {
  std::vector<SwfJob> jobs;
  jobs.reserve(log.records.size());
  for (const SwfRecord& record : log.records) {
    if (record.status >= 2 && record.status <= 4) {
      report.skip("part of a job that has its own record (status 2 to 4)", record.line);
      continue;
    }
    if (record.job < 0) {
      report.skip("job number missing", record.line);
      continue;
    }
    if (record.submit < 0) {
      report.skip("submit time missing", record.line);
      continue;
    }
    if (record.run_time < 0) {
      report.skip("run time missing", record.line);
      continue;
    }
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
    if (processors <= 0) {
      report.skip("number of processors missing or 0", record.line);
      continue;
    }
    if (record.submit > kMaxTraceSeconds || record.run_time > kMaxTraceSeconds) {
      report.skip(fmt::format("time beyond {:.0f} seconds", kMaxTraceSeconds), record.line);
      continue;
    }
    SwfJob job;
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
    job.weight = weight_of(conventions.weights, record.user, record.queue);
    job.line = record.line;
    jobs.push_back(job);
  }
  if (jobs.empty()) {
    std::string reasons;
    for (const ReadNote& note : report.skipped)
      reasons += fmt::format("{}{} x {}", reasons.empty() ? ": " : ", ", note.count, note.reason);
    throw InputError(fmt::format("{}: no record can be simulated{}", log.source, reasons));
  }
  return jobs;
}

SwfWorkload swf_instance(const SwfLog& log, const std::string& name, const SwfConventions& conventions,
                         const SwfPlatformOptions& options) {
  const int nodes = machine_nodes(log, options);
  SwfWorkload workload{{}, log.report};
  Instance& instance = workload.instance;
  instance.name = name;
  instance.platform = Platform::homogeneous(static_cast<std::size_t>(nodes), options.memory_mib);
  const PlatformFit fit(instance.platform);

  const std::vector<SwfJob> records = simulated_jobs(log, conventions, workload.report);
  instance.jobs.reserve(records.size());
  const std::int64_t processors = std::int64_t{nodes} * options.cores;
  for (const SwfJob& record : records) {
    Job job;
    job.id = record.id;
    job.submit = record.submit;
    job.tasks = record.processors;
    job.cpu_need = record.efficiency / options.cores;
    if (options.memory_mib > 0) job.rigid[kMemory] = static_cast<RigidAmount>(std::ceil(record.memory_kb / kKbPerMib));
    job.run_time = record.run_time;
    job.estimate = record.estimate;
    job.weight = record.weight;
    std::string why = record.processors > processors
                          ? fmt::format("{} processors, but the machine has {}", record.processors, processors)
                          : fit.why_not(job);
    if (why.empty()) {
      instance.jobs.push_back(job);
    } else if (options.lenient) {
      workload.report.skip("larger than the machine", record.line);
    } else {
      throw InputError(
          fmt::format("{}:{}: job {} is larger than the machine: {}", log.source, record.line, record.id, why));
    }
  }
  if (instance.jobs.empty())
    throw InputError(fmt::format("{}: every job is larger than the machine of {} nodes", log.source, nodes));
  return workload;
}

}  // namespace dfrs::sim
