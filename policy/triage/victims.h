// SPDX-License-Identifier: GPL-2.0-or-later
// Running jobs that may be paused: those that lose no work first, then by the work lost; among equals the cheapest
// first. A large cluster has thousands of them, but a decision looks at few, so they are sorted only as far as needed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "policy/core/units.h"

namespace dfrs::triage {

struct Victim {
  double lost = 0;  ///< work that would be lost
  double cost = 0;
  std::uint64_t order = 0;  ///< of submission
  JobSlot job = kNoSlot;

  /// Among equal costs, the later submission is cheaper.
  static bool cheaper(const Victim& a, const Victim& b) {
    if (a.lost != b.lost) return a.lost < b.lost;
    return a.cost != b.cost ? a.cost < b.cost : a.order > b.order;
  }
};

class Victims {
 public:
  void clear() {
    all_.clear();
    sorted_ = 0;
    selected_ = 0;
  }
  /// O(1), or O(sorted victims) for one that belongs among those.
  void insert(const Victim& victim) {
    if (sorted_ == 0 || !Victim::cheaper(victim, all_[sorted_ - 1])) {
      all_.push_back(victim);
      selected_ = sorted_;
      return;
    }
    const auto end = all_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    all_.insert(std::upper_bound(all_.begin(), end, victim, Victim::cheaper), victim);
    ++sorted_;
    ++selected_;
  }
  /// The k-th cheapest victim, from 0; null if there are fewer. All calls with k < n together are O(victims x log n + n
  /// log n).
  const Victim* cheapest(std::size_t k) {
    while (k >= sorted_ && sorted_ < all_.size()) sort_more();
    return k < sorted_ ? &all_[k] : nullptr;
  }
  /// Removes a victim that cheapest() has returned. O(victims).
  void erase(JobSlot job) {
    const auto end = all_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    const auto at = std::find_if(all_.begin(), end, [&](const Victim& victim) { return victim.job == job; });
    if (at == end) return;
    all_.erase(at);
    --sorted_;
    --selected_;
  }

 private:
  // Doubles the number of sorted victims. Selects many of them at once, since that takes a pass over all others.
  void sort_more() {
    constexpr std::size_t kFirst = 64;
    constexpr std::size_t kSelected = 16;  // times as many
    const std::size_t more = std::min(std::max(kFirst, sorted_), all_.size() - sorted_);
    if (sorted_ + more > selected_) select(std::min(kSelected * more, all_.size() - sorted_));
    const auto begin = at(sorted_);
    const auto end = at(sorted_ + more);
    if (end != at(selected_)) std::nth_element(begin, end, at(selected_), Victim::cheaper);
    std::sort(begin, end, Victim::cheaper);
    sorted_ += more;
  }
  void select(std::size_t more) {
    selected_ = sorted_ + more;
    if (at(selected_) != all_.end()) std::nth_element(at(sorted_), at(selected_), all_.end(), Victim::cheaper);
  }
  std::vector<Victim>::iterator at(std::size_t k) { return all_.begin() + static_cast<std::ptrdiff_t>(k); }

  std::vector<Victim> all_;
  std::size_t sorted_ = 0;    // this many entries come first and are the cheapest, in order
  std::size_t selected_ = 0;  // this many are cheaper than all others; at least as many
};

}  // namespace dfrs::triage
