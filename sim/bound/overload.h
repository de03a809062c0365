// SPDX-License-Identifier: GPL-2.0-or-later
// Whether rate-limited jobs can all meet their deadlines: a maximum flow from jobs to the time between instants.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bound/congestion.h"

namespace dfrs::sim {

/// Jobs of the part (as CongestedJob::job, increasing) that have more work than the platform and their own rates allow
/// within their windows: the source side of a minimum cut. Empty if every job can meet its deadline. Amounts are
/// integers of 2^-60 of the largest, so that the flow is exact for the part so rounded. Simple schedules are tried
/// before the flow. Memory O(sum over jobs of the instants within their windows).
std::vector<std::uint32_t> overloaded_jobs(const CongestedPart& part, double cpu);

}  // namespace dfrs::sim
