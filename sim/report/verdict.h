// SPDX-License-Identifier: GPL-2.0-or-later
// What the results say, in words computed from them.
#pragma once

#include <string>
#include <vector>

#include "sim/report/summary.h"

namespace dfrs::sim {

/// Sentences, the most important first: how the best DFRS algorithm compares with the best batch algorithm (or, without
/// one of each, the best with the others), whether this holds instance by instance and at every load, what it does to
/// the mean stretch, what it costs (pauses, moves, traffic, underutilization), and how far the results can be trusted.
/// It says so when DFRS loses. Algorithms that lack instances are left out of comparisons. Plain text.
std::vector<std::string> verdict(const std::vector<ResultRow>& rows, const CampaignSummary& summary);

}  // namespace dfrs::sim
