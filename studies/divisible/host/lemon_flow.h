// SPDX-License-Identifier: GPL-2.0-or-later
// Network flows by LEMON, exact in integers.
#pragma once

#include "studies/divisible/rules/flow_solver.h"

namespace dfrs::sim::divisible {

/// Maximum flows by push-relabel, minimum cost flows by the network simplex method.
class LemonFlow final : public dfrs::divisible::FlowSolver {
 public:
  std::int64_t max_flow(const dfrs::divisible::FlowNetwork& network, std::vector<std::int64_t>& flow,
                        std::vector<char>& source_side) override;
  bool min_cost_flow(const dfrs::divisible::FlowNetwork& network, std::int64_t amount,
                     std::vector<std::int64_t>& flow) override;
};

}  // namespace dfrs::sim::divisible
