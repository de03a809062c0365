// SPDX-License-Identifier: GPL-2.0-or-later
// When periodic repacking keeps up: stretches that grow with the length of a workload never settle.
#pragma once

#include <string_view>

#include "sim/reproduce/campaign_plan.h"
#include "sim/reproduce/rivals/rivals_sets.h"

namespace dfrs::sim::rivals {

/// Declares the simulations of the part. `options` must outlive the plan.
void need_stability(const ReproduceOptions& options, CampaignPlan& plan);
/// After the plan has run.
void show_stability(std::string_view part, const ReproduceOptions& options, const CampaignPlan& plan,
                    ReproductionReport& report);

/// The same without repacking: a workload begins on an empty cluster, so its mean stretch grows for a while anyway.
void need_stability_without(const ReproduceOptions& options, CampaignPlan& plan);
void show_stability_without(std::string_view part, const ReproduceOptions& options, const CampaignPlan& plan,
                            ReproductionReport& report);

/// The same of a whole log without weekly restarts, by the period, beside policies that have none. Without the log only
/// a note.
void need_stable(const RivalSet& log, CampaignPlan& plan);
void show_stable(std::string_view part, const RivalSet& log, const CampaignPlan& plan, ReproductionReport& report);

}  // namespace dfrs::sim::rivals
