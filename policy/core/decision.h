// SPDX-License-Identifier: GPL-2.0-or-later
// What the engine answers: values only, nothing is carried out here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/units.h"

namespace dfrs {

enum class DecisionKind : std::uint8_t {
  pause,   ///< stop a running job and give its resources back
  move,    ///< put a running job on the given nodes instead of its own
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

/// All decisions of one call. Carried out in order they never exceed a rigid capacity as long as a move gives up
/// all its old nodes before any job takes new ones: pauses come first, then moves, resumes and starts.
struct Decisions {
  std::vector<Decision> placements;
  std::vector<NodeIndex> nodes;
  std::vector<YieldChange> yields;  ///< of every running job whose yield is new, started and resumed ones included
  Seconds wake_at = kNever;         ///< call again at this time at the latest; now: right behind this

  std::span<const NodeIndex> nodes_of(const Decision& d) const { return {nodes.data() + d.first, d.count}; }
  void clear() {
    placements.clear();
    nodes.clear();
    yields.clear();
    wake_at = kNever;
  }
};

}  // namespace dfrs
