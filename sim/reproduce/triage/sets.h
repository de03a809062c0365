// SPDX-License-Identifier: GPL-2.0-or-later
// The sets of instances for the evaluation of Triage.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/errors.h"
#include "sim/host/instance.h"
#include "sim/reproduce/campaign_plan.h"
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim::triage_study {

struct InstanceSet : PlannedSet {
  std::string sentence;            ///< describes the instances, for a note
  std::vector<std::size_t> weeks;  ///< for a log, the number of each instance's week; else empty

  bool empty() const { return size == 0; }
};

/// First of the Lublin seeds on which rules and constants were chosen; seeds of the evaluation are below.
inline constexpr std::uint64_t kTrainingSeed = 1001;
/// Rules and constants were also chosen on every third week of HPC2N, from the first.
inline constexpr std::size_t kTrainingWeeks = 3;
inline bool is_training_week(std::size_t week) { return week % kTrainingWeeks == 0; }

/// A log without memory data, of a machine with one processor per node.
struct PlainLog {
  std::string_view part;  ///< the part that shows it
  std::string_view name;
  int nodes;
};

/// Makes sets, and caches the logs read so far. A log that cannot be read gives an empty set, and error().
class Sets {
 public:
  /// `options` must outlive this.
  explicit Sets(const ReproduceOptions& options) : options_(options) {}

  /// HPC2N's weeks 0, step, 2 step ...; empty without the log. The number of instances in the options is spread evenly
  /// over these.
  InstanceSet weeks(std::size_t step = 1);
  /// All of them with the time limits that users asked for; only batch policies see these.
  InstanceSet weeks_with_limits();
  /// Weeks of a log, with memory drawn from the Lublin model (sim/workload/memory_model.h); empty without the log.
  InstanceSet weeks_of(const PlainLog& log);
  /// HPC2N's weeks on 4 nodes of 64 processors, with a task per processor and the log's memory.
  InstanceSet wide_weeks(std::size_t step);
  /// Generated workloads with seeds from `seed` (0: from the options), unscaled (`load` 0) or scaled to a load.
  /// `cores`: per node; a one-task job uses one.
  InstanceSet lublin(std::size_t count, double load = 0, std::uint64_t seed = 0, int cores = 4) const;

  const ReproduceOptions& options() const { return options_; }
  /// Of the first log that could not be read; nothing: all is well.
  const std::optional<Error>& error() const { return error_; }

 private:
  const std::vector<Instance>& log_weeks(std::string_view name,
                                         const std::function<Result<std::vector<Instance>>()>& read);
  InstanceSet some_weeks(const std::string& name, std::string_view log, std::size_t step,
                         const std::vector<Instance>& all) const;
  std::size_t count(std::size_t usual) const { return options_.instances == 0 ? usual : options_.instances; }

  const ReproduceOptions& options_;
  std::map<std::string, std::vector<Instance>, std::less<>> read_;
  std::optional<Error> error_;
};

/// A set with each instance changed; `name` distinguishes it from others.
InstanceSet changed(const InstanceSet& set, const std::string& name, std::function<void(Instance&)> change);

/// Multiplies memory per task, in whole MiB, up to what all tasks of a job can have at once.
void multiply_memory(Instance& instance, double factor);
/// Multiplies CPU needs, up to a node.
void multiply_needs(Instance& instance, double factor);
/// Adds a flood by user 1: 2,000 one-task jobs of ten minutes, one every 1.8 s from the middle job's submission. Each
/// needs a quarter of a node's CPU and this fraction of its memory.
void flood(Instance& instance, double memory);

}  // namespace dfrs::sim::triage_study
