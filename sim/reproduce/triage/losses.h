// SPDX-License-Identifier: GPL-2.0-or-later
// The worst-served jobs of a run, and where their time went.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/instance.h"
#include "sim/metrics/job_times.h"

namespace dfrs::sim::triage_study {

enum class Cause : std::uint8_t { to_start, paused, penalty, shared };
inline constexpr std::array<std::string_view, 4> kCauses{"waits to start", "paused", "penalty", "shares CPU"};

/// The cause of most of the lost time; the first of equal causes.
Cause main_cause(const JobTimes& times);
/// Seconds lost to this cause.
Seconds lost_by(const JobTimes& times, Cause cause);

/// Three classes each, numbered from 0.
int memory_class(const Job& job, const Platform& platform);  ///< up to 10 %, 50 % of a node's memory, more
int width_class(const Job& job);                             ///< one task, up to 16, more
int length_class(const Job& job);                            ///< run time up to a minute, an hour, longer
inline constexpr std::array<std::string_view, 3> kMemoryClasses{"memory to 10 %", "memory to 50 %", "memory over 50 %"};
inline constexpr std::array<std::string_view, 3> kWidthClasses{"1 task", "2 to 16 tasks", "over 16 tasks"};
inline constexpr std::array<std::string_view, 3> kLengthClasses{"to 1 min", "to 1 h", "over 1 h"};

struct Loser {
  Job job;
  double stretch = 1;
  double memory = 0;  ///< per task, as a fraction of a node's
  JobTimes times;
  Cause cause = Cause::to_start;
  std::array<int, 3> classes{};  ///< memory, width, length
};

struct Losses {
  std::string instance;
  std::vector<Loser> worst;  ///< the worst job in a hundred, at least one, by decreasing stretch
  std::array<std::array<std::size_t, 3>, 3> jobs{};  ///< all jobs of the instance by class: memory, width, length
};

/// Simulates the instance. Nodes must be identical. Errors: those of simulate().
Result<Losses> losses_of(const Instance& instance, std::string_view algorithm, const SimOptions& options);

}  // namespace dfrs::sim::triage_study
