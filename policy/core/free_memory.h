// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the nodes with enough free memory in ascending order. On a busy cluster most nodes are full: blocks of nodes
// know the most memory that any of theirs has free, so that a search passes over them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/resources.h"
#include "policy/core/units.h"

namespace dfrs {

class FreeMemory {
 public:
  /// With fewer nodes a search looks at all of them.
  static constexpr std::size_t kLeastNodes = 1024;

  /// Forgets the blocks: everything has changed, the number of nodes included.
  void forget() { known_ = false; }
  /// Notes that the free memory of these nodes has changed. O(nodes), O(1) while nobody searches.
  void note(std::span<const NodeIndex> nodes) {
    if (!known_) return;
    for (NodeIndex n : nodes) stale_[n / kBlock] = 1;
  }
  /// The first node from `n` on that has at least `least` MiB of memory free; the number of nodes if none has.
  /// `rigid_free` is the present state by node. O(blocks + 64 for each block that has changed, or has such a node).
  NodeIndex next(std::span<const RigidVector> rigid_free, NodeIndex n, RigidAmount least) {
    const auto count = static_cast<NodeIndex>(rigid_free.size());
    const bool blocks = count >= kLeastNodes;
    if (blocks && !known_) learn(count);
    while (n < count) {
      if (blocks && most_of(rigid_free, n / kBlock) < least) {
        n = (n / kBlock + 1) * kBlock;
        continue;
      }
      const NodeIndex end = blocks ? std::min(count, (n / kBlock + 1) * kBlock) : count;
      for (; n < end; ++n) {
        if (rigid_free[n][kMemory] >= least) return n;
      }
    }
    return count;
  }

 private:
  static constexpr NodeIndex kBlock = 64;

  void learn(std::size_t nodes) {
    known_ = true;
    most_.assign((nodes + kBlock - 1) / kBlock, 0);
    stale_.assign(most_.size(), 1);
  }
  RigidAmount most_of(std::span<const RigidVector> rigid_free, NodeIndex block) {
    if (stale_[block] == 0) return most_[block];
    const std::size_t first = std::size_t{block} * kBlock;
    RigidAmount most = rigid_free[first][kMemory];
    for (const RigidVector& free :
         rigid_free.subspan(first, std::min<std::size_t>(kBlock, rigid_free.size() - first))) {
      most = std::max(most, free[kMemory]);
    }
    stale_[block] = 0;
    return most_[block] = most;
  }

  bool known_ = false;
  std::vector<RigidAmount> most_;    // by block
  std::vector<std::uint8_t> stale_;  // by block, 0 or 1: most_ is of an earlier state
};

}  // namespace dfrs
