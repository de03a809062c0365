// SPDX-License-Identifier: GPL-2.0-or-later
// Why a running job may not be paused or moved now, in words: the rules of pause_rules.h, seen by people.
#pragma once

#include <string>

#include "shim/conf/config.h"
#include "shim/controller/job.h"
#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// Why it may not be suspended, as half a sentence. `agents` as for PauseRulebook::apply(). The job runs, and its
/// Pausing::can_suspend is false.
std::string why_no_suspend(const Job& job, const Config& config, const NodeAgents* agents, Seconds now);

/// Why it cannot be checkpointed now. It is marked for that (checkpointable()), and its Pausing::can_checkpoint is
/// false.
std::string why_no_checkpoint(const Job& job, const Config& config, Seconds now);

/// Why it may not be requeued, which is also why it may not be moved. Its Pausing::can_requeue is false.
std::string why_no_requeue(const Job& job, const Config& config, Seconds now);

}  // namespace dfrs::shim
