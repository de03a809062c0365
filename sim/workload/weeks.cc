// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/weeks.h"

#include <fmt/format.h>

#include <cmath>

namespace dfrs::sim {

Result<std::vector<Instance>> split_weeks(const Instance& whole, const std::string& prefix, Seconds period) {
  if (!(period > 0)) return usage_error(fmt::format("length of a week: {} seconds, expected more than 0", period));
  std::vector<Instance> weeks;
  double current = -1;
  for (const Job& job : whole.jobs) {
    const double week = std::floor(job.submit / period);
    if (weeks.empty() || week != current) {
      current = week;
      weeks.push_back({fmt::format("{}-week-{:03.0f}", prefix, week), whole.platform, {}});
    }
    Job moved = job;
    moved.submit -= week * period;
    weeks.back().jobs.push_back(moved);
  }
  return weeks;
}

}  // namespace dfrs::sim
