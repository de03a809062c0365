// SPDX-License-Identifier: GPL-2.0-or-later
// All jobs by number, and the slots by which the policy knows them. Look-ups and slots are O(1); records stay where
// they are until they are removed. Of one thread.
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
  /// Null: not known.
  Job* find(std::uint32_t id);
  const Job* find(std::uint32_t id) const;
  /// Adds a record under a number that has none.
  Job& add(std::uint32_t id);
  /// Forgets a job; it must have left its slot.
  void remove(std::uint32_t id);
  /// Calls f(Job&) for each, in order of numbers. f may not add or remove jobs. O(jobs), and a sort after a change.
  template <typename F>
  void each(F f) {
    for (Job* job : ordered()) f(*job);
  }
  template <typename F>
  void each(F f) const {
    for (const Job* job : ordered()) f(*job);
  }
  std::size_t size() const { return jobs_.size(); }

  /// Gives the job a slot that is free; its view is blank.
  JobSlot open_slot(Job& job);
  /// The job leaves its slot. The slot keeps showing the job as absent until release_slots().
  void close_slot(Job& job);
  /// Gives the slot to another record, which must have none: an array's task that was split off as a job of its own.
  void hand_over_slot(Job& from, Job& to);
  /// Slots closed before may be used again, the lowest first: the engine has seen that they are empty. O(slots log
  /// slots) of those that are free.
  void release_slots();

  /// By slot; valid until the next open_slot().
  std::span<JobView> views() { return views_; }
  std::span<const JobView> views() const { return views_; }
  /// By slot, s; valid until the next open_slot().
  std::span<Seconds> estimates() { return estimates_; }
  std::span<const Seconds> estimates() const { return estimates_; }
  /// The job in a slot; null: none.
  Job* in_slot(JobSlot slot) { return slot < owners_.size() ? owners_[slot] : nullptr; }
  const Job* in_slot(JobSlot slot) const { return slot < owners_.size() ? owners_[slot] : nullptr; }

 private:
  const std::vector<Job*>& ordered() const;

  std::unordered_map<std::uint32_t, std::unique_ptr<Job>> jobs_;
  mutable std::vector<Job*> order_;  // by number; made when asked for
  mutable bool order_valid_ = true;
  std::vector<JobView> views_;
  std::vector<Seconds> estimates_;
  std::vector<Job*> owners_;
  std::vector<JobSlot> free_;     // may be used
  std::vector<JobSlot> closing_;  // the engine has yet to see them empty
};

}  // namespace dfrs::shim
