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
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/cluster_state.h"

namespace dfrs {

class Packer {
 public:
  /// One job to pack. `cpu` is what pack() uses of each task's CPU, set by the caller before each pack().
  struct Item {
    JobSlot job = kNoSlot;
    const JobView* spec = nullptr;
    double cpu = 0;           ///< CPU requirement of one task
    std::uint32_t first = 0;  ///< its nodes are result[first, first + tasks)
    bool pinned = false;      ///< placed beforehand on `nodes`
    bool excluded = false;    ///< not to be packed, see exclude()
    std::span<const NodeIndex> nodes;
  };

  /// Items in submission order. Sorts them once; pack() may then be called many times. `items` is kept by reference
  /// until the last pack(). O(items log items + nodes).
  void prepare(const ClusterState& state, std::vector<Item>& items);
  /// Leaves an item out of all further packings. O(1).
  void exclude(std::uint32_t item);

  /// How the items' CPU requirements relate to the CPU needs.
  enum class Change {
    scaled,  ///< all by one factor: the order by CPU need holds
    any,     ///< sort again
  };
  /// True if all tasks of all items found a node; nodes_of() then tells which. Worst case O(nodes x items), in
  /// practice O(distinct node fillings x items + tasks): runs of nodes that fill alike are filled in one step.
  bool pack(Change change);

  /// Nodes of an item after a pack() that returned true, ascending.
  std::span<const NodeIndex> nodes_of(const Item& item) const {
    return {result_.data() + item.first, item.spec->tasks};
  }

  /// A necessary condition, exact: do all items' rigid requirements together fit the cluster at all? O(1).
  bool rigid_totals_fit() const;

 private:
  struct Key {
    double key;
    std::uint32_t item;
    static bool larger(const Key& a, const Key& b) { return a.key != b.key ? a.key > b.key : a.item < b.item; }
  };
  // Requirements stand side by side in the order of search, so that a search reads memory in a row. One cursor per
  // node: what does not fit a node once does not fit it later. Entries without tasks left need infinite CPU.
  struct List {
    std::vector<double> cpu;
    std::vector<RigidAmount> rigid;  // the first rigid dimension
    std::vector<std::uint32_t> item;
    std::vector<double> least_cpu;  // of this entry and all behind it: ends a search early
    std::vector<RigidAmount> least_rigid;
    std::size_t cursor = 0;
    std::size_t spent = 0;  // entries without tasks left

    void clear();
    void push(double c, RigidAmount r, std::uint32_t k);
    void finish();
    void compact();
  };
  // What one node received: lets the next node of the same kind be filled at once.
  struct Step {
    std::uint32_t item;
    std::uint32_t count;
  };
  struct Room {
    double cpu = 0;
    RigidVector rigid{};
    std::uint32_t tasks = 0;
    bool exclusive = false;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  RigidAmount tasks_on_usable(const Item& item) const;
  bool place_pinned();
  void build_lists(Change change);
  void fill(NodeIndex n);
  std::size_t prefer(const Room& room, NodeIndex n);
  std::size_t find_next(List& list, const Room& room, NodeIndex n) const;
  bool fits(std::uint32_t k, double cpu, const Room& room, NodeIndex n) const;
  void take(std::uint32_t k, Room& room, NodeIndex n, std::uint32_t count);
  bool repeats(NodeIndex n) const;
  bool hopeless() const;

  const ClusterState* state_ = nullptr;
  std::vector<Item>* items_ = nullptr;
  std::size_t dims_ = 1;  // rigid dimensions
  bool plain_ = true;     // homogeneous, no eligibility, nothing exclusive
  bool simple_ = true;    // plain and one rigid dimension
  std::uint64_t tasks_total_ = 0;
  RigidVector rigid_needed_{};                   // by the items not excluded
  double cpu_reference_ = 1;                     // the largest node
  std::array<double, kMaxRigid> rigid_scale_{};  // 1 / the largest node, 0 where there is none of it
  double cpu_total_ = 0;
  RigidVector rigid_total_{};

  std::vector<Key> by_need_;             // items by non-increasing CPU
  std::vector<Key> by_share_;            // items by non-increasing largest rigid share
  std::vector<double> share_;            // largest rigid share, by item
  std::vector<std::uint8_t> share_dim_;  // its dimension
  std::vector<List> lists_;              // 0: CPU, 1 + d: rigid dimension d
  std::array<std::size_t, kMaxRigid + 1> preference_{};
  std::vector<std::uint32_t> left_;    // tasks without a node, by item
  std::vector<std::uint32_t> placed_;  // tasks with one
  std::vector<Room> empty_room_;       // by node, without any task
  std::vector<Room> room_;             // by node, before its turn
  std::vector<std::uint8_t> touched_;  // node holds pinned tasks
  std::vector<Step> steps_;            // of the last node filled
  bool steps_valid_ = false;
  std::vector<NodeIndex> result_;
  double cpu_left_ = 0, cpu_room_left_ = 0;
  RigidVector rigid_left_{}, rigid_room_left_{};
  std::uint64_t tasks_left_ = 0;
};

}  // namespace dfrs
