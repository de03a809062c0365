// SPDX-License-Identifier: GPL-2.0-or-later
// States what the results say, in words computed from them.
#pragma once

#include <string>
#include <vector>

#include "sim/report/summary.h"

namespace dfrs::sim {

/// Plain sentences, the most important first: how the best DFRS algorithm compares with the best batch algorithm (or,
/// without one of each, the best with the others), whether this holds instance by instance and at every load, the
/// effect on the mean stretch, the cost (pauses, moves, traffic, underutilization), and how far to trust the results.
/// Says so if DFRS loses. Leaves algorithms that lack instances out of comparisons.
std::vector<std::string> verdict(const std::vector<ResultRow>& rows, const CampaignSummary& summary);

}  // namespace dfrs::sim
