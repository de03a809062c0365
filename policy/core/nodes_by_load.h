// SPDX-License-Identifier: GPL-2.0-or-later
// The usable nodes of a cluster in the order of their CPU load, with what they have free: the least loaded node with
// room is found without looking at all of them. Nodes of one CPU capacity make one order, a sorted sequence in blocks
// that know the most that any of their nodes has free.
//
// Kept between decisions: a node is noted when its tasks change, and takes its new place when the orders are next used.
// After a repack nearly every node has changed, and a few looks at all nodes cost less than new orders: these are made
// when the looks since have cost as much. Until then, and for small clusters, there are none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/resources.h"
#include "policy/core/units.h"

namespace dfrs {

/// The nodes of a cluster as they stand, by NodeIndex.
struct NodeLoads {
  std::span<const double> cpu_capacity, cpu_load;
  std::span<const RigidVector> rigid_free;
  std::span<const std::uint8_t> usable;            ///< 0 or 1
  std::span<const std::uint32_t> exclusive_tasks;  ///< of jobs that have the node to themselves

  std::size_t count() const { return cpu_load.size(); }
};

class NodesByLoad {
 public:
  /// The usable nodes of one CPU capacity, by load, then by index.
  class Order {
   public:
    struct Entry {
      double load;
      NodeIndex node;
      RigidVector free;  ///< less than nothing where a job has the node for itself
    };
    /// A place in the order, until the next change of the cluster.
    struct Spot {
      std::size_t block = 0;
      std::size_t at = 0;
    };

    double cpu_capacity() const { return cpu_capacity_; }
    bool ended(Spot spot) const { return spot.block == blocks_.size(); }
    const Entry& operator[](Spot spot) const { return blocks_[spot.block].entries[spot.at]; }
    /// The first place from `spot` on where that much is free. O(blocks passed over + entries of those looked into).
    Spot first_with(Spot spot, const RigidVector& required, std::size_t dims) const;
    Spot next(Spot spot) const { return {spot.block, spot.at + 1}; }
    /// The first place with a higher load than that. O(log nodes).
    Spot above(double load) const;

   private:
    friend class NodesByLoad;
    struct Block {
      std::vector<Entry> entries;  // never empty
      RigidVector most{};          // free on any node of the block
      void sum_up();
    };
    void build(std::vector<Entry>& entries);  // sorts them
    void insert(const Entry& entry);
    void erase(double load, NodeIndex node);
    std::size_t block_of(double load, NodeIndex node) const;

    double cpu_capacity_ = 1;
    std::vector<Block> blocks_;
  };

  /// Nodes, loads and all that is free are others than before.
  void forget() {
    known_ = false;
    looked_at_ = 0;
  }
  /// The nodes' tasks have changed. O(nodes named), O(1) while there are no orders.
  void note(std::span<const NodeIndex> nodes) {
    if (!known_) return;
    for (NodeIndex n : nodes) {
      if (noted_[n] != 0) continue;
      noted_[n] = 1;
      changed_.push_back(n);
    }
  }
  /// The orders as the cluster stands; none where to look at all nodes is cheaper, which is what the caller then does.
  /// O(changed nodes x sqrt(nodes)), at most O(nodes log nodes); over many calls, no more than O(nodes) each.
  std::span<const Order> orders(const NodeLoads& nodes);

 private:
  void build(const NodeLoads& nodes);
  void move_changed(const NodeLoads& nodes);

  bool known_ = false;
  bool too_many_capacities_ = false;
  std::uint64_t looked_at_ = 0;          // nodes, by callers who were given no orders
  std::vector<Order> orders_;            // one for each CPU capacity
  std::vector<std::uint32_t> order_of_;  // by node
  std::vector<double> load_;             // by node, as it is in the order
  std::vector<std::uint8_t> noted_;      // by node
  std::vector<NodeIndex> changed_;
  std::vector<std::vector<Order::Entry>> sorted_;  // scratch
};

}  // namespace dfrs
