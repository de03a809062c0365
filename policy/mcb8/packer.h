// SPDX-License-Identifier: GPL-2.0-or-later
// MCB8's vector packing (RR-7659, section 4.3; after the multi-capacity bin packing of Leinberger et al.): packs tasks
// with fixed CPU and rigid requirements onto nodes, keeping each node's dimensions in balance.
//
// For each dimension, a list holds the jobs whose largest requirement is in that dimension, by non-increasing
// requirement. Nodes are filled one by one. The list of the dimension with the most room left is searched for the first
// job with a task that fits, then the lists of the other dimensions. With CPU and memory alone this is the paper's
// two-list algorithm. Requirements are compared as fractions of the largest node. Rules that the paper leaves open
// (simulation semantics, rule 11): nodes in index order; a job with equal requirements goes to the list of the rigid
// one; equal items keep submission order; a balanced node tries the CPU list first.
//
// These optimisations do not change any choice:
// - Consecutive jobs of a list with equal requirements form one entry.
// - Searches skip entries that cannot fit (policy/mcb8/fit_list.h).
// - A node takes the same tasks as the last node of its kind, as long as enough of them are left, and searches only
// from
//   there on: entries that did not fit or were used up then still are. Runs of nodes that fill alike are filled in one
//   step.
// - The nodes of single tasks are written down only for the packing that is kept, from the record of its fillings.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/mcb8/fit_list.h"

namespace dfrs {

class Packer {
 public:
  /// One job to pack.
  struct Item {
    JobSlot job = kNoSlot;
    const JobView* spec = nullptr;
    double cpu = 0;           ///< CPU requirement of one task, for pack()
    std::uint32_t first = 0;  ///< set by lay_out()
    bool pinned = false;      ///< stays on `nodes`, which has an entry for each task
    bool excluded = false;    ///< left out, see exclude()
    std::span<const NodeIndex> nodes;
  };

  /// Prepares for packing `items`, whose order decides ties and which must outlive the last packing. O(items), plus
  /// O(nodes) if nodes differ. The first packing sorts the items not excluded by then: O(items log items).
  void prepare(const ClusterState& state, std::vector<Item>& items);
  /// Leaves an item out of all further packings. O(1), and O(tasks) if it is pinned.
  void exclude(std::uint32_t item);

  /// Packs all items, with `yield` times the CPU need of each task. True if every task found a node. O(entries + pinned
  /// tasks + (distinct fillings x tasks per node) log entries), where entries are runs of equal jobs.
  bool pack_scaled(double yield);
  /// Packs all items, with the CPU requirement Item::cpu. O(items log items) more than pack_scaled().
  bool pack();

  /// Computes the nodes of all items in the last successful packing. O(items + tasks).
  void lay_out();
  /// After lay_out(): the nodes of an item that is not excluded, ascending.
  std::span<const NodeIndex> nodes_of(const Item& item) const {
    return {result_.data() + item.first, item.spec->tasks};
  }

  /// Whether the rigid requirements of all items together fit the cluster: exact, and necessary for a packing. O(1).
  bool rigid_totals_fit() const;

