// SPDX-License-Identifier: GPL-2.0-or-later
// What did not fit while nodes only fill up: at most so many tasks of such a shape. A job with more tasks that are no
// smaller in any respect does not fit either, and need not be tried on every node. In a long queue that is nearly all
// of them, and a few shapes say it: those that others do not imply.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/core/view.h"

namespace dfrs {

class Refusals {
 public:
  /// Entries kept; later ones only cost the trial that they would have saved.
  static constexpr std::size_t kMost = 64;

  /// Forgets all. Call this when a node has more left than before.
  void clear() { entries_.clear(); }

  /// Whether the job asks for no less than what did not fit. O(entries).
  bool cover(const JobView& job) const {
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return job.tasks > entry.fitting && job.cpu_need >= entry.cpu && no_less(job.rigid, entry.rigid);
    });
  }

  /// Notes that no more than `fitting` tasks of the job fit, fewer than it has. A job that may not use every node or
  /// every free part of one says nothing about others.
  void add(const JobView& job, std::uint32_t fitting) {
    if (job.eligible != nullptr || job.flags.exclusive) return;
    std::erase_if(entries_, [&](const Entry& entry) {
      return entry.fitting >= fitting && entry.cpu >= job.cpu_need && no_less(entry.rigid, job.rigid);
    });
    if (entries_.size() < kMost) entries_.push_back({fitting, job.cpu_need, job.rigid});
  }

  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint32_t fitting;
    double cpu;
    RigidVector rigid;
  };

  static bool no_less(const RigidVector& a, const RigidVector& b) {
    for (std::size_t d = 0; d < kMaxRigid; ++d) {
      if (a[d] < b[d]) return false;
    }
    return true;
  }

  std::vector<Entry> entries_;
};

}  // namespace dfrs
