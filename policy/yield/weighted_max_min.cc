// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/weighted_max_min.h"

#include <algorithm>

namespace dfrs {

namespace {

bool same_users(const CpuContention& contention, const CpuContention::Node& a, const CpuContention::Node& b) {
  if (a.count != b.count || a.capacity != b.capacity) return false;
  const std::span<const CpuContention::User> of_a = contention.users(a);
  const std::span<const CpuContention::User> of_b = contention.users(b);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                    [](const auto& x, const auto& y) { return x.job == y.job && x.need == y.need; });
}

// The level at which the node is full if none of its jobs is fixed before.
double level_of_all(const CpuContention& contention, std::span<const double> weights, const CpuContention::Node& node) {
  double weight = 0;
  for (const CpuContention::User& user : contention.users(node)) weight += weights[user.job] * user.need;
  return node.capacity / weight;
}

}  // namespace

void WeightedMaxMinYield::solve(const CpuContention& contention, std::span<const double> weights,
                                std::span<double> yields) {
  const std::size_t nodes = contention.nodes().size();
  filling_.resize(yields.size());
  for (std::size_t job = 0; job < filling_.size(); ++job) filling_[job] = {weights[job], 0};
  queue_.restart();
  for (std::uint32_t n = 0; n < nodes; ++n) {
    // The nodes of a parallel job often hold the same jobs: one node stands for its equal neighbours.
    if (n > 0 && same_users(contention, contention.nodes()[n], contention.nodes()[n - 1])) continue;
    queue_.push({level_of_all(contention, weights, contention.nodes()[n]), n});
  }

  while (!queue_.empty()) {
    const auto [at_level, n] = queue_.pop();
    // Sums are computed afresh each time: updating them would lose precision, because weights differ by orders of
    // magnitude.
    const CpuContention::Node& node = contention.nodes()[n];
    double weight = 0;
    double capacity = node.capacity;
    for (const CpuContention::User& user : contention.users(node)) {
      Filling& job = filling_[user.job];
      if (at_level * job.open_weight >= 1) job = {0, 1};
      // One of the two is 0. Branch-free, because whether a job is open is unpredictable.
      weight += job.open_weight * user.need;
      capacity -= job.yield * user.need;
    }
    if (weight == 0) continue;  // all its jobs are fixed
    // A job fixed elsewhere took no more than its share here, so a node's level only rises. An outdated node waits for
    // its new level.
    const double level = capacity / weight;
    if (level > at_level) {
      queue_.push({level, n});
      continue;
    }
    for (const CpuContention::User& user : contention.users(node)) {
      Filling& job = filling_[user.job];
      if (job.open_weight > 0) job = {0, at_level * job.open_weight};
    }
  }
  for (std::size_t job = 0; job < yields.size(); ++job) {
    yields[job] = filling_[job].open_weight > 0 ? 1 : filling_[job].yield;
  }
}

}  // namespace dfrs
