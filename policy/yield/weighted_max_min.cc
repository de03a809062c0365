// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/weighted_max_min.h"

#include <algorithm>
#include <numeric>

namespace dfrs {

namespace {

bool same_users(const Sharing& sharing, const Sharing::Node& a, const Sharing::Node& b) {
  if (a.count != b.count || a.capacity != b.capacity) return false;
  const std::span<const Sharing::User> of_a = sharing.users(a);
  const std::span<const Sharing::User> of_b = sharing.users(b);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                    [](const auto& x, const auto& y) { return x.job == y.job && x.need == y.need; });
}

}  // namespace

void WeightedMaxMinYield::solve(const Sharing& sharing, std::span<const double> weights, std::span<double> yields) {
  constexpr double kOpen = -1;
  std::fill(yields.begin(), yields.end(), kOpen);
  heap_.clear();
  for (std::uint32_t n = 0; n < sharing.nodes().size(); ++n) {
    const Sharing::Node& node = sharing.nodes()[n];
    // A gang's nodes often hold the same: one of them stands for its neighbours.
    if (n > 0 && same_users(sharing, node, sharing.nodes()[n - 1])) continue;
    double weight = 0;
    for (const Sharing::User& user : sharing.users(node)) weight += weights[user.job] * user.need;
    heap_.push_back({node.capacity / weight, n});
  }
  for (std::size_t k = heap_.size() / 2; k-- > 0;) sink(k);
  by_cap_.resize(yields.size());
  std::iota(by_cap_.begin(), by_cap_.end(), 0U);
  std::sort(by_cap_.begin(), by_cap_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
  });

  std::size_t capped = 0;
  while (!heap_.empty()) {
    const Entry top = heap_.front();
    while (capped < by_cap_.size() && yields[by_cap_[capped]] != kOpen) ++capped;
    if (capped < by_cap_.size() && top.level * weights[by_cap_[capped]] >= 1) {
      yields[by_cap_[capped++]] = 1;
      continue;
    }
    // Summed anew instead of kept by differences, which weights of different magnitude would spoil.
    const Sharing::Node& node = sharing.nodes()[top.node];
    double weight = 0;
    double capacity = node.capacity;
    for (const Sharing::User& user : sharing.users(node)) {
      const double yield = yields[user.job];
      yield == kOpen ? weight += weights[user.job] * user.need : capacity -= yield * user.need;
    }
    if (weight == 0) {  // all its jobs are fixed
      heap_.front() = heap_.back();
      heap_.pop_back();
      sink(0);
      continue;
    }
    // A job fixed elsewhere took no more than its share here, so a node's level only rises: one that is out of date
    // sinks when it comes to the top.
    const double level = capacity / weight;
    if (level > top.level) {
      heap_.front().level = level;
      sink(0);
      continue;
    }
    for (const Sharing::User& user : sharing.users(node)) {
      if (yields[user.job] == kOpen) yields[user.job] = std::min(1.0, top.level * weights[user.job]);
    }
  }
  for (double& y : yields) {
    if (y == kOpen) y = 1;
  }
}

// Lowest level first, then lowest index: a fixed order, so the same result everywhere.
void WeightedMaxMinYield::sink(std::size_t at) {
  if (at >= heap_.size()) return;
  const auto before = [](const Entry& a, const Entry& b) {
    return a.level != b.level ? a.level < b.level : a.node < b.node;
  };
  const Entry entry = heap_[at];
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], entry)) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = entry;
}

}  // namespace dfrs
