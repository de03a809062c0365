// SPDX-License-Identifier: GPL-2.0-or-later
// A set of nodes as a bitmap, such as the nodes that a job may use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/units.h"

namespace dfrs {

class NodeSet {
 public:
  NodeSet() = default;
  explicit NodeSet(std::size_t nodes) : words_((nodes + 63) / 64, 0) {}

  void insert(NodeIndex node) { words_[node / 64] |= std::uint64_t{1} << (node % 64); }
  /// False for nodes beyond the set's size. O(1).
  bool contains(NodeIndex node) const {
    return node / 64 < words_.size() && ((words_[node / 64] >> (node % 64)) & 1) != 0;
  }
  /// One bit per node, starting at the lowest bit of the first word.
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace dfrs
