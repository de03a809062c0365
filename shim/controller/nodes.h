// SPDX-License-Identifier: GPL-2.0-or-later
// The nodes as the last snapshot showed them, and as the policy sees them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "policy/core/view.h"
#include "shim/controller.h"

namespace dfrs::shim {

struct Node {
  std::string name;
  std::string address;
  std::uint16_t slurmd_port = 0;
  std::uint32_t cpus = 0;
  std::uint64_t memory = 0;  ///< MiB
  std::uint32_t foreign_cpus = 0;
  std::uint64_t foreign_memory = 0;
  std::uint64_t held_memory = 0;  ///< of managed jobs that are not the policy's: suspended by scontrol
  bool usable = true;
  bool completing = false;

  /// MiB for jobs of ours; below 0 if others hold more than there is.
  std::int64_t free_memory() const {
    return static_cast<std::int64_t>(memory) - static_cast<std::int64_t>(foreign_memory + held_memory);
  }
};

class Nodes {
 public:
  struct Changes {
    bool list = false;       ///< other nodes, or another order: indices mean something else
    bool addresses = false;  ///< where their agents are
  };

  /// O(nodes); copies names only when they change.
  Changes update(const dfrs_snapshot& snapshot);
  /// Takes in memory (MiB, an entry for each node) held by jobs that are not the policy's, and makes views(). True if
  /// what the policy sees of some node has changed since the last call. To be called after each update().
  bool settle(std::span<const std::uint64_t> held);

  std::size_t size() const { return nodes_.size(); }
  /// n < size().
  const Node& operator[](NodeIndex n) const { return nodes_[n]; }
  /// As of the last settle(); valid until the next.
  std::span<const NodeView> views() const { return views_; }
  /// CPUs of the largest node: what a capacity or a need of 1 stands for. >= 1.
  std::uint32_t reference_cpus() const { return reference_cpus_; }

 private:
  std::vector<Node> nodes_;
  std::vector<NodeView> views_;
  std::uint64_t generation_ = 0;
  bool first_ = true;
  std::uint32_t reference_cpus_ = 1;
  bool other_reference_ = true;
};

}  // namespace dfrs::shim
