// SPDX-License-Identifier: GPL-2.0-or-later
// Nodes that are gathered, each once, until they are taken.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/units.h"

namespace dfrs {

class DistinctNodes {
 public:
  /// Empties it, for nodes below `count`. O(1) if the count is the same and it is empty.
  void reset(std::size_t count) {
    clear();
    if (in_.size() != count) in_.assign(count, 0);
  }
  void add(NodeIndex n) {
    if (in_[n] != 0) return;
    in_[n] = 1;
    nodes_.push_back(n);
  }
  /// O(nodes in it).
  void clear() {
    for (NodeIndex n : nodes_) in_[n] = 0;
    nodes_.clear();
  }
  bool contains(NodeIndex n) const { return in_[n] != 0; }
  /// In the order in which they were added.
  std::span<const NodeIndex> nodes() const { return nodes_; }

 private:
  std::vector<std::uint8_t> in_;  // by node, 0 or 1
  std::vector<NodeIndex> nodes_;
};

}  // namespace dfrs
