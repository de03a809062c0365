// SPDX-License-Identifier: GPL-2.0-or-later
// The tables that compare the policies: how they serve the jobs, what they cost, and what a site could let pauses do.
#pragma once

#include <optional>
#include <string>

#include "sim/advise/recommendation.h"
#include "sim/report/page.h"

namespace dfrs::sim {

/// Waits, stretches and how busy the machine is. `knowing`: the recommended policy, if it knew how much CPU time jobs
/// use.
void write_service(Page& page, const Recommendation& recommendation, const std::optional<StudyRun>& knowing);
/// The same by the run time of jobs.
void write_classes(Page& page, const Recommendation& recommendation);
/// Pauses, moves, the memory that they carry, and lost work.
void write_costs(Page& page, const AdviceInput& input, const Recommendation& recommendation);
/// What each setting of Pauses takes and gives.
void write_choices(Page& page, const Recommendation& recommendation);

/// The policy, and what its pauses do where tables have several worlds.
std::string row_name(const Recommendation& recommendation, const StudyRun& run);

}  // namespace dfrs::sim
