// SPDX-License-Identifier: GPL-2.0-or-later
// Requirements in a fixed order, searched for the first that fits into a room. Blocks of entries are summed up by the
// least that any of them requires, blocks of blocks likewise: a search passes over what cannot hold a fit. In a list
// sorted by one requirement, a block's entries differ little in it, so that the other requirement's least one decides
// and the search is O(log entries) but for the blocks at the edge.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "policy/core/resources.h"

namespace dfrs {

/// CPU, then the rigid resources: what a task requires, or what a node has left. Rigid amounts are exact up to 2^53.
using Amounts = std::array<double, 1 + kMaxRigid>;

class FitList {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// An empty list of entries with that many amounts each.
  void clear(std::size_t dims);
  void push(const Amounts& required);
  /// To be called after the last push(), before the first search. O(entries).
  void finish();

  std::size_t size() const { return size_; }
  /// What an entry requires that is not spent.
  const double* required(std::size_t entry) const { return levels_[0].least.data() + entry * dims_; }
  /// No entry before this one is left.
  std::size_t head() const { return head_; }
  /// The entry fits nowhere from now on. O(log entries).
  void spend(std::size_t entry);

  /// The first entry from `from` on that requires at most `limits`, or kNone. D is the number of amounts.
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
      // On with what follows the block, at the highest level where that begins a block, too.
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
  // Sets a block's least amounts from what it sums up; true if they changed.
  bool sum_up(std::size_t level, std::size_t block);

  std::vector<Level> levels_;  // the entries, then blocks of what is below; storage is kept
  std::size_t depth_ = 1;
  std::size_t dims_ = 1;
  std::size_t size_ = 0;
  std::size_t head_ = 0;
};

}  // namespace dfrs
