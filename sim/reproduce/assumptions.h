// SPDX-License-Identifier: GPL-2.0-or-later
// Tests of what could explain published costs of pauses and moves: other ways to count, to average and to decide, each
// over the same instances, side by side.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/core/units.h"
#include "sim/reproduce/reproduction.h"

namespace dfrs::sim {

/// One algorithm's published averages: pauses and moves in GB/s, per hour, per job; as in Costs. NaN: none.
struct CostTarget {
  std::string_view algorithm;
  std::array<double, 6> published;
};

struct CostStudy {
  std::string part;
  std::vector<CostTarget> targets;
  Seconds priority_floor = 0;
  std::size_t instances = 0;  ///< generated workloads, each at the loads 0.7, 0.8 and 0.9
};

/// Simulates the study's algorithms under each assumption. Adds a row per assumption to the part: for each figure the
/// geometric mean of measured / published over the algorithms, how many cells are within 10 %, the typical factor
/// between measured and published, with bootstrap intervals over the traces, and how often it fits better than without
/// the assumption on the same draw. Adds every cell to the part "<part>-cells", row "assumption: algorithm". Nothing is
/// stored, so an interrupted run starts over.
Result<void> test_cost_assumptions(const CostStudy& study, const ReproduceOptions& options, ReproductionReport& report);

}  // namespace dfrs::sim
