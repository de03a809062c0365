// SPDX-License-Identifier: GPL-2.0-or-later
// Formats records in the Standard Workload Format.
#pragma once

#include <string>

#include "sim/workload/swf.h"

namespace dfrs::sim {

/// Header lines as in the log, then a line per record. The text reads back as the same records. Control characters in
/// the header become blanks.
std::string format_swf(const SwfLog& log);

}  // namespace dfrs::sim
