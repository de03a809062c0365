// SPDX-License-Identifier: GPL-2.0-or-later
// The engine's working state of the cluster: what each node holds and where each job is. Policies change it; at the end
// of a call the engine turns the difference into decisions, or rolls it back.
//
// Cost: place() and remove() are O(tasks); everything else in a call is proportional to the jobs touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/distinct_nodes.h"
#include "policy/core/free_memory.h"
#include "policy/core/node_contents.h"
#include "policy/core/node_lists.h"
#include "policy/core/nodes_by_load.h"
#include "policy/core/reason.h"
#include "policy/core/view.h"

namespace dfrs {

class ClusterState {
 public:
  /// Takes nodes and running jobs from the view and forgets everything else. O(nodes + jobs log jobs + tasks).
  void resync(const ClusterView& view);
  /// Makes room for the slots of a view that has grown.
  void grow(std::size_t slots) {
    if (slots > jobs_.size()) jobs_.resize(slots);
  }
  /// Adds a waiting job. Submission order is the order of these calls.
  void add(JobSlot job);
  /// Removes a job that has left the system and frees what it holds. rollback() does not undo this.
  void drop(JobSlot job, const JobView& spec);

  /// Changes the CPU need of each task of the job by `more`, which may be negative. O(tasks).
  void change_need(JobSlot job, double more);

  /// Starts recording changes.
  void begin() {
    for (JobSlot job : touched_) jobs_[job].touch_index = kUntouched;
    touched_.clear();
  }
  /// Undoes all place() and remove() calls since begin().
  void rollback(const ClusterView& view);

  /// Puts the job's tasks on these nodes, in ascending order. The job must not be placed. Capacities are not checked.
  void place(JobSlot job, const JobView& spec, std::span<const NodeIndex> nodes);
  /// Takes the job off its nodes.
  void remove(JobSlot job, const JobView& spec);

  bool placed(JobSlot job) const { return !jobs_[job].nodes.empty(); }
  std::span<const NodeIndex> nodes_of(JobSlot job) const { return jobs_[job].nodes; }
  /// The job's nodes at begin().
  std::span<const NodeIndex> nodes_before(JobSlot job) const {
    return jobs_[job].touch_index == kUntouched ? nodes_of(job)
                                                : std::span<const NodeIndex>(before_[jobs_[job].touch_index]);
  }
  /// Whether the job is on the same nodes as at begin(). O(1) if it was not touched since, else O(its tasks).
  bool on_nodes_before(JobSlot job) const {
    if (jobs_[job].touch_index == kUntouched) return true;
    const std::span<const NodeIndex> before = nodes_before(job);
    const std::span<const NodeIndex> now = nodes_of(job);
    return std::equal(before.begin(), before.end(), now.begin(), now.end());
  }
  /// Whether the job runs and stays on its nodes. `spec` shows it as it was at begin(). O(its tasks) as above.
  bool stays(JobSlot job, const JobView& spec) const { return spec.state == JobState::running && on_nodes_before(job); }
  /// The jobs placed or removed since begin(), in the order of their first change.
  std::span<const JobSlot> touched() const { return touched_; }

  /// Nodes whose load, tasks or free resources have changed since forget_changes(), each once, in no particular order.
  /// Empty after resync(), although everything may have changed.
  std::span<const NodeIndex> changed_nodes() const { return {changed_nodes_.data(), changed_}; }
  void forget_changes() {
    for (NodeIndex n : changed_nodes()) node_changed_[n] = 0;
    changed_ = 0;
  }

  /// Where nodes go whose load, tasks or free resources change from now on; null: nobody wants them.
  void note_changes_into(DistinctNodes* nodes) { noted_ = nodes; }

  /// All jobs in the system, in submission order. O(1), or O(jobs) if jobs have left since the last call.
  std::span<const JobSlot> active() const {
    if (gone_ != 0) close_gaps();
    return active_;
  }
  /// Position of a job in the submission order.
  std::uint64_t order(JobSlot job) const { return jobs_[job].order; }

  /// Increases with every change of jobs or placements: equal versions mean equal states.
  std::uint64_t version() const { return version_; }

  /// Whether the host wants reasons. Numbers that only a reason needs are computed only then.
  bool explains() const { return reasons_ != nullptr; }
  /// States a reason, if the host wants them.
  void explain(const Reason& reason) const {
    if (reasons_ != nullptr) reasons_->push_back(reason);
  }
  /// Where reasons go; null: nobody wants them.
  void explain_into(std::vector<Reason>* reasons) { reasons_ = reasons; }

