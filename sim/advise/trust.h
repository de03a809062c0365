// SPDX-License-Identifier: GPL-2.0-or-later
// How far to trust the advice: what the simulations leave out and assume.
#pragma once

#include <string>
#include <vector>

#include "sim/advise/recommendation.h"
#include "sim/report/page.h"

namespace dfrs::sim {

/// `items`: of this advice, before those that hold for each.
void write_trust(Page& page, const AdviceInput& input, const StudyRun& today, std::vector<std::string> items);

}  // namespace dfrs::sim
