// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/sacct/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "sim/workload/fit.h"
#include "sim/workload/licences.h"
#include "sim/workload/number_parser.h"
#include "sim/workload/sacct/fields.h"
#include "sim/workload/sacct/licences.h"

namespace dfrs::sim {
namespace {

constexpr Seconds kUnlimited = 365 * 86400.0;  // as in Slurm's backfill
constexpr double kLeastEfficiency = 0.01;
constexpr double kLeastNeed = 1e-6;  // of the trace format

/// Estimates run times from time limits, also for jobs without a limit in the accounting.
class Limits {
 public:
  explicit Limits(const SacctLog& log) {
    for (const SacctJob& job : log.jobs) {
      if (job.limit_kind != LimitKind::kTime) continue;
      longest_ = std::max(longest_, job.limit);
      Seconds& of_partition = by_partition_[job.partition];
      of_partition = std::max(of_partition, job.limit);
    }
  }

  Seconds estimate(const SacctJob& job, ReadReport& report) const {
    switch (job.limit_kind) {
      case LimitKind::kTime:
        if (job.limit > 0) return job.limit;
        break;
      case LimitKind::kUnlimited:
        return std::max(kUnlimited, job.run_time);
      case LimitKind::kPartition:
      case LimitKind::kUnknown:
        break;
    }
    const auto of_partition = by_partition_.find(job.partition);
    const Seconds limit = of_partition != by_partition_.end() ? of_partition->second : longest_;
    if (limit >= job.run_time && limit > 0) {
      report.adjust("no time limit of its own, the longest of its partition taken as the estimate", job.line);
      return limit;
    }
    report.adjust("no time limit, run time taken as the estimate", job.line);
    return job.run_time;
  }

 private:
  Seconds longest_ = 0;
  std::unordered_map<std::string, Seconds> by_partition_;
};

double memory_of(const SacctJob& job, MemoryNeed need) {
  switch (need) {
    case MemoryNeed::kRequested:
      return job.requested_mib >= 0 ? job.requested_mib : job.used_mib;
    case MemoryNeed::kUsed:
      return job.used_mib >= 0 ? job.used_mib : job.requested_mib;
    case MemoryNeed::kLarger:
      break;
  }
  return std::max(job.requested_mib, job.used_mib);
}

}  // namespace

Result<Machine> machine_by(const SacctLog& log, const SacctOptions& options) {
  return options.kinds.empty() ? machine_of(log, options.shape) : Result<Machine>(machine_of_kinds(options.kinds));
}

std::optional<double> cpu_efficiency(const SacctJob& job) {
  if (job.cpu_time <= 0 || job.run_time <= 0) return std::nullopt;
  return std::min(1.0, job.cpu_time / (job.run_time * job.cpus));
}

TaskShape task_shape(const SacctJob& job, int cores) {
  const int nodes = std::min(job.nodes, job.cpus);
  const auto usable = [&](int tasks) { return tasks >= 1 && job.cpus % tasks == 0 && job.cpus / tasks <= cores; };
  for (const int tasks : {std::min(std::max(job.tasks, nodes), job.cpus), nodes}) {
    if (usable(tasks)) return {tasks, job.cpus / tasks};
  }
  return {job.cpus, 1};
}

namespace {

// Numbers names from 1 in order of appearance; -1 for an empty name.
class Numbers {
 public:
  std::int32_t of(const std::string& name) {
    if (name.empty()) return -1;
    return numbers_.try_emplace(name, static_cast<std::int32_t>(numbers_.size()) + 1).first->second;
  }
  // By number.
  std::vector<std::string> names() const {
    std::vector<std::string> all(numbers_.size());
    for (const auto& [name, number] : numbers_) all[static_cast<std::size_t>(number) - 1] = name;
    return all;
  }

