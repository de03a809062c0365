// SPDX-License-Identifier: GPL-2.0-or-later
// All jobs by number, and the slots by which the policy knows them. Look-ups and slots are O(1). Records stay where
// they are until they are removed. For one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "policy/core/view.h"
#include "shim/controller/job.h"

namespace dfrs::shim {

class JobTable {
 public:
  /// Null if there is no such job.
  Job* find(std::uint32_t id);
  const Job* find(std::uint32_t id) const;
  /// Adds a job; the number must not be in use.
  Job& add(std::uint32_t id);
  /// Removes a job, which must have left its slot.
  void remove(std::uint32_t id);
  /// Calls f(Job&) for each job, by number. f must not add or remove jobs. O(jobs), plus a sort after a change.
  template <typename F>
  void each(F f) {
    for (Job* job : ordered()) f(*job);
  }
  template <typename F>
  void each(F f) const {
    for (const Job* job : ordered()) f(*job);
  }
  std::size_t size() const { return jobs_.size(); }

  /// Gives the job a free slot with a blank view.
  JobSlot open_slot(Job& job);
  /// The job leaves its slot. The slot keeps showing the job as absent until release_slots().
  void close_slot(Job& job);
  /// Passes the slot on to another job, which must have none: a task that was split off its array.
  void hand_over_slot(Job& from, Job& to);
  /// Frees the slots closed so far, once the engine has seen them empty. The lowest is used first. O(n log n) for n
  /// free slots.
  void release_slots();

  /// One per slot; valid until the next open_slot().
  std::span<JobView> views() { return views_; }
  std::span<const JobView> views() const { return views_; }
  /// One per slot, in s; valid until the next open_slot().
  std::span<Seconds> estimates() { return estimates_; }
  std::span<const Seconds> estimates() const { return estimates_; }
  /// The job in a slot; null if it is empty.
  Job* in_slot(JobSlot slot) { return slot < owners_.size() ? owners_[slot] : nullptr; }
  const Job* in_slot(JobSlot slot) const { return slot < owners_.size() ? owners_[slot] : nullptr; }

 private:
  const std::vector<Job*>& ordered() const;

  std::unordered_map<std::uint32_t, std::unique_ptr<Job>> jobs_;
  mutable std::vector<Job*> order_;  // by number; made on demand
  mutable bool order_valid_ = true;
  std::vector<JobView> views_;
  std::vector<Seconds> estimates_;
  std::vector<Job*> owners_;
  std::vector<JobSlot> free_;     // ready for use
  std::vector<JobSlot> closing_;  // the engine has yet to see them empty
};

}  // namespace dfrs::shim
