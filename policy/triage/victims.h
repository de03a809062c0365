// SPDX-License-Identifier: GPL-2.0-or-later
// Running jobs that may be paused, cheapest first. On a large cluster there are thousands, of which a decision looks at
// few: they are sorted as far as is looked at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policy/core/units.h"

namespace dfrs::triage {

struct Victim {
  double cost = 0;
  std::uint64_t order = 0;  ///< of submission
  JobSlot job = kNoSlot;

  /// Of equal cost the later submission goes first.
  static bool cheaper(const Victim& a, const Victim& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.order > b.order;
  }
};

class Victims {
 public:
  void clear() {
    all_.clear();
    sorted_ = 0;
  }
  /// O(1), or O(victims looked at) for one that is cheaper than the last of these.
  void insert(const Victim& victim) {
    if (sorted_ == 0 || !Victim::cheaper(victim, all_[sorted_ - 1])) {
      all_.push_back(victim);
      return;
    }
    const auto end = all_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    all_.insert(std::upper_bound(all_.begin(), end, victim, Victim::cheaper), victim);
    ++sorted_;
  }
  /// The k-th cheapest, from 0 on; null if there are no more. All calls together: O(victims x log of how many are
  /// looked at + those x log of them).
  const Victim* cheapest(std::size_t k) {
    while (k >= sorted_ && sorted_ < all_.size()) sort_more();
    return k < sorted_ ? &all_[k] : nullptr;
  }
  /// Takes out one that has been looked at. O(victims).
  void erase(JobSlot job) {
    const auto end = all_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    const auto at = std::find_if(all_.begin(), end, [&](const Victim& victim) { return victim.job == job; });
    if (at == end) return;
    all_.erase(at);
    --sorted_;
  }

 private:
  // Twice as many each time.
  void sort_more() {
    constexpr std::size_t kFirst = 64;
    const std::size_t more = std::min(std::max(kFirst, sorted_), all_.size() - sorted_);
    const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    const auto end = begin + static_cast<std::ptrdiff_t>(more);
    if (end != all_.end()) std::nth_element(begin, end, all_.end(), Victim::cheaper);
    std::sort(begin, end, Victim::cheaper);
    sorted_ += more;
  }

  std::vector<Victim> all_;
  std::size_t sorted_ = 0;  // so many are the cheapest, in order
};

}  // namespace dfrs::triage
