// SPDX-License-Identifier: GPL-2.0-or-later
// Pending completions: a binary heap by (time, rank) whose entries can be moved and removed.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/units.h"

namespace dfrs::sim {

class CompletionQueue {
 public:
  /// Grows as slots are named; `slots` is how many to make room for at once.
  explicit CompletionQueue(std::size_t slots = 0) : position_(slots, kAbsent) {}

  bool empty() const { return heap_.empty(); }
  Seconds next_time() const { return heap_.empty() ? kNever : heap_.front().time; }
  JobSlot next_job() const { return heap_.front().job; }

  /// Insert the job, or move it if it is there. Of equal times the lowest rank comes first; no two jobs have the same.
  /// O(log n).
  void set(JobSlot job, Seconds time, std::uint32_t rank);
  void set(JobSlot job, Seconds time) { set(job, time, job); }
  /// Take the job out, if it is there. O(log n).
  void remove(JobSlot job);

 private:
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
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
  void up(std::size_t at);
  void down(std::size_t at);
  void put(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    position_[entry.job] = static_cast<std::uint32_t>(at);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> position_;  // by job
};

}  // namespace dfrs::sim
