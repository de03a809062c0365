// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/max_min.h"

#include <algorithm>

namespace dfrs {

void MaxMinYield::solve(const CpuContention& contention, std::span<double> yields) {
  constexpr double kOpen = -1;
  std::fill(yields.begin(), yields.end(), kOpen);
  const std::size_t nodes = contention.nodes().size();
  open_need_.resize(nodes);
  open_capacity_.resize(nodes);
  heap_.clear();
  // Lowest share first, then lowest index: a fixed order gives the same result everywhere.
  const auto worse = [](const Entry& a, const Entry& b) {
    return a.share != b.share ? a.share > b.share : a.node > b.node;
  };
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const CpuContention::Node& node = contention.nodes()[n];
    open_need_[n] = node.load;
    open_capacity_[n] = node.capacity;
    const double share = node.capacity / node.load;
    if (share < 1) heap_.push_back({share, n});
  }
  std::make_heap(heap_.begin(), heap_.end(), worse);

  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), worse);
    const Entry top = heap_.back();
    heap_.pop_back();
    const CpuContention::Node& node = contention.nodes()[top.node];
    // Jobs fixed elsewhere since this entry was made took less than their share here, so shares only grow. An outdated
    // entry goes back with its new share.
    bool open = false;
    for (const CpuContention::User& user : contention.users(node)) open = open || yields[user.job] == kOpen;
    if (!open) continue;
    const double share = open_capacity_[top.node] / open_need_[top.node];
    if (share > top.share) {
      if (share < 1) {
        heap_.push_back({share, top.node});
        std::push_heap(heap_.begin(), heap_.end(), worse);
      }
      continue;
    }
    for (const CpuContention::User& user : contention.users(node)) {
      if (yields[user.job] != kOpen) continue;
      yields[user.job] = share;
      for (const CpuContention::Place& place : contention.places(contention.jobs()[user.job])) {
        open_need_[place.node] -= place.need;
        open_capacity_[place.node] -= place.need * share;
      }
    }
  }
  for (double& y : yields) {
    if (y == kOpen) y = 1;
    y = std::clamp(y, 0.0, 1.0);
  }
}

}  // namespace dfrs
