// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "shim/admin/status.h"
#include "shim/http/server.h"

namespace dfrs::shim {

/// The controller's metrics in Prometheus' text format. Jobs are named by number and partition, users not at all.
/// O(jobs + nodes).
std::string format_metrics(const ControllerStatus& status, const HttpCounters& http);

}  // namespace dfrs::shim
