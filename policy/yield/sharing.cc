// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/sharing.h"

#include <algorithm>

#include "policy/compare.h"

namespace dfrs {

void Sharing::build(const ClusterState& state, const ClusterView& view) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  nodes_.clear();
  users_.clear();
  jobs_.clear();
  places_.clear();
  running_.clear();
  max_load_ = 1;
  const auto count = static_cast<NodeIndex>(state.node_count());
  node_index_.resize(count);
  for (NodeIndex n = 0; n < count; ++n) {
    node_index_[n] = kNone;
    const double capacity = state.cpu_capacity(n);
    if (!cpu_exceeds(state.cpu_load(n), capacity)) continue;
    node_index_[n] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({capacity, state.cpu_load(n), 0, 0});
    max_load_ = std::max(max_load_, state.cpu_load(n) / capacity);
  }
  for (JobSlot slot : state.active()) {
    if (!state.placed(slot)) continue;
    running_.push_back(slot);
    if (nodes_.empty()) continue;
    const double need = view.jobs[slot].cpu_need;
    const auto first = static_cast<std::uint32_t>(places_.size());
    for (NodeIndex n : state.nodes_of(slot)) {  // ascending: tasks on one node are neighbours
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
  // Transpose: users by node, jobs in submission order within a node.
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

void repair_yields(const Sharing& sharing, std::span<double> yields) {
  for (const Sharing::Node& node : sharing.nodes()) {
    double used = 0;
    for (const Sharing::User& user : sharing.users(node)) used += user.need * yields[user.job];
    if (used <= node.capacity) continue;
    for (const Sharing::User& user : sharing.users(node)) yields[user.job] *= node.capacity / used;
  }
}

}  // namespace dfrs
