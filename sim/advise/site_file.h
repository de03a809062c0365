// SPDX-License-Identifier: GPL-2.0-or-later
// The dfrs.conf to start with, and the first steps with it.
#pragma once

#include <string>

#include "sim/advise/recommendation.h"
#include "sim/report/page.h"

namespace dfrs::sim {

/// The value of Pauses.
std::string pauses_setting(const Recommendation& recommendation);
/// The file, without the comments on what made it.
std::string site_file(const AdviceInput& input, const Recommendation& recommendation);
/// Those comments. Options are left out, as they are also in the command.
std::string comments_on(const AdviceInput& input);
/// The file and the steps, on the page.
void write_settings(Page& page, const AdviceInput& input, const Recommendation& recommendation);

}  // namespace dfrs::sim
