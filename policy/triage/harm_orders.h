// SPDX-License-Identifier: GPL-2.0-or-later
// The nodes of a large cluster sorted by load and by what the jobs there would lose, so that a search for the least
// harm (harm_placer.h) looks at few of them.
//
// Orders are kept for tasks of one CPU need, from one search and one call to the next. A node that has changed is
// stale: it keeps its place, and the caller looks at it separately, until the orders are repaired.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/triage/decision_context.h"
#include "policy/triage/resident_losses.h"

namespace dfrs::triage {

class HarmOrders {
 public:
  struct Entry {
    double key;
    NodeIndex node;
  };
  /// For tasks of one CPU need. Loads are relative to the capacity, with one more task.
  struct Nodes {
    std::vector<double> load;            ///< by node
    std::vector<double> loss;            ///< by node: of all jobs there, at equal shares; 0 where CPU is left
    std::vector<Entry> by_load;          ///< all nodes, the least load first
    std::size_t first_crowded = 0;       ///< in by_load: from here on nodes are overloaded
    std::vector<Entry> by_loss;          ///< the overloaded ones, the least loss first
    std::vector<std::uint8_t> is_stale;  ///< by node
    std::vector<NodeIndex> stale;        ///< in no particular order
  };

  /// Forgets all orders: everything may have changed, the number of nodes included.
  void reset() { tables_ = {}; }
  /// The load of the node may have changed, or the jobs there, or what they can lose. O(CPU needs).
  void changed(const DecisionContext& context, const ResidentLosses& losses, NodeIndex n);
  /// The orders for this CPU need, with few stale nodes; null: not yet, they are built for needs that come often.
  /// `losses` must be in a search for that need in which no job has been counted. Valid until the next call.
  /// O(stale nodes), or to repair them O(nodes + stale nodes x (jobs there + log nodes)).
  const Nodes* of(const DecisionContext& context, ResidentLosses& losses, double cpu_need);
  /// The largest CPU capacity of a node.
  double most_capacity() const { return most_capacity_; }

 private:
  // What a node's place in the orders is based on.
  struct Seen {
    double cpu_load = 0;
    std::uint64_t version = 0;  // of its jobs and what they can lose
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  struct Table {
    double cpu_need = -1;
    std::uint64_t used = 0;  // the last search for it
    int searches = 0;        // before there were orders
    bool ordered = false;
    Nodes nodes;
    std::vector<Seen> seen;  // by node
  };
  // More needs than these take turns.
  static constexpr std::size_t kTables = 8;

  static Seen seen_now(const DecisionContext& context, const ResidentLosses& losses, NodeIndex n) {
    return {context.state.cpu_load(n), losses.version(context, n)};
  }
  Table& table_of(double cpu_need);
  void build(const DecisionContext& context, ResidentLosses& losses, Table& table);
  void repair(const DecisionContext& context, ResidentLosses& losses, Table& table);
  void merge(std::vector<Entry>& order);

  std::array<Table, kTables> tables_;
  std::uint64_t search_ = 0;
  double most_capacity_ = 1;
  std::vector<Entry> fresh_, merged_;  // scratch
};

}  // namespace dfrs::triage
