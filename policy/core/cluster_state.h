// SPDX-License-Identifier: GPL-2.0-or-later
// The engine's working picture of the cluster: what each node holds and where each job is. Policies change it; at the
// end of a call the engine turns the difference into decisions, or rolls it back.
//
// Cost: place() and remove() are O(tasks); everything else per call is proportional to what was touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/node_lists.h"
#include "policy/core/nodes_by_load.h"
#include "policy/core/view.h"

namespace dfrs {

class ClusterState {
 public:
  /// Forget everything and take nodes and running jobs from the view. O(nodes + jobs + tasks).
  void resync(const ClusterView& view);
  /// Make room for the slots of a view that has grown.
  void grow(std::size_t slots) {
    if (slots > jobs_.size()) jobs_.resize(slots);
  }
  /// A new job, waiting. Submission order is the order of these calls.
  void add(JobSlot job);
  /// A job is gone: frees what it holds. Not undone by rollback().
  void drop(JobSlot job, const JobView& spec);

  /// The CPU need of one task of a job is greater by `more` (or less) from now on. O(tasks).
  void change_need(JobSlot job, double more);

  /// Start recording changes.
  void begin() {
    for (JobSlot job : touched_) jobs_[job].touch_index = kUntouched;
    touched_.clear();
  }
  /// Undo all place() and remove() calls since begin().
  void rollback(const ClusterView& view);

  /// Put the job's tasks on these nodes (ascending). The job must not be placed; capacities are the caller's care.
  void place(JobSlot job, const JobView& spec, std::span<const NodeIndex> nodes);
  /// Take the job off its nodes.
  void remove(JobSlot job, const JobView& spec);

  bool placed(JobSlot job) const { return !jobs_[job].nodes.empty(); }
  std::span<const NodeIndex> nodes_of(JobSlot job) const { return jobs_[job].nodes; }
  /// Where the job was at begin(); the present nodes if it was not touched since.
  std::span<const NodeIndex> nodes_before(JobSlot job) const {
    return jobs_[job].touch_index == kUntouched ? nodes_of(job)
                                                : std::span<const NodeIndex>(before_[jobs_[job].touch_index]);
  }
  /// Whether the job is on the nodes where it was at begin(). O(1) if it was not touched since, else O(its tasks).
  bool on_nodes_before(JobSlot job) const {
    if (jobs_[job].touch_index == kUntouched) return true;
    const std::span<const NodeIndex> before = nodes_before(job);
    const std::span<const NodeIndex> now = nodes_of(job);
    return std::equal(before.begin(), before.end(), now.begin(), now.end());
  }
  /// Jobs that place() or remove() was called on since begin(), in that order.
  std::span<const JobSlot> touched() const { return touched_; }

  /// Nodes whose load, tasks or free resources changed since forget_changes(), each once, in no particular order.
  /// After resync() there are none: everything may have changed.
  std::span<const NodeIndex> changed_nodes() const { return {changed_nodes_.data(), changed_}; }
  void forget_changes() {
    for (NodeIndex n : changed_nodes()) node_changed_[n] = 0;
    changed_ = 0;
  }

  /// All jobs in the system, in submission order. O(1), or O(jobs) where some have gone since it was last asked for.
  std::span<const JobSlot> active() const {
    if (gone_ != 0) close_gaps();
    return active_;
  }
  /// Position of a job in the submission order.
  std::uint64_t order(JobSlot job) const { return jobs_[job].order; }

  /// Changes with every change of jobs or placements: equal versions mean the same state.
  std::uint64_t version() const { return version_; }

  std::size_t node_count() const { return cpu_capacity_.size(); }
  std::size_t rigid_dims() const { return rigid_dims_; }
  /// True if all nodes are equal and usable: the papers' case, for which algorithms may take a shorter way.
  bool homogeneous() const { return homogeneous_; }
  double cpu_capacity(NodeIndex n) const { return cpu_capacity_[n]; }
  /// Sum of the CPU needs of the tasks on the node (not of their allocations).
  double cpu_load(NodeIndex n) const { return cpu_load_[n]; }
  const RigidVector& rigid_capacity(NodeIndex n) const { return rigid_capacity_[n]; }
  const RigidVector& rigid_free(NodeIndex n) const { return rigid_free_[n]; }
  std::uint32_t task_count(NodeIndex n) const { return task_count_[n]; }
  bool usable(NodeIndex n) const { return usable_[n] != 0; }
  /// True if a job that wants its nodes alone is on the node.
  bool held_exclusively(NodeIndex n) const { return exclusive_tasks_[n] != 0; }

