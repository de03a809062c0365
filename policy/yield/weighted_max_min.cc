// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/weighted_max_min.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dfrs {

void WeightedMaxMinYield::solve(const Sharing& sharing, std::span<const double> weights, std::span<double> yields) {
  constexpr double kOpen = -1;
  std::fill(yields.begin(), yields.end(), kOpen);
  const std::size_t nodes = sharing.nodes().size();
  open_weight_.assign(nodes, 0.0);
  open_capacity_.resize(nodes);
  open_jobs_.resize(nodes);
  heap_.clear();
  const auto worse = [](const Entry& a, const Entry& b) {
    return a.level != b.level ? a.level > b.level : a.node > b.node;
  };
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const Sharing::Node& node = sharing.nodes()[n];
    for (const Sharing::User& user : sharing.users(node)) open_weight_[n] += weights[user.job] * user.need;
    open_capacity_[n] = node.capacity;
    open_jobs_[n] = node.count;
    heap_.push_back({node.capacity / open_weight_[n], n});
  }
  std::make_heap(heap_.begin(), heap_.end(), worse);
  by_cap_.resize(yields.size());
  std::iota(by_cap_.begin(), by_cap_.end(), 0U);
  std::sort(by_cap_.begin(), by_cap_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
  });

  const auto fix = [&](std::uint32_t job, double yield) {
    yields[job] = yield;
    for (const Sharing::Place& place : sharing.places(sharing.jobs()[job])) {
      open_weight_[place.node] -= weights[job] * place.need;
      open_capacity_[place.node] -= yield * place.need;
      --open_jobs_[place.node];
    }
  };
  // A job fixed elsewhere took no more than its share here, so a node's level only rises: one that is out of date is
  // put back.
  const auto level_of = [&](std::uint32_t n) {
    return open_weight_[n] > 0 ? std::max(0.0, open_capacity_[n]) / open_weight_[n]
                               : std::numeric_limits<double>::infinity();
  };
  std::size_t capped = 0;
  while (!heap_.empty()) {
    const Entry top = heap_.front();
    while (capped < by_cap_.size() && yields[by_cap_[capped]] != kOpen) ++capped;
    if (capped < by_cap_.size() && top.level * weights[by_cap_[capped]] >= 1) {
      fix(by_cap_[capped++], 1);
      continue;
    }
    std::pop_heap(heap_.begin(), heap_.end(), worse);
    heap_.pop_back();
    if (open_jobs_[top.node] == 0) continue;
    const double level = level_of(top.node);
    if (level > top.level) {
      heap_.push_back({level, top.node});
      std::push_heap(heap_.begin(), heap_.end(), worse);
      continue;
    }
    for (const Sharing::User& user : sharing.users(sharing.nodes()[top.node])) {
      if (yields[user.job] == kOpen) fix(user.job, std::min(1.0, top.level * weights[user.job]));
    }
  }
  for (double& y : yields) {
    if (y == kOpen) y = 1;
    y = std::clamp(y, std::numeric_limits<double>::min(), 1.0);
  }
}

}  // namespace dfrs
