// SPDX-License-Identifier: GPL-2.0-or-later
// Weights and real CPU needs of a workload's jobs, as options give them: no log has either.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/host/instance.h"

namespace dfrs::sim {

/// Jobs that have another weight than 1 (JobView::weight).
struct WeightRule {
  enum class Of { kUser, kQueue, kRandom };
  Of of = Of::kUser;
  std::int64_t number = 0;  ///< of the user (SWF field 12) or queue (field 15)
  double share = 0;         ///< kRandom: of all jobs, chosen by their ids
  double weight = 1;
};

/// "user=7:2,queue=1:0.5,random=0.5:2": what a job is the first of. Error: UsageError.
std::vector<WeightRule> parse_weights(std::string_view text);

/// The weight of a job of this user and queue (-1: not known); kRandom does not count here.
double weight_of(const std::vector<WeightRule>& rules, std::int64_t user, std::int64_t queue);

/// Jobs that are of weight 1 so far get that of the first kRandom rule that picks them.
void weigh_at_random(Instance& instance, const std::vector<WeightRule>& rules);

/// What jobs really need of the CPU that they ask for: parts of it, uniform in [low, high] by the jobs' ids, 0 < low <=
/// high <= 1.
struct RealNeeds {
  double low = 1;
  double high = 1;
};

/// "0.2-1", or "0.5" for all jobs. Error: UsageError.
RealNeeds parse_real_needs(std::string_view text);
void set_real_needs(Instance& instance, const RealNeeds& needs);

}  // namespace dfrs::sim
