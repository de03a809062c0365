// SPDX-License-Identifier: GPL-2.0-or-later
// All jobs by number, and the slots by which the policy knows them. Look-ups and slots are O(1). Records stay where
// they are until they are removed or tidy() is called. For one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policy/core/view.h"
#include "shim/controller/job.h"

namespace dfrs::shim {

class JobTable {
 public:
  /// Null if there is no such job.
  Job* find(std::uint32_t id);
  const Job* find(std::uint32_t id) const;
  /// A search for many jobs, fast if their numbers ascend, as they do in most snapshots. Jobs may be added and removed
  /// meanwhile.
  class Search {
   public:
    explicit Search(JobTable& jobs);
    Job* find(std::uint32_t id);

   private:
    JobTable& jobs_;
    std::size_t next_ = 0;  // in order_
  };
  /// Adds a job; the number must not be in use.
  Job& add(std::uint32_t id);
  /// Removes a job, which must have left its slot.
  void remove(std::uint32_t id);
  /// Puts the records side by side, by number, once many are out of place or have been removed: passes over them are
  /// faster then. Pointers to records become invalid; views keep pointing to what they showed. O(jobs) in a call after
  /// as many additions, else O(1).
  void tidy();
  /// Calls f(Job&) for each job, by number. f must not add or remove jobs. O(jobs), plus a sort if numbers were added
  /// in another order.
  template <typename F>
  void each(F f) {
    for (const Entry& entry : in_order()) f(*entry.job);
  }
  template <typename F>
  void each(F f) const {
    for (const Entry& entry : in_order()) f(std::as_const(*entry.job));
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
  struct Entry {
    std::uint32_t id;
    Job* job;  ///< null: removed
  };
  /// tidy() does nothing for so few.
  static constexpr std::size_t kFew = 256;

  /// Without removed ones.
  const std::vector<Entry>& in_order() const;
  void sort_entries() const;

  /// Memory of records, which is given back as a whole.
  using Shelf = std::pmr::monotonic_buffer_resource;
  struct Destroy {
    void operator()(Job* job) const { std::destroy_at(job); }
  };
  using Record = std::unique_ptr<Job, Destroy>;

  std::unique_ptr<Shelf> shelf_ = std::make_unique<Shelf>();  // outlives the records
  std::size_t shelved_ = 0;                                   // records on it, removed ones too
  std::size_t misplaced_ = 0;                                 // of these, not by number
  std::unordered_map<std::uint32_t, Record> jobs_;
  // By number, once sorted; tidied on demand.
  mutable std::vector<Entry> order_;
  mutable bool sorted_ = true, complete_ = true;  // complete: no entry is of a removed job
  std::vector<JobView> views_;
  std::vector<Seconds> estimates_;
  std::vector<Job*> owners_;
  std::vector<JobSlot> free_;     // ready for use
  std::vector<JobSlot> closing_;  // the engine has yet to see them empty
};

}  // namespace dfrs::shim
