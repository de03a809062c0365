// SPDX-License-Identifier: GPL-2.0-or-later
// A DFRS algorithm word by word: what each of its parts does at one instant, in the order of the rules (RR-7659,
// sections 4.4 to 4.7; simulation semantics, rule 5).
#pragma once

#include <vector>

#include "policy/core/algorithm.h"
#include "policy/rr7659/algorithm.h"
#include "tests/oracle/world.h"

namespace dfrs::oracle {

/// What is new when the policy decides.
struct StepInput {
  std::vector<JobSlot> submitted;  ///< new in World::order, at its end
  bool freed = false;              ///< jobs have completed, or the cluster changed
  bool tick = false;
};

/// Changes the placements.
void decide(World& world, const DfrsAlgorithm& algorithm, const StepInput& step, Seconds period);

/// True if `now` is a multiple of the period.
bool is_tick_time(Seconds now, Seconds period);
/// The first multiple of the period after `now`.
Seconds tick_after(Seconds now, Seconds period);

}  // namespace dfrs::oracle
