// SPDX-License-Identifier: GPL-2.0-or-later
// What a job is doing, in the words of dfrsctl.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shim/admin/status.h"
#include "shim/controller/job.h"
#include "shim/controller/nodes.h"
#include "shim/controller/reconciler.h"

namespace dfrs::shim {

JobSituation situation_of(const Job& job, Seconds now);

/// Why the job is in that situation, one line for people; nothing if it runs.
std::optional<std::string> reason_of(const Job& job, JobSituation situation, const Reconciler& reconciler,
                                     const Nodes& nodes, Seconds now);

/// The policy's priority: flow time / virtual time^2; infinity without progress.
double priority_of(const Job& job, Seconds now);

/// Names of nodes and tasks there.
using Places = std::vector<std::pair<std::string, std::uint32_t>>;
Places places(std::span<const NodeIndex> list, const Nodes& nodes);

}  // namespace dfrs::shim
