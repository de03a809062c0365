// SPDX-License-Identifier: GPL-2.0-or-later
// What a run did with its jobs, for timelines and exports: where each job was placed, when, and at which yields.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "policy/core/resources.h"
#include "policy/core/units.h"

namespace dfrs::timeline {

/// How a stay on nodes began.
enum class StayBegin : std::uint8_t { start, resume, move, already };
/// How it ended. `open`: it lasted beyond the end of the run or record.
enum class StayEnd : std::uint8_t { completed, paused, moved, open };

/// A time that a job spent on the same nodes.
struct Stay {
  std::uint32_t job = 0;  ///< in Schedule::jobs
  Seconds from = 0;
  Seconds served = 0;  ///< end of the penalty; `from` without one
  Seconds to = 0;
  StayBegin begin = StayBegin::start;
  StayEnd end = StayEnd::open;
  std::size_t first_node = 0;  ///< the tasks' nodes are Schedule::nodes[first_node, first_node + node_count)
  std::uint32_t node_count = 0;
  std::size_t first_step = 0;  ///< the yields are Schedule::steps[first_step, first_step + step_count)
  std::uint32_t step_count = 0;
};

/// From `at` on the job has this yield.
struct YieldStep {
  Seconds at = 0;
  double yield = 0;
};

struct ScheduleJob {
  JobId id = 0;
  std::uint32_t user = 0;  ///< JobView::user; 0: not known
  Seconds submit = 0;
  Seconds end = -1;  ///< negative: had not ended
  std::uint32_t tasks = 1;
  double cpu_need = 1;
  double memory = 0;      ///< of one task, MiB
  Seconds run_time = -1;  ///< at full speed; negative: not known
};

struct Schedule {
  std::string algorithm;
  std::vector<double> node_cpu;
  std::vector<std::string> node_names;  ///< empty: nodes have numbers only
  std::vector<double> node_memory;      ///< MiB
  std::vector<ScheduleJob> jobs;
  std::vector<Stay> stays;  ///< by `from`
  std::vector<NodeIndex> nodes;
  std::vector<YieldStep> steps;
  /// By job, what happened to it: lines of seconds, a tab, and a sentence. Empty: not known.
  std::vector<std::string> told;
  Seconds begin = 0;
  Seconds end = 0;
  /// Where the cluster is: its local time less UTC, in seconds. Nothing: instants are told in UTC.
  std::optional<int> utc_offset;

  std::span<const NodeIndex> nodes_of(const Stay& stay) const {
    return std::span(nodes).subspan(stay.first_node, stay.node_count);
  }
  std::span<const YieldStep> steps_of(const Stay& stay) const {
    return std::span(steps).subspan(stay.first_step, stay.step_count);
  }
};

}  // namespace dfrs::timeline
