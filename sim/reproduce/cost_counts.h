// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the pauses and moves of one simulation in several ways at once. The papers say little about how they counted.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "sim/host/simulation.h"

namespace dfrs::sim {

enum class Counting : std::size_t {
  job,               ///< a job once per decision, as RR-7659 says (section 6.3)
  task,              ///< each task that is paused or changes nodes
  node,              ///< each node that a job leaves by a pause, or enters by a move
  moves_are_pauses,  ///< a move also counts as a pause, since it is carried out as pause and resume (section 5.1)
  resumes,           ///< a resume counts as another pause, and its memory is read again
  instant,           ///< what an instant as a whole changed, whatever its decisions undid
  held,              ///< a pause for each job without nodes after a decision, whether it ran before or not
  in_order,          ///< moved memory: task by task in the order of the nodes, not as a multiset
  whole_job,         ///< moved memory: all of the job's tasks
};
inline constexpr std::size_t kCountings = 9;

struct CostCount {
  double pauses = 0;
  double moves = 0;
  double paused_mib = 0;
  double moved_mib = 0;
};

/// Counts during a simulation. Requires that a job's slot is its index. Call finish() after it.
class CostCounter final : public StepObserver {
 public:
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;
  void finish();
  const CostCount& count(Counting counting) const { return counts_[static_cast<std::size_t>(counting)]; }

 private:
  using Nodes = std::vector<NodeIndex>;
  struct Change {
    double task_mib = 0;
    Nodes before;  // nodes at the beginning of the instant; empty without
    Nodes after;
  };
  CostCount& of(Counting counting) { return counts_[static_cast<std::size_t>(counting)]; }
  void count_pause(const JobView& job, double task_mib);
  void count_move(const JobView& job, std::span<const NodeIndex> nodes, double task_mib);

  std::array<CostCount, kCountings> counts_{};
  std::map<JobSlot, Change> instant_;  // jobs that changed at now_
  Seconds now_ = -1;
};

}  // namespace dfrs::sim
