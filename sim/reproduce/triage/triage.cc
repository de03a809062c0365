// SPDX-License-Identifier: GPL-2.0-or-later
// The whole evaluation of Triage (docs/results/triage.md): a reproduction without a paper.
#include <array>

#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim {
namespace triage_study {
namespace {

struct Part {
  ReproductionPart what;
  Need* need;
  Show* show;
};

constexpr std::array<Part, 50> kParts{{
    {{"weeks", "HPC2N's 182 weeks, Triage and its settings beside table 2 of RR-7659", "4 min"},
     need_weeks,
     show_weeks},
    {{"weeks-split", "the weeks that rules were chosen on and the others", "1 min"}, need_weeks, show_weeks_split},
    {{"weeks-curve", "how many weeks are how far from the bound", "1 min, the same"}, need_weeks, show_weeks_curve},
    {{"weeks-free", "the weeks where pauses cost nothing", "1 min"}, need_weeks_free, show_weeks_free},
    {{"lublin", "100 generated workloads as they are, all algorithms", "2 min"}, need_lublin, show_lublin},
    {{"lublin-scaled", "900 generated workloads, loads 0.1 to 0.9, all algorithms", "16 min"},
     need_scaled,
     show_scaled},
    {{"lublin-loads", "degradation against the load, some algorithms", "5 min"}, need_loads, show_loads},
    {{"lublin-load-costs", "Triage against the load, with the underutilization of EASY/shared", "2 min"},
     need_loads,
     show_load_costs},
    {{"logs-ctc", "CTC's weeks, memory drawn", "6 min"}, need_log, show_log},
    {{"logs-kth", "KTH's weeks, memory drawn", "1 min"}, need_log, show_log},
    {{"logs-sdsc", "SDSC's weeks, memory drawn", "3 min"}, need_log, show_log},
    {{"robust-weeks", "penalties, periods, nodes, mixes, needs: every sixth week", "2 min"}, need_robust, show_robust},
    {{"robust-lublin", "the same on 20 generated workloads, and a flood", "2 min"}, need_robust, show_robust},
    {{"robust-penalty", "degradation against the penalty", "1 min"}, need_penalties, show_penalties},
    {{"robust-period", "degradation against the period of published algorithms", "1 min"}, need_periods, show_periods},
    {{"worlds-weeks", "pauses that keep the work or lose it, of all jobs, half or none: HPC2N's weeks", "4 min"},
     need_worlds,
     show_worlds},
    {{"worlds-lublin", "the same on 100 generated workloads", "3 min"}, need_worlds, show_worlds},
    {{"worlds-ctc", "the same on CTC's weeks, memory drawn", "3 min"}, need_worlds, show_worlds},
    {{"worlds-kth", "the same on KTH's weeks, memory drawn", "1 min"}, need_worlds, show_worlds},
    {{"worlds-robust", "the same on nodes of 64 cores, and under a flood", "2 min"}, need_worlds, show_worlds},
    {{"swap", "HPC2N's weeks where pauses suspend jobs, by the swap of each node", "3 min"}, need_swap, show_swap},
    {{"optimum", "between which bounds the optimum of HPC2N's weeks lies", "5 min, most of it as weeks"},
     need_optimum,
     show_optimum},
    {{"optimum-weeks", "the same week by week", "5 min, the same"}, need_optimum, show_optimum_weeks},
    {{"mixed-curve", "average degradation against the part of the jobs that can be paused", "4 min"},
     need_mixed,
     show_mixed},
    {{"mixed-median", "the same, the median", "4 min, the same"}, need_mixed, show_mixed},
    {{"mixed-lost", "work lost against that part, where the others begin again", "2 min, the same"},
     need_mixed,
     show_mixed},
    {{"losses-causes", "what the time of the worst jobs went to", "1 min"}, need_losses, show_losses},
    {{"losses-classes", "which jobs are the worst of an instance", "1 min"}, need_losses, show_losses},
    {{"losses-weakest", "the worst jobs of the weakest weeks of HPC2N", "1 min"}, need_losses, show_losses},
    {{"sensitivity-patience", "against PATIENCE, the wait that new jobs are credited with", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-hold", "against HOLD, what keeps a running job", "1 min"}, need_sensitivity, show_sensitivity},
    {{"sensitivity-paused", "against PAUSED, the margin of paused jobs", "1 min"}, need_sensitivity, show_sensitivity},
    {{"sensitivity-room", "against ROOM, the share of CPU below which new jobs ask for more", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-own", "against OWN, the weight of a placed job's own loss", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-stretch", "against STRETCH, by which yields follow the stretch", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-age", "against AGE, by which yields fall with progress", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-period", "against PERIOD, of moves", "1 min"}, need_sensitivity, show_sensitivity},
    {{"sensitivity-pays", "against PAYS, what a move must gain", "1 min"}, need_sensitivity, show_sensitivity},
    {{"sensitivity-tied", "against TIED, how many jobs a change of the mapping reaches", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-tried", "against TRIED, how many running jobs a crowded job has tried", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-return", "against RETURN, the share below which a paused job stays paused", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-width", "against WIDTH, by which wide jobs get more CPU", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-loss", "against LOSS, the margin for runs that are lost", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-aged", "against AGED, how long one must have waited for a run that is lost", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-crowd", "against CROWD, how a user's own memory counts against their jobs", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-share", "against SHARE, the memory that a user may hold of what is free", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-probe", "against PROBE, when a user over the share may start one more job", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-short", "against SHORT, what counts as a short job", "1 min"}, need_sensitivity, show_sensitivity},
    {{"sensitivity-penalty", "against the penalty that is expected, where it is 300 s", "1 min"},
     need_sensitivity,
     show_sensitivity},
    {{"sensitivity-all", "all of these, with intervals of what a value changes", "6 min"},
     need_all_sensitivity,
     show_all_sensitivity},
}};

constexpr auto kDescriptions = descriptions_of(kParts);

Result<void> run(const ReproduceOptions& options, ReproductionReport& report) {
  Sets sets(options);
  Study study(options);
  for (const Part& part : kParts) {
    if (options.wants(part.what.name)) part.need(part.what.name, sets, study);
  }
  if (sets.error()) return tl::unexpected(*sets.error());
  if (auto ran = study.run(); !ran) return ran;
  for (const Part& part : kParts) {
    if (!options.wants(part.what.name)) continue;
    if (auto shown = part.show(part.what.name, sets, study, report); !shown) return shown;
  }
  return {};
}

}  // namespace
}  // namespace triage_study

extern const Reproduction kTriageStudy;
constexpr Reproduction kTriageStudy{"triage",
                                    "Triage, the recommended policy, beside every published algorithm: its evaluation",
                                    triage_study::kDescriptions, triage_study::run};

}  // namespace dfrs::sim
