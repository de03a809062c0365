// SPDX-License-Identifier: GPL-2.0-or-later
// MCB8's vector packing (RR-7659, section 4.3; after Leinberger et al., multi-capacity bin packing): tasks with fixed
// CPU and rigid requirements onto nodes, keeping each node's dimensions in balance.
//
// One list per dimension holds the jobs for which that dimension is the largest requirement, by non-increasing
// requirement. Node by node, the list of the dimension with most room left is searched for the first job with a task
// that fits, then the lists of the other dimensions. With CPU and memory alone this is the paper's two-list algorithm.
// Requirements compare as fractions of the largest node. Rules the paper leaves open (simulation semantics, rule 11):
// nodes in index order; equal requirements count as rigid ones; equal items keep submission order; a balanced node
// tries the CPU list first.
//
// What makes it fast changes no choice:
// - Jobs that follow each other in a list and require the same are one entry of it.
// - Searches pass over what cannot fit (policy/mcb8/fit_list.h).
// - A node takes what the last node of its kind took, for as long as there is as much left of it, and is searched for
//   only from there on: an entry that did not fit or was used up before did and was so now. Runs of nodes that fill
//   alike are filled in one step.
// - Which task is where is written down for the packing that is kept, from the record of the fillings.
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
    bool pinned = false;      ///< placed beforehand on `nodes`, one for each task
    bool excluded = false;    ///< not to be packed, see exclude()
    std::span<const NodeIndex> nodes;
  };

  /// Items in submission order. `items` is kept by reference until the last packing; the first one sorts those that
  /// are not excluded then. O(items), O(items log items) at the first packing, and O(nodes) where they differ.
  void prepare(const ClusterState& state, std::vector<Item>& items);
  /// Leaves an item out of all further packings. O(1), and O(tasks) if it is pinned.
  void exclude(std::uint32_t item);

  /// True if all tasks of all items found a node, every one with `yield` times its CPU need. O(entries + pinned tasks +
  /// (distinct fillings x tasks per node) log entries), where entries are runs of equal jobs.
  bool pack_scaled(double yield);
  /// The same with the items' own `cpu`. O(items log items) more.
  bool pack();

  /// Writes down the nodes of all items in the last packing that succeeded. O(items + tasks).
  void lay_out();
  /// Nodes of an item that is not excluded, ascending; after lay_out().
  std::span<const NodeIndex> nodes_of(const Item& item) const {
    return {result_.data() + item.first, item.spec->tasks};
  }

  /// A necessary condition, exact: do all items' rigid requirements together fit the cluster at all? O(1).
  bool rigid_totals_fit() const;

 private:
  static constexpr std::size_t kMaxDims = 1 + kMaxRigid;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  struct Key {
    double key;
    std::uint32_t item;
  };
  // Jobs in a row that require the same of the same nodes.
  struct Group {
    Amounts required{};       // by a task at full speed
    double share = 0;         // largest rigid share
    std::uint64_t tasks = 0;  // of those not excluded
    std::uint32_t first = 0;  // place in the order
    std::uint32_t count = 0;
    std::uint32_t list = 0;  // that of the largest rigid share
  };
  // The movable items by non-increasing CPU need or largest rigid share, then by submission.
  struct Order {
    std::vector<std::uint32_t> items;
    std::vector<Group> groups;
    std::vector<std::uint32_t> group_of;  // by item
  };
  // Usable nodes in a row that are alike.
  struct Run {
    NodeIndex first = 0, end = 0;
    Amounts whole{};
  };
  struct Room {
    Amounts left{};
    bool empty = true;
    std::uint32_t exclusive = kNobody;  // the item that has the node for itself
  };
  // A node with pinned tasks.
  struct PinnedNode {
    NodeIndex node = 0;
    Room room;
  };
  struct Pin {
    NodeIndex node;
    std::uint32_t item;
  };
  // Of one list: equal jobs in a row.
  struct Entry {
    std::uint64_t left = 0;  // tasks without a node
    std::uint64_t used = 0;  // of these, by the filling at hand
    std::uint32_t item = 0;  // one of the jobs
  };
  // One task taken by a node.
  struct Step {
    Amounts room;                                  // left before it
    std::array<std::uint32_t, kMaxDims> cursor{};  // nothing before these fits that room
    std::uint32_t entry = 0;
    std::uint32_t list = 0;
  };
  // What a node takes. One cursor per list: what does not fit a node once does not fit it later.
  struct Filling {
    std::vector<Step> steps;
    Amounts rest{};  // room left after the last one
  };
  // A packing as it came about.
  struct Record {
    struct Nodes {  // that took the same
      NodeIndex first;
      std::uint32_t count;
      std::size_t shares_end;
    };
    struct Share {  // of each of the nodes
      std::uint32_t entry;
      std::uint32_t tasks;
    };
    std::vector<Nodes> nodes;
    std::vector<Share> shares;
    std::vector<std::uint32_t> items;       // of all entries, entry by entry
    std::vector<std::uint32_t> items_from;  // by entry: its first in `items`

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
  void fill(Filling& filling, const Room& room, const Amounts& whole, NodeIndex n);
  template <std::size_t D>
  std::uint32_t commit(Filling& filling, const Amounts& room, NodeIndex n, std::uint32_t span);
  bool accepts(const Entry& entry, const Room& room, NodeIndex n) const;
  bool cannot_fit() const;

  const ClusterState* state_ = nullptr;
  std::vector<Item>* items_ = nullptr;
  std::size_t dims_ = 2;                         // CPU and the rigid resources in use
  bool nodes_matter_ = false;                    // some job does not share, or does not take just any node
  std::vector<const NodeSet*> sets_;             // of nodes that jobs are bound to
  double cpu_reference_ = 1;                     // the largest node
  std::array<double, kMaxRigid> rigid_scale_{};  // 1 / the largest node, 0 where there is none of it
  std::vector<Run> runs_;                        // in index order
  Amounts total_{};                              // of all usable nodes
  Amounts needed_{};                             // by the items not excluded, on usable nodes, at full speed
  std::uint64_t tasks_total_ = 0;                // of the items neither excluded nor pinned
  std::vector<std::uint32_t> movable_;           // items that are not pinned
  bool sorted_ = false;                          // the orders are of the items at hand
  Order by_need_, by_share_;
  std::vector<Group> single_;  // by item: a group of its own, without place
  std::vector<Key> keys_;      // scratch
  std::vector<Pin> pins_;      // by node, then item

  // Of the packing at hand.
  bool by_yield_ = false;
  double yield_ = 0;
  std::vector<FitList> lists_;                  // 0: CPU, 1 + d: rigid dimension d
  std::array<std::uint32_t, kMaxDims> base_{};  // number of a list's first entry
  double last_cpu_ = 0;                         // that the last entry requires
  std::vector<Entry> entries_;                  // of all lists
  std::vector<PinnedNode> pinned_nodes_;
  Filling filling_, pinned_filling_;
  Amounts filling_whole_{};       // of the nodes that filling_ is of
  Amounts left_{}, room_left_{};  // required by tasks without a node; of nodes not yet filled
  std::uint64_t tasks_left_ = 0;
  Record record_, kept_;

  std::vector<std::uint32_t> next_;  // by entry: where its next task's node goes
  std::vector<NodeIndex> result_;
};

}  // namespace dfrs
