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

#include "policy/core/distinct_nodes.h"
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
    std::vector<double> load;    ///< by node
    std::vector<double> loss;    ///< by node, if it is overloaded: of all jobs there, at equal shares
    std::vector<Entry> by_tie;   ///< nodes that have CPU left, the least tie() first, then the least index
    std::vector<Entry> by_load;  ///< all others, the least load first
    std::vector<Entry> by_loss;  ///< the same, the least loss first
    DistinctNodes stale;
  };

  /// What breaks ties of equal harm, lowest value first: the fullest node that has CPU left, so that whole nodes stay
  /// free for wide jobs; if none has, the least loaded. Then the node with the least rigid resources left. `load` is
  /// relative to the capacity, `spare` the sum over the rigid resources of the part that is free.
  static double tie(double load, double spare) { return (load > 1 ? 10 * load : -10 * load) + spare; }
  static double tie(const ClusterState& state, NodeIndex n) {
    return tie(state.cpu_load(n) / state.cpu_capacity(n), rigid_parts(state, state.rigid_free(n), n));
  }
  /// Sum over the rigid resources of how much of the node's this is.
  static double rigid_parts(const ClusterState& state, const RigidVector& amounts, NodeIndex n);

  /// Forgets all orders: everything may have changed, the number of nodes included.
  void reset() { tables_ = {}; }
  /// Starts a call of the policy. Drops orders that have not been used for long. O(CPU needs).
  void begin();
  /// Whether there are any orders.
  bool any() const;
  /// The load of the node may have changed, or the jobs there, or what they can lose. O(CPU needs).
  void changed(const DecisionContext& context, const ResidentLosses& losses, NodeIndex n);
  /// The orders for this CPU need, with few stale nodes; null: not yet, they are built for needs that come often.
  /// `losses` must be in a search for that need in which no job has been counted. Valid until the next call.
  /// O(stale nodes), or to repair them O(nodes + stale nodes x (jobs there + log nodes)).
  const Nodes* of(const DecisionContext& context, ResidentLosses& losses, double cpu_need);

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
    std::uint64_t call = 0;  // the last call with one
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
  void replace_stale(const Nodes& nodes, std::vector<Entry>& order, std::vector<Entry>& fresh);

  std::array<Table, kTables> tables_;
  std::uint64_t search_ = 0;
  std::uint64_t call_ = 0;
  std::vector<Entry> by_tie_, by_load_, by_loss_, merged_;  // scratch
};

}  // namespace dfrs::triage
