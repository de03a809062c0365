// SPDX-License-Identifier: GPL-2.0-or-later
// Pending completions ordered by (time, rank): a binary heap that knows the position of each job, so that entries can
// be moved and removed. A std::set would be simpler, but makes simulations that often move completions slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/core/units.h"

namespace dfrs::sim {

class CompletionQueue {
 public:
  /// Grows as needed; `slots` is the number to allocate up front.
  explicit CompletionQueue(std::size_t slots = 0) : position_(slots, kAbsent) {}

  bool empty() const { return entries_.empty(); }
  Seconds next_time() const { return entries_.empty() ? kNever : entries_.front().time; }
  /// The queue must not be empty.
  JobSlot next_job() const { return entries_.front().job; }

  /// Inserts the job, or moves it if it is there. Ties in time go to the lowest rank, which must be unique. O(log n).
  void set(JobSlot job, Seconds time, std::uint32_t rank);
  void set(JobSlot job, Seconds time) { set(job, time, job); }
  /// Removes the job if it is there. O(log n).
  void remove(JobSlot job);

 private:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  struct Entry {
    Seconds time;
    JobSlot job;
    std::uint32_t rank;
    // Without a branch, which a processor could not predict.
    bool before(const Entry& o) const { return ((time < o.time) | ((time == o.time) & (rank < o.rank))) != 0; }
  };

  // Puts the entry where it belongs: at `at`, whose own entry has left, nearer to the front, or further back.
  void settle(std::size_t at, const Entry& entry);
  void put(std::size_t at, const Entry& entry) {
    entries_[at] = entry;
    position_[entry.job] = static_cast<std::uint32_t>(at);
  }

  std::vector<Entry> entries_;           // a heap: the earliest completion first
  std::vector<std::uint32_t> position_;  // of each job in entries_, or kAbsent
};

}  // namespace dfrs::sim