 private:
  static constexpr std::size_t kMaxDims = 1 + kMaxRigid;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  struct Key {
    double key;
    std::uint32_t item;
  };
  // Consecutive jobs with equal requirements and eligible nodes.
  struct Group {
    Amounts required{};       // by a task at full speed
    double share = 0;         // largest rigid requirement, as a fraction of the largest node
    std::uint64_t tasks = 0;  // of those not excluded
    std::uint32_t first = 0;  // place in the order
    std::uint32_t count = 0;
    std::uint32_t list = 0;  // of that largest requirement
  };
  // The movable items by non-increasing CPU need or largest rigid requirement, then by submission.
  struct Order {
    std::vector<std::uint32_t> items;
    std::vector<Group> groups;
    std::vector<std::uint32_t> group_of;  // by item
  };
  // Consecutive usable nodes that are alike.
  struct Run {
    NodeIndex first = 0, end = 0;
    Amounts whole{};
  };
  struct FreeAmounts {
    Amounts left{};
    bool empty = true;
    std::uint32_t exclusive = kNobody;  // the item that has the node to itself
  };
  // A node with pinned tasks.
  struct PinnedNode {
    NodeIndex node = 0;
    FreeAmounts room;
  };
  struct Pin {
    NodeIndex node;
    std::uint32_t item;
  };
  // An entry of a list: consecutive equal jobs.
  struct Entry {
    std::uint64_t left = 0;  // tasks without a node
    std::uint64_t used = 0;  // of these, taken by the current filling
    std::uint32_t item = 0;  // one of the jobs
  };
  // One task taken by a node.
  struct Step {
    Amounts room;                                  // that was left before it
    std::array<std::uint32_t, kMaxDims> cursor{};  // by list: no earlier entry fits that room
    std::uint32_t entry = 0;
    std::uint32_t list = 0;
  };
  // What a node takes. Each list needs just a cursor, because an entry that once does not fit a node never will.
  struct Filling {
    std::vector<Step> steps;
    Amounts rest{};  // room left after the last step
  };
  // How a packing was made.
  struct Record {
    struct Nodes {  // consecutive nodes with equal fillings
      NodeIndex first;
      std::uint32_t count;
      std::size_t shares_end;
    };
    struct Share {  // what each of these nodes takes from an entry
      std::uint32_t entry;
      std::uint32_t tasks;
    };
    std::vector<Nodes> nodes;
    std::vector<Share> shares;
    std::vector<std::uint32_t> items;       // of all entries, entry by entry
    std::vector<std::uint32_t> items_from;  // by entry: where its items begin in `items`

    void clear();
  };

  RigidAmount tasks_on_usable(const Item& item) const;
  void measure_nodes();
  void measure_items();
  void sort_items();
  void group(Order& order);
  bool alike_but_for_cpu(std::uint32_t a, std::uint32_t b) const;
  bool wants_cpu(double cpu, double share) const { return cpu / cpu_reference_ > share; }

  bool pack_all();
  bool place_pinned();
  void build_lists();
  void push(std::size_t list, const Group& group, double cpu, std::span<const std::uint32_t> items);
  template <std::size_t D>
  bool fill_nodes();
  template <std::size_t D>
  void fill(Filling& filling, const FreeAmounts& room, const Amounts& whole, NodeIndex n);
  template <std::size_t D>
  std::uint32_t commit(Filling& filling, const Amounts& room, NodeIndex n, std::uint32_t span);
  bool accepts(const Entry& entry, const FreeAmounts& room, NodeIndex n) const;
  bool cannot_fit() const;

  const ClusterState* state_ = nullptr;
  std::vector<Item>* items_ = nullptr;
  std::size_t dims_ = 2;                         // CPU and the rigid resources in use
  bool nodes_matter_ = false;                    // some job is exclusive or limited to eligible nodes
  std::vector<const NodeSet*> sets_;             // the different sets of eligible nodes
  double cpu_reference_ = 1;                     // capacity of the largest node
  std::array<double, kMaxRigid> rigid_scale_{};  // 1 / capacity of the largest node; 0 if no node has any
  std::vector<Run> runs_;                        // in index order
  Amounts total_{};                              // of all usable nodes
  Amounts needed_{};                             // by the items not excluded, on usable nodes, at full speed
  std::uint64_t tasks_total_ = 0;                // of the items neither excluded nor pinned
  std::vector<std::uint32_t> movable_;           // items that are not pinned
  bool sorted_ = false;                          // the orders are those of the present items
  Order by_need_, by_share_;
  std::vector<Group> single_;  // by item: a group of this item alone, without a place
  std::vector<Key> keys_;      // scratch
  std::vector<Pin> pins_;      // by node, then item

  // The current packing.
  bool by_yield_ = false;
  double yield_ = 0;
  std::vector<FitList> lists_;                  // 0: CPU, 1 + d: rigid dimension d
  std::array<std::uint32_t, kMaxDims> base_{};  // number of a list's first entry
  double last_cpu_ = 0;                         // required by the last entry
  std::vector<Entry> entries_;                  // of all lists
  std::vector<PinnedNode> pinned_nodes_;
  Filling filling_, pinned_filling_;
  Amounts filling_whole_{};       // capacity of the nodes that filling_ is for
  Amounts left_{}, room_left_{};  // required by tasks without a node; available on nodes not yet filled
  std::uint64_t tasks_left_ = 0;
  Record record_, kept_;

  std::vector<std::uint32_t> next_;  // by entry: where in result_ the node of its next task goes
  std::vector<NodeIndex> result_;
};

}  // namespace dfrs
