// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/nodes_by_load.h"

#include <algorithm>

namespace dfrs {
namespace {

constexpr std::size_t kBlock = 128;  // entries in a new block; a block of twice as many is split

// Scanning fewer nodes than this is cheap enough.
constexpr std::size_t kLeastNodes = 1024;
// Each CPU capacity has an order of its own. With more of them the orders gain nothing.
constexpr std::size_t kMostCapacities = 16;
// Measured costs of moving one node and of sorting all (per node), in units of scanning one node.
constexpr std::uint64_t kMoveCost = 256;
constexpr std::uint64_t kSortCost = 16;

using Entry = NodesByLoad::Order::Entry;

bool before(const Entry& a, const Entry& b) { return a.load != b.load ? a.load < b.load : a.node < b.node; }

bool holds(const RigidVector& free, const RigidVector& required, std::size_t dims) {
  for (std::size_t d = 0; d < dims; ++d) {
    if (free[d] < required[d]) return false;
  }
  return true;
}

}  // namespace

void NodesByLoad::Order::Block::summarize() {
  most = entries[0].free;
  for (const Entry& entry : entries) {
    for (std::size_t d = 0; d < most.size(); ++d) most[d] = std::max(most[d], entry.free[d]);
  }
}

NodesByLoad::Order::Spot NodesByLoad::Order::first_with(Spot spot, const RigidVector& required,
                                                        std::size_t dims) const {
  for (; spot.block < blocks_.size(); ++spot.block, spot.at = 0) {
    const Block& block = blocks_[spot.block];
    if (!holds(block.most, required, dims)) continue;
    for (; spot.at < block.entries.size(); ++spot.at) {
      if (holds(block.entries[spot.at].free, required, dims)) return spot;
    }
  }
  return {blocks_.size(), 0};
}

NodesByLoad::Order::Spot NodesByLoad::Order::above(double load) const {
  const auto block = std::partition_point(blocks_.begin(), blocks_.end(),
                                          [&](const Block& b) { return b.entries.back().load <= load; });
  if (block == blocks_.end()) return {blocks_.size(), 0};
  const auto entry = std::partition_point(block->entries.begin(), block->entries.end(),
                                          [&](const Entry& e) { return e.load <= load; });
  return {static_cast<std::size_t>(block - blocks_.begin()), static_cast<std::size_t>(entry - block->entries.begin())};
}

// The first block that does not end before such an entry; the last block if all do.
std::size_t NodesByLoad::Order::block_of(double load, NodeIndex node) const {
  const Entry wanted{load, node, {}};
  const auto block = std::partition_point(blocks_.begin(), blocks_.end(),
                                          [&](const Block& b) { return before(b.entries.back(), wanted); });
  return static_cast<std::size_t>(block - blocks_.begin()) - (block == blocks_.end() ? 1 : 0);
}

void NodesByLoad::Order::build(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(), before);
  blocks_.resize((entries.size() + kBlock - 1) / kBlock);
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const auto first = entries.begin() + static_cast<std::ptrdiff_t>(k * kBlock);
    const auto end = entries.begin() + static_cast<std::ptrdiff_t>(std::min((k + 1) * kBlock, entries.size()));
    blocks_[k].entries.assign(first, end);
    blocks_[k].summarize();
  }
}

void NodesByLoad::Order::insert(const Entry& entry) {
  if (blocks_.empty()) {
    blocks_.push_back({{entry}, entry.free});
    return;
  }
  const std::size_t at = block_of(entry.load, entry.node);
  Block& block = blocks_[at];
  block.entries.insert(std::lower_bound(block.entries.begin(), block.entries.end(), entry, before), entry);
  if (block.entries.size() < 2 * kBlock) {
    for (std::size_t d = 0; d < block.most.size(); ++d) block.most[d] = std::max(block.most[d], entry.free[d]);
    return;
  }
  Block second;
  second.entries.assign(block.entries.begin() + kBlock, block.entries.end());
  second.summarize();
  block.entries.resize(kBlock);
  block.summarize();
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at + 1), std::move(second));
}

void NodesByLoad::Order::erase(double load, NodeIndex node) {
  const std::size_t at = block_of(load, node);
  Block& block = blocks_[at];
  block.entries.erase(std::lower_bound(block.entries.begin(), block.entries.end(), Entry{load, node, {}}, before));
  if (block.entries.empty()) {
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
  } else {
    block.summarize();
  }
}

namespace {

Entry entry_of(const NodeLoads& nodes, NodeIndex n) {
  Entry entry{nodes.cpu_load[n], n, nodes.rigid_free[n]};
  if (nodes.exclusive_tasks[n] != 0) entry.free.fill(-1);
  return entry;
}

}  // namespace

void NodesByLoad::build(const NodeLoads& nodes) {
  const auto count = static_cast<NodeIndex>(nodes.count());
  order_of_.assign(count, 0);
  load_.assign(count, 0.0);
  noted_.assign(count, 0);
  changed_.clear();
  orders_.clear();
  too_many_capacities_ = false;
  known_ = true;
  for (auto& entries : sorted_) entries.clear();
  for (NodeIndex n = 0; n < count; ++n) {
    if (nodes.usable[n] == 0) continue;
    std::size_t k = 0;
    while (k < orders_.size() && orders_[k].cpu_capacity_ != nodes.cpu_capacity[n]) ++k;
    if (k == kMostCapacities) {
      too_many_capacities_ = true;
      return;
    }
    if (k == orders_.size()) {
      orders_.emplace_back();
      orders_[k].cpu_capacity_ = nodes.cpu_capacity[n];
      if (sorted_.size() == k) sorted_.emplace_back();
    }
    order_of_[n] = static_cast<std::uint32_t>(k);
    load_[n] = nodes.cpu_load[n];
    sorted_[k].push_back(entry_of(nodes, n));
  }
  for (std::size_t k = 0; k < orders_.size(); ++k) orders_[k].build(sorted_[k]);
}

void NodesByLoad::move_changed(const NodeLoads& nodes) {
  for (NodeIndex n : changed_) {
    noted_[n] = 0;
    if (nodes.usable[n] == 0) continue;
    Order& order = orders_[order_of_[n]];
    order.erase(load_[n], n);
    load_[n] = nodes.cpu_load[n];
    order.insert(entry_of(nodes, n));
  }
  changed_.clear();
}

std::span<const NodesByLoad::Order> NodesByLoad::orders(const NodeLoads& nodes) {
  const std::uint64_t count = nodes.count();
  if (count < kLeastNodes || (known_ && too_many_capacities_)) return {};
  const std::uint64_t sort_cost = kSortCost * count;
  const std::uint64_t move_cost = known_ ? kMoveCost * changed_.size() : sort_cost;
  if (std::min(move_cost, sort_cost) > looked_at_ + count) {
    looked_at_ += count;
    return {};
  }
  looked_at_ = 0;
  if (move_cost < sort_cost) {
    move_changed(nodes);
  } else {
    build(nodes);
    if (too_many_capacities_) return {};
  }
  return orders_;
}

}  // namespace dfrs
