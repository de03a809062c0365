// SPDX-License-Identifier: GPL-2.0-or-later
// Sets of instances that Triage is evaluated on.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/instance.h"
#include "sim/reproduce/campaign_plan.h"
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim::triage_study {

struct InstanceSet : PlannedSet {
  std::string sentence;            ///< which instances, for a note
  std::vector<std::size_t> weeks;  ///< of a log: the number of each instance's week; else empty

  bool empty() const { return size == 0; }
};

/// Lublin seeds that rules and constants were chosen on begin here; those of the evaluation are below.
inline constexpr std::uint64_t kTrainingSeed = 1001;
/// So were every third of HPC2N's weeks, from the first.
inline constexpr std::size_t kTrainingWeeks = 3;
inline bool is_training_week(std::size_t week) { return week % kTrainingWeeks == 0; }

/// A log of a machine with a processor per node and without memory data.
struct PlainLog {
  std::string_view part;  ///< the part that shows it
  std::string_view name;
  int nodes;
};

/// What makes sets, with the logs that were read so far.
class Sets {
 public:
  /// `options` must outlive this.
  explicit Sets(const ReproduceOptions& options) : options_(options) {}

  /// HPC2N's weeks 0, step, 2 step ...; empty without the log. Options' number of instances spreads over these.
  InstanceSet weeks(std::size_t step = 1);
  /// Weeks of a log, memory drawn by the Lublin model (sim/workload/memory_model.h); empty without the log.
  InstanceSet weeks_of(const PlainLog& log);
  /// HPC2N's weeks on 4 nodes of 64 processors, a task per processor with the log's memory.
  InstanceSet wide_weeks(std::size_t step);
  /// Generated workloads of the seeds from `seed` (of the options, if 0); as they are, or scaled to a load. `cores`: of
  /// a node, of which a one-task job uses one.
  InstanceSet lublin(std::size_t count, double load = 0, std::uint64_t seed = 0, int cores = 4) const;

  const ReproduceOptions& options() const { return options_; }

 private:
  const std::vector<Instance>& log_weeks(std::string_view name, const std::function<std::vector<Instance>()>& read);
  InstanceSet some_weeks(const std::string& name, std::string_view log, std::size_t step,
                         const std::vector<Instance>& all) const;
  std::size_t count(std::size_t usual) const { return options_.instances == 0 ? usual : options_.instances; }

  const ReproduceOptions& options_;
  std::map<std::string, std::vector<Instance>, std::less<>> read_;
};

/// The set with each instance changed; `name` tells it from the others.
InstanceSet changed(const InstanceSet& set, const std::string& name, std::function<void(Instance&)> change);

/// Memory per task multiplied, by whole MiB, up to what all tasks of a job can have at once.
void multiply_memory(Instance& instance, double factor);
/// CPU needs multiplied, up to a node.
void multiply_needs(Instance& instance, double factor);
/// One user's flood: 2,000 jobs of a task and ten minutes, one each 1.8 s, from the middle job's submission on. They
/// need a quarter of a node's CPU and this part of its memory.
void flood(Instance& instance, double memory);

}  // namespace dfrs::sim::triage_study
