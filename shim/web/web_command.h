// SPDX-License-Identifier: GPL-2.0-or-later
// `dfrsctl web`: asks the controller every few seconds, and shows its answers on a page until it is interrupted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "shim/admin/control_client.h"

namespace dfrs::shim::web {

struct WebCommand {
  std::uint16_t port = 0;  ///< of the page; 0: any free port
  unsigned every = 2;      ///< seconds between two questions, >= 1
  ctl::AskOptions ask;
  std::function<std::string(std::uint32_t)> user_name;  ///< of a user id
};

/// Prints the page's address and serves it until SIGINT or SIGTERM. Error: the port, or no answer at the first
/// question.
ctl::Result<void> serve(const WebCommand& command);

}  // namespace dfrs::shim::web
