// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/swap_budget.h"

#include <algorithm>

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

void SwapBudget::take(std::span<const NodeIndex> nodes, RigidAmount memory) {
  for (const NodeIndex n : nodes) free_[n] -= memory;
}

void SwapBudget::give_back(std::span<const NodeIndex> nodes, RigidAmount memory) {
  for (const NodeIndex n : nodes) free_[n] += memory;
}

void promise_swap(SwapBudget& budget, std::span<SwapClaim> claims) {
  if (!std::is_sorted(claims.begin(), claims.end(), claims_before)) {
    std::sort(claims.begin(), claims.end(), claims_before);
  }
  for (SwapClaim& claim : claims) claim.promised = budget.promise(claim.nodes, claim.memory);
}

}  // namespace dfrs
