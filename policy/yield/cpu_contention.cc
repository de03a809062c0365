// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/cpu_contention.h"

#include <algorithm>

#include "policy/core/compare.h"

namespace dfrs {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

}  // namespace

void CpuContention::build(const ClusterState& state, const ClusterView& view) {
  begin(state);
  const auto count = static_cast<NodeIndex>(state.node_count());
  for (NodeIndex n = 0; n < count; ++n) {
    if (cpu_exceeds(state.cpu_load(n), state.cpu_capacity(n))) add_node(state, n);
  }
  for (JobSlot slot : state.active()) {
    if (state.placed(slot)) add_job(state, view, slot);
  }
  finish();
}

void CpuContention::build(const ClusterState& state, const ClusterView& view, std::span<const NodeIndex> nodes,
                          std::span<const JobSlot> jobs) {
  begin(state);
  for (NodeIndex n : nodes) add_node(state, n);
  for (JobSlot slot : jobs) add_job(state, view, slot);
  finish();
}

void CpuContention::begin(const ClusterState& state) {
  for (NodeIndex n : members_) node_index_[n] = kNone;
  members_.clear();
  node_index_.resize(state.node_count(), kNone);
  nodes_.clear();
  users_.clear();
  jobs_.clear();
  places_.clear();
  running_.clear();
  max_load_ = 1;
}

void CpuContention::add_node(const ClusterState& state, NodeIndex n) {
  const double capacity = state.cpu_capacity(n);
  node_index_[n] = static_cast<std::uint32_t>(nodes_.size());
  members_.push_back(n);
  nodes_.push_back({capacity, state.cpu_load(n), 0, 0});
  max_load_ = std::max(max_load_, state.cpu_load(n) / capacity);
}

void CpuContention::add_job(const ClusterState& state, const ClusterView& view, JobSlot slot) {
  running_.push_back(slot);
  if (nodes_.empty()) return;
  const auto first = static_cast<std::uint32_t>(places_.size());
  const double need = view.jobs[slot].cpu_need;
  for (NodeIndex n : state.nodes_of(slot)) {  // ascending, so tasks on one node are adjacent
    const std::uint32_t index = node_index_[n];
    if (index == kNone) continue;
    if (places_.size() > first && places_.back().node == index) {
      places_.back().need += need;
    } else {
      places_.push_back({index, need});
      ++nodes_[index].count;
    }
  }
  const auto entries = static_cast<std::uint32_t>(places_.size()) - first;
  if (entries != 0) jobs_.push_back({slot, first, entries});
}

void CpuContention::limit_capacity(std::uint32_t node, double capacity) {
  nodes_[node].capacity = capacity;
  nodes_[node].load = 0;
  for (const User& user : users(nodes_[node])) nodes_[node].load += user.need;
}

// Transposes places into users: by node, in submission order within a node.
void CpuContention::finish() {
  std::uint32_t offset = 0;
  for (Node& node : nodes_) {
    node.first = offset;
    offset += node.count;
    node.count = 0;
  }
  users_.resize(offset);
  for (std::uint32_t j = 0; j < jobs_.size(); ++j) {
    for (const Place& place : places(jobs_[j])) {
      Node& node = nodes_[place.node];
      users_[node.first + node.count++] = {j, place.need};
    }
  }
}

void repair_yields(const CpuContention& contention, std::span<double> yields) {
  for (const CpuContention::Node& node : contention.nodes()) {
    const double used = cpu_used(contention, node, yields);
    if (used <= node.capacity) continue;
    for (const CpuContention::User& user : contention.users(node)) yields[user.job] *= node.capacity / used;
  }
}

}  // namespace dfrs
