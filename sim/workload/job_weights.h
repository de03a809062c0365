// SPDX-License-Identifier: GPL-2.0-or-later
// Weights and real CPU needs of a workload's jobs. Options give them, because no log has either.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/errors.h"
#include "sim/host/instance.h"

namespace dfrs::sim {

/// Selects jobs with a weight other than 1 (JobView::weight).
struct WeightRule {
  enum class Of { kUser, kQueue, kRandom };
  Of of = Of::kUser;
  std::int64_t number = 0;  ///< of the user (SWF field 12) or queue (field 15)
  double share = 0;         ///< kRandom: share of all jobs, drawn by job id
  double weight = 1;
};

/// Parses "user=7:2,queue=1:0.5,random=0.5:2". The first rule that matches a job gives its weight. Errors: kExitUsage.
Result<std::vector<WeightRule>> parse_weights(std::string_view text);

/// The weight of a job of this user and queue (-1: not known). Ignores kRandom rules.
double weight_of(const std::vector<WeightRule>& rules, std::int64_t user, std::int64_t queue);

/// Gives each job of weight 1 the weight of the first kRandom rule that draws it.
void weigh_at_random(Instance& instance, const std::vector<WeightRule>& rules);

/// What jobs really need, as a fraction of the CPU they request: uniform in [low, high], drawn by job id. 0 < low <=
/// high <= 1.
struct RealNeeds {
  double low = 1;
  double high = 1;
};

/// Parses "0.2-1", or "0.5" for all jobs. Errors: kExitUsage.
Result<RealNeeds> parse_real_needs(std::string_view text);
void set_real_needs(Instance& instance, const RealNeeds& needs);

}  // namespace dfrs::sim
