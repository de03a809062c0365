// SPDX-License-Identifier: GPL-2.0-or-later
// Pending completions by (time, rank), which can be moved and removed. As long as they are few they are sorted, the
// next one last: it leaves without a move of the others, and most that come end soon and pass few of them on their way
// to their place. In a binary heap each step down goes a way that nothing foretells, and so does a binary search. Many
// are a heap all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/core/units.h"

namespace dfrs::sim {

class CompletionQueue {
 public:
  /// More are a heap.
  static constexpr std::size_t kMostSorted = 128;

  /// Grows as slots are named; `slots` is how many to make room for at once.
  explicit CompletionQueue(std::size_t slots = 0) : position_(slots, kAbsent) {}

  bool empty() const { return entries_.empty(); }
  Seconds next_time() const { return entries_.empty() ? kNever : next().time; }
  JobSlot next_job() const { return next().job; }

  /// Insert the job, or move it if it is there. Of equal times the lowest rank comes first; no two jobs have the same.
  /// O(log n) where they are many, else O(those that it passes), or O(n) to find it.
  void set(JobSlot job, Seconds time, std::uint32_t rank);
  void set(JobSlot job, Seconds time) { set(job, time, job); }
  /// Take the job out, if it is there. O(log n) where they are many, else O(those before it).
  void remove(JobSlot job);

 private:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  static constexpr std::uint32_t kSorted = 0;
  struct Entry {
    Seconds time;
    JobSlot job;
    std::uint32_t rank;
    // Without branches, which nothing would foretell.
    bool before(const Entry& o) const {
      return static_cast<bool>(static_cast<int>(time < o.time) |
                               (static_cast<int>(time == o.time) & static_cast<int>(rank < o.rank)));
    }
  };
  const Entry& next() const { return sorted_ ? entries_.back() : entries_.front(); }

  // Sorted.
  std::size_t index_of(JobSlot job) const;
  void place_sorted(const Entry& entry);
  void sort();

  // Heap.
  void place_in_heap(const Entry& entry);
  void remove_from_heap(std::size_t at);
  void up(std::size_t at);
  void down(std::size_t at);
  void put(std::size_t at, const Entry& entry) {
    entries_[at] = entry;
    position_[entry.job] = static_cast<std::uint32_t>(at);
  }
  void make_heap();

  bool sorted_ = true;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> position_;  // by job: where it is in the heap; kSorted where there is none
};

}  // namespace dfrs::sim
