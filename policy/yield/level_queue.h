// SPDX-License-Identifier: GPL-2.0-or-later
// A queue of nodes by level, lowest level first, then lowest node. All levels pushed are above the last one popped,
// which allows a radix heap (Ahuja, Mehlhorn, Orlin and Tarjan 1990): levels are kept by the highest bit in which they
// differ from the last one. This avoids comparisons, each of which is an unpredictable branch.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace dfrs {

class LevelQueue {
 public:
  struct Entry {
    double level;
    std::uint32_t node;
  };

  bool empty() const { return filled_ == 0; }
  /// Allows any level again. The queue must be empty.
  void restart() { last_ = 0; }
  /// Requires level >= 0, and above the one popped last. O(1).
  void push(const Entry& entry) {
    const std::size_t k = bucket_of(entry);
    buckets_[k].push_back(entry);
    filled_ |= Mask{1} << k;
  }
  /// Removes and returns the lowest entry. The queue must not be empty. Amortised at most O(64), mostly O(log entries).
  Entry pop() {
    std::vector<Entry>& equal = buckets_[0];
    if (equal.empty()) spread();
    const Entry entry = equal.back();
    equal.pop_back();
    if (equal.empty()) filled_ &= ~Mask{1};
    return entry;
  }

 private:
  // Bucket 0 holds the level popped last; bucket k levels that differ from it in bit k - 1 and in no higher bit. The
  // sign bit is never set.
  using Mask = std::uint64_t;
  static std::uint64_t bits(const Entry& entry) { return std::bit_cast<std::uint64_t>(entry.level); }
  std::size_t bucket_of(const Entry& entry) const {
    return static_cast<std::size_t>(std::bit_width(bits(entry) ^ last_));
  }

  // Makes the lowest level the last one, and moves the rest of its bucket to lower buckets.
  void spread() {
    const auto k = static_cast<std::size_t>(std::countr_zero(filled_));
    std::vector<Entry>& bucket = buckets_[k];
    last_ = ~std::uint64_t{0};
    for (const Entry& entry : bucket) last_ = std::min(last_, bits(entry));
    filled_ &= ~(Mask{1} << k);
    for (const Entry& entry : bucket) push(entry);
    bucket.clear();
    if (buckets_[0].size() < 2) return;
    std::sort(buckets_[0].begin(), buckets_[0].end(), [](const Entry& a, const Entry& b) { return a.node > b.node; });
  }

  std::array<std::vector<Entry>, 64> buckets_;
  Mask filled_ = 0;  // buckets that are not empty
  std::uint64_t last_ = 0;
};

}  // namespace dfrs
