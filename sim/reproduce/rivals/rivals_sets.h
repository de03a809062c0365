// SPDX-License-Identifier: GPL-2.0-or-later
// The instances on which rivals are compared.
#pragma once

#include <string>
#include <string_view>

#include "sim/reproduce/campaign_plan.h"
#include "sim/workload/load.h"

namespace dfrs::sim::rivals {

struct RivalSet : PlannedSet {
  std::string sentence;     ///< describes the instances, or says which log is missing
  bool whole_log = false;   ///< one instance, without weekly restarts
  CampaignOptions options;  ///< of their simulations
  bool only_plans = false;  ///< only for policies that go by estimates: others have the same results elsewhere
  std::string requested;    ///< of only_plans: the part with the same instances and users' estimates
};

/// The set of this part; without instances if a log is missing. `options` must outlive it. The part must have one.
RivalSet set_of(std::string_view part, const ReproduceOptions& options);

}  // namespace dfrs::sim::rivals
