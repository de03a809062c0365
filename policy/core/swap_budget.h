// SPDX-License-Identifier: GPL-2.0-or-later
// Which running jobs may be suspended, where the memory of suspended jobs goes to the swap of their nodes. All hosts
// follow this one rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policy/core/resources.h"
#include "policy/core/units.h"

namespace dfrs {

/// A running job that may be suspended if its nodes have swap for it.
struct SwapClaim {
  std::span<const NodeIndex> nodes;  ///< one for each task
  RigidAmount memory = 0;            ///< of each task, MiB
  bool leaving = false;              ///< it is being suspended already: it is about to take its swap
  Seconds virtual_time = 0;
  std::uint64_t number = 0;  ///< orders jobs that are equal in all else
  std::size_t owner = 0;     ///< by which the host knows the job
  bool promised = false;     ///< the outcome
};

/// Whether `a` gets swap promised before `b`: jobs that are leaving come first, then those with the most progress,
/// which policies prefer to pause.
bool claims_before(const SwapClaim& a, const SwapClaim& b);

/// Swap of each node that is neither used nor promised.
class SwapBudget {
 public:
  /// `free`: MiB of each node. A node beyond has none.
  explicit SwapBudget(std::vector<RigidAmount> free = {}) : free_(std::move(free)) {}

  const std::vector<RigidAmount>& free() const { return free_; }
  /// Takes `memory` for each of these nodes out of the budget, or nothing at all and returns false if one lacks it.
  /// O(nodes).
  bool promise(std::span<const NodeIndex> nodes, RigidAmount memory);
  /// Whether promise() would take it; equal nodes stand in a row. O(nodes).
  bool holds(std::span<const NodeIndex> nodes, RigidAmount memory) const;
  /// Enters that a suspended job uses `memory` on each of these nodes, or no longer uses it.
  void take(std::span<const NodeIndex> nodes, RigidAmount memory);
  void give_back(std::span<const NodeIndex> nodes, RigidAmount memory);

 private:
  std::vector<RigidAmount> free_;
};

/// Whether jobs that have no nodes yet would find swap on some nodes. Where they would not, they count as jobs that are
/// never paused: once they have started they hold their memory until they end.
class SwapOutlook {
 public:
  /// Of what is left in the budget now.
  explicit SwapOutlook(const SwapBudget& budget) : free_(budget.free()) {}
  /// Whether the tasks find `memory` MiB each. O(nodes) for the first job with this amount, then O(1).
  bool has_room(std::uint64_t tasks, RigidAmount memory);

 private:
  std::span<const RigidAmount> free_;
  std::unordered_map<RigidAmount, std::uint64_t> fitting_;  // tasks, by the memory of one
};

/// Sorts the claims by claims_before() and promises swap to each of them in turn as far as there is some, so that all
/// jobs with a promise could be suspended at once. `budget` is what is left after that. O(claims log claims + tasks).
void promise_swap(SwapBudget& budget, std::span<SwapClaim> claims);

}  // namespace dfrs
