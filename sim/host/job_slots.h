// SPDX-License-Identifier: GPL-2.0-or-later
// The jobs in the simulated system, each in a slot: what policies may know about it, and what only the simulator knows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/node_lists.h"
#include "policy/core/view.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// What policies must not see: a job's true run time and CPU use.
struct TrueJob {
  std::uint32_t index = 0;  ///< in Instance::jobs
  Seconds run_time = 0;
  double cpu_need = 0;
};

class JobSlots {
 public:
  /// With `reuse`, a slot becomes free after the engine call that reports its job's end, so memory here and in the
  /// policy grows with the jobs in the system and not with the log. Otherwise a job's slot is its index, by which
  /// observers identify jobs.
  JobSlots(const Instance& instance, bool reuse);

  /// Puts a job of the instance into a slot. Call this in the order of the jobs. Amortised O(1).
  JobSlot submit(std::size_t index);
  /// Removes the job from the system. Its slot still shows it, with state absent. O(1).
  void complete(JobSlot job);
  /// Frees the slots of jobs that these events report as completed, if slots are reused.
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
  /// The earliest submitted job in the system, which must not be empty. O(slots).
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
