// SPDX-License-Identifier: GPL-2.0-or-later
// The tables and figures of RR-7659: for each kind, what it needs and what it shows. `part` selects one of the kind.
#pragma once

#include <string_view>

#include "sim/reproduce/reproduction.h"
#include "sim/reproduce/rr7659_experiments.h"

namespace dfrs::sim::rr7659 {

/// The paper has one EASY. Both textbook EASY and the variant that backfills only into extra nodes are compared with it
/// (docs/results/reproduction.md).
inline constexpr std::string_view kExtraOnly = "EASY/extra-only";

using Need = void(std::string_view part, Experiments& experiments);
using Show = Result<void>(std::string_view part, const Experiments& experiments, ReproductionReport& report);

Need need_degradations;  ///< tables 2, 5, 6, 7
Show show_degradations;
Need need_costs;  ///< tables 3, 8, 9, 10
Show show_costs;
Need need_underutilization;  ///< table 4
Show show_underutilization;
Show show_underutilization_assumptions;  ///< with need_underutilization
Need need_nothing;                       ///< the part simulates on its own
Show show_cost_assumptions;
Need need_degradations_by_load;  ///< figure 1
Show show_degradations_by_load;
Need need_underutilization_by_period;  ///< figures 3, 5, 6, 7
Show show_underutilization_by_period;
Need need_degradations_by_period;  ///< figures 4, 8
Show show_degradations_by_period;
Need need_bandwidth_by_period;  ///< figure 9
Show show_bandwidth_by_period;

}  // namespace dfrs::sim::rr7659
