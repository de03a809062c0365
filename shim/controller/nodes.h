// SPDX-License-Identifier: GPL-2.0-or-later
// The nodes as the last snapshot showed them and as the policy sees them.
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
  std::uint64_t held_memory = 0;  ///< MiB of managed jobs that scontrol has suspended: the policy does not control them
  bool usable = true;
  bool completing = false;

  /// CPUs for our jobs.
  std::uint32_t free_cpus() const { return cpus > foreign_cpus ? cpus - foreign_cpus : 0; }
  /// MiB for our jobs; negative if others hold more than there is.
  std::int64_t free_memory() const {
    return static_cast<std::int64_t>(memory) - static_cast<std::int64_t>(foreign_memory + held_memory);
  }
};

class Nodes {
 public:
  struct Changes {
    bool list = false;       ///< other nodes or another order: earlier indices are invalid
    bool addresses = false;  ///< addresses of node agents have changed
  };

  /// O(nodes); copies names only when they change.
  Changes update(const dfrs_snapshot& snapshot);
  /// Sets the memory held by jobs that the policy does not control (MiB, one entry per node) and makes views(). True if
  /// the view of a node has changed since the last call. Call it after each update().
  bool settle(std::span<const std::uint64_t> held);

  std::size_t size() const { return nodes_.size(); }
  /// n < size().
  const Node& operator[](NodeIndex n) const { return nodes_[n]; }
  /// As of the last settle(); valid until the next.
  std::span<const NodeView> views() const { return views_; }
  /// CPUs of the largest node, which stand for a capacity or a need of 1. >= 1.
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
