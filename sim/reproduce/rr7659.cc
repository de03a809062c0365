// SPDX-License-Identifier: GPL-2.0-or-later
// All of RR-7659: tables 2 to 10, figures 1 and 3 to 9. (Table 1 lists algorithms, figure 2 explains a metric.)
#include <array>

#include "sim/reproduce/rr7659_parts.h"

namespace dfrs::sim {
namespace rr7659 {
namespace {

struct Part {
  ReproductionPart what;
  Need* need;
  Show* show;
};

constexpr std::array<Part, 22> kParts{{
    {{"table2", "degradation from bound of 20 algorithms on the three sets"}, need_degradations, show_degradations},
    {{"table3", "costs of pauses and moves at loads of 0.7 and more, 19 algorithms"}, need_costs, show_costs},
    {{"table4", "normalized underutilization on the three sets"}, need_underutilization, show_underutilization},
    {{"table5", "degradation from bound on HPC2N, all 118 algorithms"}, need_degradations, show_degradations},
    {{"table6", "degradation from bound, unscaled traces, all 118 algorithms"}, need_degradations, show_degradations},
    {{"table7", "degradation from bound, scaled traces, all 118 algorithms"}, need_degradations, show_degradations},
    {{"table8", "GB/s of pauses and moves at loads of 0.7 and more, all 116"}, need_costs, show_costs},
    {{"table9", "pauses and moves per hour at loads of 0.7 and more, all 116"}, need_costs, show_costs},
    {{"table10", "pauses and moves per job at loads of 0.7 and more, all 116"}, need_costs, show_costs},
    {{"figure1", "degradation from bound against load, scaled traces"},
     need_degradations_by_load,
     show_degradations_by_load},
    {{"figure3a", "underutilization against the period, to 12,000 s, HPC2N"},
     need_underutilization_by_period,
     show_underutilization_by_period},
    {{"figure3b", "underutilization against the period, to 12,000 s, unscaled traces"},
     need_underutilization_by_period,
     show_underutilization_by_period},
    {{"figure3c", "underutilization against the period, to 12,000 s, scaled traces"},
     need_underutilization_by_period,
     show_underutilization_by_period},
    {{"figure4", "degradation from bound against the period, to 12,000 s"},
     need_degradations_by_period,
     show_degradations_by_period},
    {{"figure5", "underutilization against the period, to 60,000 s, HPC2N"},
     need_underutilization_by_period,
     show_underutilization_by_period},
    {{"figure6", "underutilization against the period, to 60,000 s, unscaled traces"},
     need_underutilization_by_period,
     show_underutilization_by_period},
    {{"figure7", "underutilization against the period, to 60,000 s, scaled traces"},
     need_underutilization_by_period,
     show_underutilization_by_period},
    {{"figure8", "degradation from bound against the period, to 60,000 s"},
     need_degradations_by_period,
     show_degradations_by_period},
    {{"figure9", "GB/s of pauses and moves against the period, loads of 0.7 and more"},
     need_bandwidth_by_period,
     show_bandwidth_by_period},
    {{"table4-assumptions", "table 4 as averages, medians and one quotient of sums"},
     need_underutilization,
     show_underutilization_assumptions},
    {{"table3-assumptions", "what could explain table 3: other ways to count, average and decide"},
     need_nothing,
     show_cost_assumptions},
    {{"table3-assumptions-cells", "each cell of table3-assumptions"}, need_nothing, show_cost_assumptions},
}};

constexpr auto kDescriptions = descriptions_of(kParts);

Result<void> run(const ReproduceOptions& options, ReproductionReport& report) {
  Result<Assumed> readings = assumed(options.assume);
  if (!readings) return tl::unexpected(std::move(readings).error());
  Experiments experiments(options, *std::move(readings));
  for (const Part& part : kParts) {
    if (options.wants(part.what.name)) part.need(part.what.name, experiments);
  }
  if (auto ran = experiments.run(); !ran) return ran;
  for (const Part& part : kParts) {
    if (!options.wants(part.what.name)) continue;
    if (auto shown = part.show(part.what.name, experiments, report); !shown) return shown;
  }
  return {};
}

}  // namespace
}  // namespace rr7659

extern const Reproduction kRr7659{
    "rr7659",
    "Casanova, Stillwell, Vivien: Dynamic Fractional Resource Scheduling vs. Batch Scheduling, INRIA RR-7659, 2011",
    rr7659::kDescriptions, rr7659::run, rr7659::readings()};

}  // namespace dfrs::sim
