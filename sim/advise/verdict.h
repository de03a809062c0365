// SPDX-License-Identifier: GPL-2.0-or-later
// What the page says first: whether DFRS pays here, what it gives and what it takes.
#pragma once

#include <optional>
#include <string>

#include "sim/advise/recommendation.h"
#include "sim/report/page.h"

namespace dfrs::sim {

void write_verdict(Page& page, const AdviceInput& input, const Recommendation& recommendation);

/// How Triage fares beside the best of the published policies tried, where that is worth a sentence.
std::optional<std::string> rival_sentence(const Recommendation& recommendation, const SiteWorld& world);

}  // namespace dfrs::sim
