// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine answers: plain values that the host carries out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/reason.h"
#include "policy/core/units.h"

namespace dfrs {

enum class DecisionKind : std::uint8_t {
  pause,   ///< stop a running job and free its resources
  move,    ///< run a running job on the given nodes instead of its present ones
  resume,  ///< run a paused job on the given nodes
  start,   ///< run a job for the first time on the given nodes
};

struct Decision {
  DecisionKind kind = DecisionKind::pause;
  JobSlot job = kNoSlot;
  std::uint32_t first = 0;  ///< the job's nodes are Decisions::nodes[first, first + count)
  std::uint32_t count = 0;  ///< one entry per task, ascending; 0 for a pause
};

struct YieldChange {
  JobSlot job = kNoSlot;
  double yield = 0;  ///< in (0, 1]
};

/// All decisions of one call, in the order to carry them out: pauses, moves, resumes, starts. In this order no rigid
/// capacity is exceeded if all moved jobs leave their old nodes before any job takes new ones.
struct Decisions {
  std::vector<Decision> placements;
  std::vector<NodeIndex> nodes;
  std::vector<YieldChange> yields;  ///< of every running job whose yield changes, started and resumed ones included
  Seconds wake_at = kNever;         ///< call again at this instant at the latest; if it is `now`, right after this call
  /// While the engine explains: why jobs are placed, paused or moved, and why they wait, in the order in which the
  /// policy came to it. Of several that concern one job the last one holds.
  std::vector<Reason> reasons;

  std::span<const NodeIndex> nodes_of(const Decision& d) const { return {nodes.data() + d.first, d.count}; }
  void clear() {
    placements.clear();
    nodes.clear();
    yields.clear();
    reasons.clear();
    wake_at = kNever;
  }
};

}  // namespace dfrs
