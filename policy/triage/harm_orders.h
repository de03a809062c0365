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
    double load;         ///< relative to the capacity, with one more task; 0 if there is CPU left for it
    double loss;         ///< of all jobs there at equal shares with that task; 0 as above
    double tie;          ///< see tie()
    RigidAmount memory;  ///< free there; MiB
    NodeIndex node;
  };
  /// Nodes in ascending order of a key, then of loss, load, tie and index.
  class Order {
   public:
    explicit Order(double Entry::* key) : key_(key) {}

    std::size_t size() const { return entries_.size(); }
    const Entry& operator[](std::size_t k) const { return entries_[k]; }
    /// The first from `k` on with that much memory; size() if there is none. O(entries passed over / 64 + 64).
    std::size_t next(std::size_t k, RigidAmount least) const;
    /// The first behind `k` with another key, or with another load or loss. O(log nodes).
    std::size_t next_key(std::size_t k) const;
    std::size_t next_unlike(std::size_t k) const;
    void clear();
    /// Takes out the nodes that are in `stale`, and brings in `fresh` ones, in any order. O(all of them + fresh ones x
    /// log of these).
    void replace(const DistinctNodes& stale, std::vector<Entry>& fresh, std::vector<Entry>& scratch);

   private:
    static constexpr std::size_t kBlock = 64;
    template <typename Same>
    std::size_t behind(std::size_t k, Same&& same) const;
    double Entry::* key_;
    std::vector<Entry> entries_;
    std::vector<RigidAmount> most_;  // by block of entries: the most memory that one of them has
  };
  /// For tasks of one CPU need.
  struct Nodes {
    Order by_tie{&Entry::tie};    ///< nodes that have CPU left
    Order by_load{&Entry::load};  ///< all others
    Order by_loss{&Entry::loss};  ///< the same
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
    std::uint64_t used = 0;     // the last search for it
    std::uint64_t call = 0;     // the last call with one
    int searches = 0;           // before there were orders
    std::size_t looked_at = 0;  // stale nodes in searches since the last repair, which passes over all nodes
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

  std::array<Table, kTables> tables_;
  std::uint64_t search_ = 0;
  std::uint64_t call_ = 0;
  std::vector<Entry> with_cpu_left_, overloaded_, merged_;  // scratch
};

}  // namespace dfrs::triage