 private:
  std::map<std::string, std::int32_t> numbers_;
};

}  // namespace

Result<SwfWorkload> sacct_instance(const SacctLog& log, const std::string& name, const SacctOptions& options) {
  const Result<Machine> machine = machine_by(log, options);
  if (!machine) return tl::unexpected(machine.error());
  const NodeShape& shape = machine->shape;
  SwfWorkload workload{{}, log.report};
  Instance& instance = workload.instance;
  ReadReport& report = workload.report;
  instance.name = name;
  instance.platform = machine->platform();
  instance.platform.licences = licences_of(log, options.licences);
  const PlatformFit fit(instance.platform);
  const Limits limits(log);
  const Seconds origin = log.jobs.front().submit;
  const std::int64_t cpus = machine->cpus();

  instance.jobs.reserve(log.jobs.size());
  Numbers users;
  for (const SacctJob& from : log.jobs) {
    const bool with_gpus = from.gpus > 0 && instance.platform.rigid_dims > kGpus;
    const TaskShape tasks = with_gpus ? TaskShape{from.nodes, 0} : task_shape(from, shape.cores);
    Job job;
    job.id = static_cast<JobId>(from.number);
    job.submit = from.submit - origin;
    job.user = static_cast<std::uint32_t>(std::max(0, users.of(from.user)));
    job.tasks = tasks.tasks;
    job.cpu_need = (with_gpus ? static_cast<double>(from.cpus) / from.nodes : tasks.cpus) / shape.cores;
    if (with_gpus) job.rigid[kGpus] = (from.gpus + from.nodes - 1) / from.nodes;
    if (options.cpu_need == CpuNeed::kMeasured) {
      if (const auto efficiency = cpu_efficiency(from)) {
        job.cpu_need *= std::max(*efficiency, kLeastEfficiency);
      } else {
        report.adjust("CPU time not known, taken as using all its CPUs", from.line);
      }
    }
    job.cpu_need = std::max(job.cpu_need, kLeastNeed);
    if (shape.memory_mib > 0) {
      const double memory = memory_of(from, options.memory_need);
      if (memory < 0) {
        report.adjust("neither requested nor used memory known, none taken", from.line);
      } else {
        // Rounded down, so that the tasks that shared a node still fit on it.
        job.rigid[kMemory] = static_cast<RigidAmount>(std::floor(memory / tasks.tasks));
      }
    }
    job.run_time = from.run_time;
    job.estimate = from.run_time;
    if (from.checkpoints) job.pauses = PauseEffect::kept;
    if (options.estimates == SwfEstimates::kTrace)
      job.estimate = std::min(limits.estimate(from, report), kMaxTraceSeconds);
    tl::expected<void, std::string> fits = fit.check(job);
    if (from.cpus > cpus) fits = tl::unexpected(fmt::format("{} CPUs, but the machine has {}", from.cpus, cpus));
    if (const auto licences = licence_set_of(from.licences, instance.platform)) {
      job.licences = instance.platform.licence_set(*licences);
    } else if (fits) {
      fits = tl::unexpected(licences.error());
    }
    if (fits) {
      instance.jobs.push_back(job);
    } else if (options.lenient) {
      report.skip("larger than the machine", from.line);
    } else {
      return input_error(
          fmt::format("{}:{}: job {} is larger than the machine: {}", log.source, from.line, from.id, fits.error()));
    }
  }
  if (instance.jobs.empty()) {
    return input_error(fmt::format("{}: every job is larger than the machine of {} nodes with {} CPUs each", log.source,
                                   shape.nodes, shape.cores));
  }
  return workload;
}

namespace {

// Field 11 of SWF 2.2.
std::int32_t swf_status(const std::string& state) {
  if (state == "COMPLETED") return 1;
  if (state == "CANCELLED" || state == "PREEMPTED") return 5;
  return 0;
}

}  // namespace

SwfLog sacct_swf(const SacctLog& log, const NodeShape& shape, std::string_view importer) {
  SwfLog swf;
  swf.source = log.source;
  swf.report = log.report;
  const auto origin = static_cast<std::int64_t>(std::floor(log.jobs.front().submit));
  Numbers users, groups, queues, partitions;
  for (const SacctJob& job : log.jobs) {
    SwfRecord record;
    record.job = job.number;
    record.submit = job.submit - static_cast<double>(origin);
    record.wait = job.start >= 0 ? job.start - job.submit : -1;
    record.run_time = job.run_time;
    record.processors_allocated = job.cpus;
    if (job.cpu_time > 0) record.cpu_time = job.cpu_time / job.cpus;
    if (job.used_mib >= 0) record.memory_used = std::ceil(job.used_mib * 1024 / job.cpus);
    record.processors_requested = job.requested_cpus;
    if (job.limit_kind == LimitKind::kTime) record.time_requested = job.limit;
    if (job.requested_mib >= 0) record.memory_requested = std::floor(job.requested_mib * 1024 / job.cpus);
    record.status = swf_status(job.state);
    record.user = users.of(job.user);
    record.group = groups.of(job.group);
    record.queue = queues.of(job.qos);
    record.partition = partitions.of(job.partition);
    record.line = job.line;
    swf.records.push_back(record);
  }
  const auto field = [&](std::string name, std::string value) {
    swf.header.fields.push_back({std::move(name), std::move(value)});
  };
  const Seconds last = log.jobs.back().submit;
  field("Version", "2.2");
  field("Conversion", fmt::format("dfrs-sim import {}", importer));
  field("MaxJobs", std::to_string(log.jobs.size()));
  field("MaxRecords", std::to_string(log.jobs.size()));
  field("UnixStartTime", std::to_string(origin));
  field("TimeZoneString", "UTC");
  field("StartTime", format_instant(static_cast<Seconds>(origin)));
  field("EndTime", format_instant(last));
  field("MaxNodes", std::to_string(shape.nodes));
  field("MaxProcs", std::to_string(std::int64_t{shape.nodes} * shape.cores));
  if (shape.memory_mib > 0) field("MaxMemory", std::to_string(shape.memory_mib * 1024));
  field("Note",
        "run time, CPUs and memory are of a job's last run; jobs that had not ended or never started are left out");
  const auto list = [&](const char* name, const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < names.size(); ++k) field(name, fmt::format("{} {}", k + 1, names[k]));
  };
  list("Queue", queues.names());
  list("Partition", partitions.names());
  swf.header.unix_start_time = origin;
  swf.header.max_nodes = shape.nodes;
  swf.header.max_procs = std::int64_t{shape.nodes} * shape.cores;
  return swf;
}

}  // namespace dfrs::sim
