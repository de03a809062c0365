// SPDX-License-Identifier: GPL-2.0-or-later
// Attempts to checkpoint a job as orders to its agents.
#pragma once

#include <optional>

#include "shim/conf/config.h"
#include "shim/controller/job.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// What the job's agents are to be told of its checkpoint; nothing: no attempt concerns them.
std::optional<CheckpointOrder> checkpoint_order(const Job& job, const Config& config);

/// The same for nodes that still have processes of its last run.
std::optional<CheckpointOrder> last_checkpoint_order(const Job& job, const Config& config);

}  // namespace dfrs::shim
