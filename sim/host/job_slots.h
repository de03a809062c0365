// SPDX-License-Identifier: GPL-2.0-or-later
// The jobs that are in the simulated system, each in a slot: what policies may know of it, and what only the simulator
// knows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/node_lists.h"
#include "policy/core/view.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// What a job's view must not tell: how long it really runs and how much CPU it really uses.
struct TrueJob {
  std::uint32_t index = 0;  ///< in Instance::jobs
  Seconds run_time = 0;
  double cpu_need = 0;
};

class JobSlots {
 public:
  /// True with `reuse`: a slot is free again when the call that reports its job's end is over. Memory, here and in the
  /// policy, then grows with the jobs in the system at a time and not with the log. Else a job's slot is its index:
  /// observers know jobs by it, and sums over the jobs of a call keep their order.
  JobSlots(const Instance& instance, bool reuse);

  /// Gives the instance's next job a slot. Amortised O(1).
  JobSlot submit(std::size_t index);
  /// The job leaves the system; its slot still shows it, with state absent. O(1).
  void complete(JobSlot job);
  /// Frees the slots of jobs that these events report as completed, where slots are reused.
  void free_completed(std::span<const Event> events);

  /// Sets the nodes of a job, ascending. O(tasks).
  void place(JobSlot job, std::span<const NodeIndex> nodes) {
    std::vector<NodeIndex>& list = nodes_[job];
    spare_.reuse_for(list);
    list.assign(nodes.begin(), nodes.end());
    views_[job].nodes = list;
  }

  JobView& view(JobSlot job) { return views_[job]; }
  const std::vector<JobView>& views() const { return views_; }
  const TrueJob& truth(JobSlot job) const { return truths_[job]; }
  Estimates estimates() const { return {estimates_, reserved_starts_}; }
  std::size_t jobs_in_system() const { return in_system_; }
  /// The job submitted first of those in the system, of which there must be one. O(slots).
  const Job& first_in_system() const;

 private:
  void add_slots(std::size_t count);
  JobSlot take_slot(std::size_t index);

  const Instance& instance_;
  bool reuse_;
  std::vector<JobView> views_;
  std::vector<TrueJob> truths_;
  std::vector<std::vector<NodeIndex>> nodes_;
  std::vector<Seconds> estimates_;
  bool reservations_ = false;             // some job has an advance reservation
  std::vector<Seconds> reserved_starts_;  // empty unless reservations_
  std::vector<JobSlot> free_;
  NodeLists spare_;  // of jobs that have completed
  std::size_t in_system_ = 0;
};

}  // namespace dfrs::sim
