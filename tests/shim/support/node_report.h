// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "shim/quota/node_agents.h"

namespace dfrs::shim {

/// What went wrong with the last request to a node's agent, for messages of tests; "" if nothing did.
inline std::string error_of(const NodeReport& report) {
  return report.last_request ? std::string() : report.last_request.error();
}

}  // namespace dfrs::shim
