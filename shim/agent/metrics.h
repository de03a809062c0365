// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "shim/agent/agent.h"
#include "shim/http/server.h"

namespace dfrs::shim {

/// All metrics of the agent in Prometheus' text format, version 0.0.4. Jobs are named only by number.
/// O(jobs + routes).
std::string format_metrics(const Agent::Metrics& agent, const HttpCounters& http, const char* cgroup_version);

}  // namespace dfrs::shim