  /// The nodes in the order of their load, where that is worth its while: NodesByLoad::orders().
  std::span<const NodesByLoad::Order> nodes_by_load() const {
    return by_load_.orders({cpu_capacity_, cpu_load_, rigid_free_, usable_, exclusive_tasks_});
  }

  /// How many tasks of the job the node could take now: rigid resources, eligibility, exclusiveness; CPU does not
  /// limit (it is overloaded instead, RR-7659 section 2.2).
  std::uint32_t room_for(const JobView& job, NodeIndex n) const;
  /// How many it could take if nothing else were there: 0 if none ever, because the node is not usable, not eligible or
  /// too small; at most the job's tasks.
  std::uint32_t room_alone(const JobView& job, NodeIndex n) const;

 private:
  static constexpr std::uint32_t kUntouched = ~std::uint32_t{0};

  /// One task of the job fits into the room.
  bool holds_one(const RigidVector& room, const JobView& job) const;
  /// How many do, given that one does; at most the job's tasks.
  std::uint32_t holds(const RigidVector& room, const JobView& job) const;

  void enter(JobSlot job);
  void close_gaps() const;
  void touch(JobSlot job);
  void occupy(const JobView& spec, std::span<const NodeIndex> nodes);
  void release(const JobView& spec, std::span<const NodeIndex> nodes);
  // Lists the node after the first `changed`, and returns how many are listed then. Without a branch: a node that is
  // listed already is overwritten by the next.
  std::size_t note_change(NodeIndex n, std::size_t changed) {
    changed_nodes_[changed] = n;
    changed += 1 - node_changed_[n];
    node_changed_[n] = 1;
    return changed;
  }

  std::vector<double> cpu_capacity_;
  std::vector<double> cpu_load_;
  std::vector<RigidVector> rigid_capacity_;
  std::vector<RigidVector> rigid_free_;
  std::vector<std::uint32_t> task_count_;
  std::vector<std::uint32_t> exclusive_tasks_;
  std::vector<std::uint8_t> usable_;
  std::vector<std::uint32_t> node_changed_;  // by node, 0 or 1: is in changed_nodes_
  std::vector<NodeIndex> changed_nodes_;     // the first changed_; there is room for one more than there are nodes
  std::size_t changed_ = 0;
  std::size_t rigid_dims_ = 1;
  bool homogeneous_ = true;

  mutable NodesByLoad by_load_;  // caught up with the rest when it is used

  // What is known of a slot, in one place: what happens to a job touches all of it, and thousands may wait in between.
  struct Slot {
    std::vector<NodeIndex> nodes;  // of its job, if it is placed
    std::uint64_t order = 0;
    std::uint32_t touch_index = kUntouched;  // in touched_ and before_
    bool present = false;                    // a job in the system has it
  };
  std::vector<Slot> jobs_;
  NodeLists spare_;  // of jobs that are gone
  std::uint64_t next_order_ = 0;

  // Jobs that have gone stay in the list until it is read, or until they are half of it: batch policies never
  // do, and to look for each of them would be most of what a completion costs here.
  mutable std::vector<JobSlot> active_;
  // Their orders. Where the slot has another one now, its job has gone.
  mutable std::vector<std::uint64_t> active_orders_;
  mutable std::size_t gone_ = 0;          // how many of them have gone
  mutable std::uint64_t first_gone_ = 0;  // the least of their orders
  std::uint64_t version_ = 0;

  std::vector<JobSlot> touched_;
  std::vector<std::vector<NodeIndex>> before_;  // placements at begin(), storage reused
};

}  // namespace dfrs
