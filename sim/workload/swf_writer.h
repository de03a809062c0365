// SPDX-License-Identifier: GPL-2.0-or-later
// Records to text in the Standard Workload Format.
#pragma once

#include <string>

#include "sim/workload/swf.h"

namespace dfrs::sim {

/// Header lines as they are in the log, then a line per record. What is written reads back as the same records; control
/// characters in the header become blanks.
std::string format_swf(const SwfLog& log);

}  // namespace dfrs::sim
