// SPDX-License-Identifier: GPL-2.0-or-later
// What the page says about the jobs and the machine that it is about.
#pragma once

#include "sim/advise/advice.h"
#include "sim/advise/study.h"
#include "sim/report/page.h"

namespace dfrs::sim {

/// `today`: the run under today's policy.
void write_jobs(Page& page, const AdviceInput& input, const StudyRun& today);

}  // namespace dfrs::sim
