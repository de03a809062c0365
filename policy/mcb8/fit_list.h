// SPDX-License-Identifier: GPL-2.0-or-later
// A list of requirements in a fixed order, searched for the first that fits into given room. Each block of entries is
// summarized by the least that any of them requires, and so are blocks of blocks; a search skips blocks in which
// nothing can fit. If the list is sorted by one requirement, that differs little within a block, the minimum of the
// other requirement decides, and a search takes O(log entries) apart from blocks at the boundary.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "policy/core/resources.h"

namespace dfrs {

/// CPU, then rigid resources, as a task requires them or a node has them left. Rigid amounts are exact up to 2^53.
using Amounts = std::array<double, 1 + kMaxRigid>;

class FitList {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Starts an empty list whose entries have `dims` amounts each.
  void clear(std::size_t dims);
  void push(const Amounts& required);
  /// Call this after the last push() and before the first search. O(entries).
  void finish();

  std::size_t size() const { return size_; }
  /// The amounts that an unspent entry requires.
  const double* required(std::size_t entry) const { return levels_[0].least.data() + entry * dims_; }
  /// All entries before this one are spent.
  std::size_t head() const { return head_; }
  /// Makes the entry fit nowhere from now on. O(log entries).
  void spend(std::size_t entry);

  /// The first entry from `from` on that requires at most `limits`; kNone if there is none. D is the number of amounts.
  template <std::size_t D>
  std::size_t first_fit(std::size_t from, const Amounts& limits) const {
    std::size_t level = 0;
    std::size_t at = from;
    for (;;) {
      const Level& here = levels_[level];
      const bool top = level + 1 == depth_;
      const std::size_t block_end = (at / kBlock + 1) * kBlock;
      const std::size_t end = top || here.count < block_end ? here.count : block_end;
      const double* amounts = here.least.data() + at * D;
      while (at < end && !within<D>(amounts, limits)) {
        ++at;
        amounts += D;
      }
      if (at < end) {
        if (level == 0) return at;
        --level;
        at *= kBlock;
        continue;
      }
      if (top) return kNone;
      // Continue after the block, at the highest level at which a block begins there.
      do {
        at = (at + kBlock - 1) / kBlock;
        ++level;
      } while (level + 1 < depth_ && at % kBlock == 0);
    }
  }

 private:
  static constexpr std::size_t kBlock = 8;

  struct Level {
    std::vector<double> least;  // dims_ amounts for each entry or block
    std::size_t count = 0;
  };

  template <std::size_t D>
  static bool within(const double* amounts, const Amounts& limits) {
    for (std::size_t d = 0; d < D; ++d) {
      if (amounts[d] > limits[d]) return false;
    }
    return true;
  }
  // Updates a block's least amounts from the level below; true if they have changed.
  bool summarize(std::size_t level, std::size_t block);

  std::vector<Level> levels_;  // the entries, then blocks of the level below; storage is reused
  std::size_t depth_ = 1;
  std::size_t dims_ = 1;
  std::size_t size_ = 0;
  std::size_t head_ = 0;
};

}  // namespace dfrs
