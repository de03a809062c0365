// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/swap_budget.h"

#include <algorithm>

#include "policy/core/node_runs.h"

namespace dfrs {

bool claims_before(const SwapClaim& a, const SwapClaim& b) {
  if (a.leaving != b.leaving) return a.leaving;
  if (a.virtual_time != b.virtual_time) return a.virtual_time > b.virtual_time;
  return a.number < b.number;
}

bool SwapBudget::promise(std::span<const NodeIndex> nodes, RigidAmount memory) {
  for (std::size_t taken = 0; taken < nodes.size(); ++taken) {
    const NodeIndex n = nodes[taken];
    if (n >= free_.size() || free_[n] < memory) {
      give_back(nodes.first(taken), memory);
      return false;
    }
    free_[n] -= memory;
  }
  return true;
}

bool SwapBudget::holds(std::span<const NodeIndex> nodes, RigidAmount memory) const {
  return all_node_runs(nodes, [&](NodeIndex n, std::uint32_t tasks) {
    return n < free_.size() && free_[n] >= static_cast<RigidAmount>(tasks) * memory;
  });
}

void SwapBudget::take(std::span<const NodeIndex> nodes, RigidAmount memory) {
  for (const NodeIndex n : nodes) free_[n] -= memory;
}

void SwapBudget::give_back(std::span<const NodeIndex> nodes, RigidAmount memory) {
  for (const NodeIndex n : nodes) free_[n] += memory;
}

bool SwapOutlook::has_room(std::uint64_t tasks, RigidAmount memory) {
  if (memory <= 0) return true;
  const auto [found, first] = fitting_.try_emplace(memory, 0);
  if (first) {
    for (const RigidAmount free : free_) {
      if (free > 0) found->second += static_cast<std::uint64_t>(free / memory);
    }
  }
  return found->second >= tasks;
}

void promise_swap(SwapBudget& budget, std::span<SwapClaim> claims) {
  if (!std::is_sorted(claims.begin(), claims.end(), claims_before)) {
    std::sort(claims.begin(), claims.end(), claims_before);
  }
  for (SwapClaim& claim : claims) claim.promised = budget.promise(claim.nodes, claim.memory);
}

}  // namespace dfrs
