// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps the usable nodes of a cluster sorted by CPU load, with their free resources, so that the least loaded node with
// room is found without scanning all nodes. Nodes of equal CPU capacity form one order: a sorted sequence of blocks,
// each of which knows the most that any of its nodes has free.
//
// Orders live on between decisions. A node is noted when its tasks change, and takes its new place when the orders are
// next used. After a repack nearly every node has changed, and a few scans of all nodes cost less than sorting them
// again: the orders are rebuilt once the scans since then have cost as much. Until then, and for small clusters, there
// are none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/resources.h"
#include "policy/core/units.h"

namespace dfrs {

/// The present state of a cluster's nodes, by NodeIndex.
struct NodeLoads {
  std::span<const double> cpu_capacity, cpu_load;
  std::span<const RigidVector> rigid_free;
  std::span<const std::uint8_t> usable;            ///< 0 or 1
  std::span<const std::uint32_t> exclusive_tasks;  ///< tasks of jobs that have the node to themselves

  std::size_t count() const { return cpu_load.size(); }
};

class NodesByLoad {
 public:
  /// The usable nodes of one CPU capacity, sorted by load, then by index.
  class Order {
   public:
    struct Entry {
      double load;
      NodeIndex node;
      RigidVector free;  ///< negative where a job has the node to itself
    };
    /// A position in the order, valid until the next change of the cluster.
    struct Spot {
      std::size_t block = 0;
      std::size_t at = 0;
    };

    double cpu_capacity() const { return cpu_capacity_; }
    bool ended(Spot spot) const { return spot.block == blocks_.size(); }
    const Entry& operator[](Spot spot) const { return blocks_[spot.block].entries[spot.at]; }
    /// The first position from `spot` on with that much free. O(blocks skipped + entries of the blocks searched).
    Spot first_with(Spot spot, const RigidVector& required, std::size_t dims) const;
    Spot next(Spot spot) const { return {spot.block, spot.at + 1}; }
    /// The first position with a load above that. O(log nodes).
    Spot above(double load) const;

   private:
    friend class NodesByLoad;
    struct Block {
      std::vector<Entry> entries;  // never empty
      RigidVector most{};          // the most that any node of the block has free
      void summarize();
    };
    void build(std::vector<Entry>& entries);  // sorts them
    void insert(const Entry& entry);
    void erase(double load, NodeIndex node);
    std::size_t block_of(double load, NodeIndex node) const;

    double cpu_capacity_ = 1;
    std::vector<Block> blocks_;
  };

  /// Drops the orders: nodes and loads have changed altogether.
  void forget() {
    known_ = false;
    looked_at_ = 0;
  }
  /// Notes that the tasks of these nodes have changed. O(nodes), O(1) while there are no orders.
  void note(std::span<const NodeIndex> nodes) {
    if (!known_) return;
    for (NodeIndex n : nodes) {
      if (noted_[n] != 0) continue;
      noted_[n] = 1;
      changed_.push_back(n);
    }
  }
  /// The up-to-date orders; none where scanning all nodes is cheaper, which is then up to the caller.
  /// O(changed nodes x sqrt(nodes)), at most O(nodes log nodes); amortised over many calls at most O(nodes).
  std::span<const Order> orders(const NodeLoads& nodes);

 private:
  void build(const NodeLoads& nodes);
  void move_changed(const NodeLoads& nodes);

  bool known_ = false;
  bool too_many_capacities_ = false;
  std::uint64_t looked_at_ = 0;          // nodes scanned by callers that got no orders
  std::vector<Order> orders_;            // one per CPU capacity
  std::vector<std::uint32_t> order_of_;  // by node
  std::vector<double> load_;             // by node: its load in the order
  std::vector<std::uint8_t> noted_;      // by node: is in changed_
  std::vector<NodeIndex> changed_;
  std::vector<std::vector<Order::Entry>> sorted_;  // scratch
};

}  // namespace dfrs
