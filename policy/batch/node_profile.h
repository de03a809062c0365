// SPDX-License-Identifier: GPL-2.0-or-later
// Which nodes are free when, for clusters of unequal nodes and for jobs that may use some nodes only.
// AvailabilityProfile counts free nodes; this keeps a set of nodes per step.
//
// With n steps and N nodes, finding a start costs O(n^2 N / 64) at worst and usually O(n N / 64); taking O(n N / 64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/units.h"

namespace dfrs {

class NodeProfile {
 public:
  /// Starts over with `nodes` nodes, none of which is free from `begin` on.
  void reset(Seconds begin, std::size_t nodes);
  /// Node `n` is free at all times from `from` >= begin on.
  void release(NodeIndex n, Seconds from);

  /// The earliest start >= not_before such that the nodes that are free throughout [start, start + duration) hold
  /// `tasks` tasks, of which node n takes up to tasks_on[n]; kNever if there is none. `chosen` receives the lowest such
  /// nodes, one entry per task. Requires duration > 0 and tasks > 0.
  Seconds earliest_start(Seconds not_before, Seconds duration, std::span<const std::uint32_t> tasks_on,
                         std::uint32_t tasks, std::vector<NodeIndex>& chosen) const;

  /// Makes the nodes, whose entries may repeat, busy in [from, to).
  void take(Seconds from, Seconds to, std::span<const NodeIndex> nodes);
  bool free_at(NodeIndex n, Seconds t) const;

 private:
  std::size_t step_at(Seconds t) const;
  std::size_t split_at(Seconds t);

  std::size_t words_ = 0;            // per step
  std::vector<Seconds> time_;        // by step: when it begins
  std::vector<std::uint64_t> free_;  // words_ per step, one bit per node
  mutable std::vector<std::uint64_t> common_;
};

}  // namespace dfrs
