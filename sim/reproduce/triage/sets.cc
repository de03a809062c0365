// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/triage/sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/reproduce/lublin_set.h"
#include "sim/reproduce/rr7659_experiments.h"
#include "sim/workload/load.h"
#include "sim/workload/memory_model.h"

namespace dfrs::sim::triage_study {
namespace {

constexpr int kWideNodes = 4;  // HPC2N's 240 processors as nodes of 64
constexpr int kWideCores = 64;
constexpr RigidAmount kWideMemory = 65536;  // a GiB per processor, as in the machine
constexpr RigidAmount kLeastMemory = 102;   // per task: 10 % of that, as in the published annotation

constexpr int kFloodJobs = 2000;
constexpr Seconds kFloodLength = 3600;
constexpr Seconds kFloodRunTime = 600;
constexpr double kFloodNeed = 0.25;
constexpr std::uint32_t kFloodUser = 1;

std::vector<Instance> take_instances(Loaded&& loaded) { return std::move(loaded.instances); }

}  // namespace

const std::vector<Instance>& Sets::log_weeks(std::string_view name,
                                             const std::function<Result<std::vector<Instance>>()>& read) {
  if (const auto known = read_.find(name); known != read_.end()) return known->second;
  Result<std::vector<Instance>> weeks = read();
  if (!weeks && !error_) error_ = weeks.error();
  return read_.emplace(name, std::move(weeks).value_or(std::vector<Instance>{})).first->second;
}

InstanceSet Sets::some_weeks(const std::string& name, std::string_view log, std::size_t step,
                             const std::vector<Instance>& all) const {
  InstanceSet set;
  set.name = name;
  std::vector<std::size_t> usual;
  for (std::size_t week = 0; week < all.size(); week += step) usual.push_back(week);
  for (const std::size_t k : rr7659::spread(count(usual.size()), usual.size())) set.weeks.push_back(usual[k]);
  set.size = set.weeks.size();
  set.sentence = set.size == all.size()
                     ? fmt::format("{}: all {} weeks with jobs.", log, all.size())
                     : fmt::format("{}: {} of {} weeks, spread evenly over the log.", log, set.size, all.size());
  set.make = [&all, weeks = set.weeks] {
    std::vector<Instance> chosen;
    for (const std::size_t week : weeks) chosen.push_back(all[week]);
    return chosen;
  };
  return set;
}

InstanceSet Sets::weeks(std::size_t step) {
  const std::string path = find_log(options_, rr7659::kLog);
  if (path.empty()) return {};
  const std::vector<Instance>& all = log_weeks(rr7659::kLog, [&] {
    LoadOptions options;
    options.annotation = SwfAnnotation::kMemory;
    options.weeks = true;
    return load_instances(path, options).map(&take_instances);
  });
  return some_weeks(fmt::format("hpc2n, every {}", step), "HPC2N", step, all);
}

InstanceSet Sets::weeks_with_limits() {
  const std::string path = find_log(options_, rr7659::kLog);
  if (path.empty()) return {};
  const std::vector<Instance>& all = log_weeks("limits", [&] {
    LoadOptions options;
    options.annotation = SwfAnnotation::kMemory;
    options.weeks = true;
    options.conventions.estimates = SwfEstimates::kTrace;
    return load_instances(path, options).map(&take_instances);
  });
  return some_weeks("hpc2n with limits, every 1", "HPC2N", 1, all);
}

InstanceSet Sets::wide_weeks(std::size_t step) {
  const std::string path = find_log(options_, rr7659::kLog);
  if (path.empty()) return {};
  const std::vector<Instance>& all = log_weeks("wide", [&] {
    LoadOptions options;
    options.processors = {kWideNodes, kWideCores, kWideMemory, false};
    options.weeks = true;
    return load_instances(path, options).map([](Loaded&& loaded) {
      for (Instance& week : loaded.instances) {
        for (Job& job : week.jobs) {
          const RigidAmount least = std::max(job.rigid[kMemory], kLeastMemory);
          job.rigid[kMemory] = std::min(least, most_memory(job, week.platform));
        }
      }
      return std::move(loaded.instances);
    });
  });
  return some_weeks(fmt::format("hpc2n wide, every {}", step), "HPC2N", step, all);
}

InstanceSet Sets::weeks_of(const PlainLog& log) {
  const std::string path = find_log(options_, log.name);
  if (path.empty()) return {};
  const std::vector<Instance>& all = log_weeks(log.name, [&] {
    LoadOptions options;
    options.processors.nodes = log.nodes;
    options.processors.lenient = true;  // some jobs requested more than the machine has
    options.memory_model = MemoryModel{};
    options.weeks = true;
    return load_instances(path, options).map(&take_instances);
  });
  return some_weeks(std::string(log.name), log.name, 1, all);
}

InstanceSet Sets::lublin(std::size_t usual, double load, std::uint64_t seed, int cores) const {
  const std::uint64_t first = seed == 0 ? options_.seed : seed;
  InstanceSet set;
  set.size = count(usual);
  set.name = fmt::format("lublin {} from {}, load {}, {} cores", set.size, first, load, cores);
  set.sentence = fmt::format("Lublin: {} workloads of the seeds {} to {}{}.", set.size, first, first + set.size - 1,
                             load > 0 ? fmt::format(" scaled to a load of {}", load) : " as they are");
  set.make = [=, size = set.size] {
    LublinOptions options;
    options.cores = cores;
    return lublin_set(options, first, size, load);
  };
  return set;
}

InstanceSet changed(const InstanceSet& set, const std::string& name, std::function<void(Instance&)> change) {
  InstanceSet other = set;
  other.name += ", " + name;
  other.make = [make = set.make, change = std::move(change)] {
    return make().map([&](std::vector<Instance> instances) {
      for (Instance& instance : instances) change(instance);
      return instances;
    });
  };
  return other;
}

void multiply_memory(Instance& instance, double factor) {
  for (Job& job : instance.jobs) {
    const auto wanted = static_cast<RigidAmount>(std::llround(static_cast<double>(job.rigid[kMemory]) * factor));
    job.rigid[kMemory] = std::min(wanted, std::max(job.rigid[kMemory], most_memory(job, instance.platform)));
  }
}

void multiply_needs(Instance& instance, double factor) {
  for (Job& job : instance.jobs) job.cpu_need = std::min(1.0, job.cpu_need * factor);
}

void flood(Instance& instance, double memory) {
  const Seconds start = instance.jobs[instance.jobs.size() / 2].submit;
  JobId id = 0;
  for (const Job& job : instance.jobs) id = std::max(id, job.id);
  for (int k = 0; k < kFloodJobs; ++k) {
    Job job;
    job.id = ++id;
    job.submit = start + k * (kFloodLength / kFloodJobs);
    job.cpu_need = kFloodNeed;
    job.run_time = job.estimate = kFloodRunTime;
    job.user = kFloodUser;
    job.rigid[kMemory] = std::llround(memory * static_cast<double>(instance.platform.nodes.front().rigid[kMemory]));
    instance.jobs.push_back(job);
  }
  std::stable_sort(instance.jobs.begin(), instance.jobs.end(),
                   [](const Job& a, const Job& b) { return a.submit < b.submit; });
}

}  // namespace dfrs::sim::triage_study
