// SPDX-License-Identifier: GPL-2.0-or-later
// The charts of the advice.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "sim/advise/study.h"
#include "sim/report/page.h"

namespace dfrs::sim {

/// A run and its name for the reader.
struct NamedRun {
  std::string name;
  const StudyRun* run = nullptr;
};

/// For each class of jobs, the share of them that have started within a time, one line for each of the runs (at most
/// three). Errors: why there is no chart, in one sentence.
tl::expected<PageChart, std::string> waits_chart(const std::vector<NamedRun>& runs);

}  // namespace dfrs::sim
