// SPDX-License-Identifier: GPL-2.0-or-later
// Which nodes are free when: what AvailabilityProfile counts, node by node, for clusters of unequal nodes and for jobs
// that may use some nodes only. A set of nodes per step.
//
// With n steps and N nodes, finding a start costs O(n^2 N / 64) at worst and O(n N / 64) as a rule, taking O(n N / 64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/units.h"

namespace dfrs {

class NodeProfile {
 public:
  /// From `begin` on no node of `nodes` is free.
  void reset(Seconds begin, std::size_t nodes);
  /// Node `n` is free from `from` >= begin on, for ever.
  void release(NodeIndex n, Seconds from);

  /// The earliest start >= not_before at which the nodes that are free in all of [start, start + duration) take `tasks`
  /// tasks, node n taking tasks_on[n] of them; kNever if there is none. `chosen` gets the lowest of those nodes that
  /// do, one entry per task. Requires duration > 0, tasks > 0.
  Seconds earliest_start(Seconds not_before, Seconds duration, std::span<const std::uint32_t> tasks_on,
                         std::uint32_t tasks, std::vector<NodeIndex>& chosen) const;

  /// The nodes (entries may repeat) are not free in [from, to).
  void take(Seconds from, Seconds to, std::span<const NodeIndex> nodes);
  bool free_at(NodeIndex n, Seconds t) const;

 private:
  std::size_t step_at(Seconds t) const;
  std::size_t split_at(Seconds t);

  std::size_t words_ = 0;            // per step
  std::vector<Seconds> time_;        // at which a step begins
  std::vector<std::uint64_t> free_;  // words_ per step, a bit per node
  mutable std::vector<std::uint64_t> common_;
};

}  // namespace dfrs