  std::size_t node_count() const { return cpu_capacity_.size(); }
  std::size_t rigid_dims() const { return rigid_dims_; }
  /// Whether all nodes are equal and usable. This is the papers' case, for which algorithms may take shortcuts.
  bool homogeneous() const { return homogeneous_; }
  double cpu_capacity(NodeIndex n) const { return cpu_capacity_[n]; }
  /// Sum of the CPU needs, not of the allocations, of the tasks on the node.
  double cpu_load(NodeIndex n) const { return cpu_load_[n]; }
  const RigidVector& rigid_capacity(NodeIndex n) const { return rigid_capacity_[n]; }
  const RigidVector& rigid_free(NodeIndex n) const { return rigid_free_[n]; }
  /// The first node from `n` on with at least that much memory free; node_count() if there is none. For going over all
  /// such nodes; cheap where few of them have it: see FreeMemory::next().
  NodeIndex next_with_memory(NodeIndex n, RigidAmount least) const { return free_memory_.next(rigid_free_, n, least); }
  std::uint32_t task_count(NodeIndex n) const { return task_count_[n]; }
  bool usable(NodeIndex n) const { return usable_[n] != 0; }
  /// Whether an exclusive job is on the node.
  bool held_exclusively(NodeIndex n) const { return exclusive_tasks_[n] != 0; }

  /// The nodes sorted by load, where that pays: see NodesByLoad::orders().
  std::span<const NodesByLoad::Order> nodes_by_load() const {
    return by_load_.orders({cpu_capacity_, cpu_load_, rigid_free_, usable_, exclusive_tasks_});
  }

  /// How many tasks of the job the node can take now, given rigid resources, eligibility and exclusiveness. CPU is no
  /// limit: it is overloaded instead (RR-7659, section 2.2). At most the job's tasks.
  std::uint32_t room_for(const JobView& job, NodeIndex n) const;
  /// The same if the node held that.
  std::uint32_t room_for(const JobView& job, NodeIndex n, const NodeContents& contents) const;
  /// What the node holds.
  NodeContents contents(NodeIndex n) const {
    return {rigid_free_[n], cpu_load_[n], task_count_[n], exclusive_tasks_[n]};
  }
  /// How many tasks the node could take if it were empty, at most the job's tasks. 0 if it is unusable, not eligible or
  /// too small.
  std::uint32_t room_alone(const JobView& job, NodeIndex n) const;

 private:
  static constexpr std::uint32_t kUntouched = ~std::uint32_t{0};

  /// Whether the job may use the node where that many tasks are, some of them of exclusive jobs.
  bool admits(const JobView& job, NodeIndex n, const std::uint32_t& tasks, const std::uint32_t& exclusive_tasks) const {
    if (!homogeneous_ && !usable(n)) return false;
    if (job.eligible != nullptr && !job.eligible->contains(n)) return false;
    return exclusive_tasks == 0 && (!job.flags.exclusive || tasks == 0);
  }
  /// Whether one task of the job fits into the room.
  bool holds_one(const RigidVector& room, const JobView& job) const;
  /// How many fit, given that one does; at most the job's tasks.
  std::uint32_t holds(const RigidVector& room, const JobView& job) const;

  void note(std::span<const NodeIndex> nodes) {
    by_load_.note(nodes);
    free_memory_.note(nodes);
    if (noted_ == nullptr) return;
    for (NodeIndex n : nodes) noted_->add(n);
  }

  void enter(JobSlot job);
  void close_gaps() const;
  void touch(JobSlot job);
  void occupy(const JobView& spec, std::span<const NodeIndex> nodes);
  void release(const JobView& spec, std::span<const NodeIndex> nodes);
  // Appends the node to the first `changed` entries and returns the new number of entries. Branch-free: a node that is
  // in the list already is overwritten by the next one.
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
  std::vector<NodeIndex> changed_nodes_;     // the first changed_ entries; has room for one more than all nodes
  std::size_t changed_ = 0;
  DistinctNodes* noted_ = nullptr;
  std::size_t rigid_dims_ = 1;
  bool homogeneous_ = true;

  mutable NodesByLoad by_load_;     // brought up to date when it is used
  mutable FreeMemory free_memory_;  // the same

  // All data of a slot side by side: most events touch all of it, and thousands of other slots may lie between two.
  struct Slot {
    std::vector<NodeIndex> nodes;  // of its job; empty if it is not placed
    std::uint64_t order = 0;
    std::uint32_t touch_index = kUntouched;  // its index in touched_ and before_
    bool present = false;                    // it belongs to a job in the system
  };
  std::vector<Slot> jobs_;
  NodeLists spare_;  // of jobs that have left
  std::uint64_t next_order_ = 0;

  // Jobs that have left stay in this list until it is read, or until they are half of it. Batch policies never read it,
  // and searching it would be most of the cost of a completion.
  mutable std::vector<JobSlot> active_;
  // The order of each of them. If its slot has a different order, the job has left.
  mutable std::vector<std::uint64_t> active_orders_;
  mutable std::size_t gone_ = 0;          // how many of them have left
  mutable std::uint64_t first_gone_ = 0;  // the lowest order of those
  std::uint64_t version_ = 0;

  std::vector<Reason>* reasons_ = nullptr;

  std::vector<JobSlot> touched_;
  std::vector<std::vector<NodeIndex>> before_;  // nodes at begin(), by index in touched_; storage is reused
};

}  // namespace dfrs
