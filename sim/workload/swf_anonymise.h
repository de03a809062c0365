// SPDX-License-Identifier: GPL-2.0-or-later
// A log in the Standard Workload Format that may be handed on.
#pragma once

#include "sim/workload/swf.h"

namespace dfrs::sim {

/// Jobs, users, groups, applications, queues and partitions get numbers from 1 on in the order of their appearance
/// (numbers below 0 stay: not known); a preceding job keeps pointing at its job. Of the header only what describes the
/// machine and the size of the log is left. Times are relative already; UnixStartTime, which tells their date, goes.
/// What remains: which jobs are of the same user, sizes, times between jobs.
void anonymise_swf(SwfLog& log);

}  // namespace dfrs::sim
