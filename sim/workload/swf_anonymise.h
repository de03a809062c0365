// SPDX-License-Identifier: GPL-2.0-or-later
// Anonymises a log in the Standard Workload Format so that it can be shared.
#pragma once

#include "sim/workload/swf.h"

namespace dfrs::sim {

/// Renumbers jobs, users, groups, applications, queues and partitions from 1 in order of appearance (numbers below 0
/// mean not known and stay). References to preceding jobs stay valid. The header keeps only what describes the machine
/// and the size of the log; UnixStartTime goes, so that the relative times have no date. What remains: which jobs share
/// a user, sizes, times between jobs.
void anonymise_swf(SwfLog& log);

}  // namespace dfrs::sim
