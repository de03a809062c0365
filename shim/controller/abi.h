// SPDX-License-Identifier: GPL-2.0-or-later
// What tests need behind the C entries: a controller with node agents of their own.
#pragma once

#include <cstddef>

#include "shim/controller.h"
#include "shim/controller/host.h"

namespace dfrs::shim {

/// Null on an error, with a message of one line in err. dfrs_controller_create with the delivery of quotas of the
/// caller's choice.
dfrs_controller* create_controller(const dfrs_controller_paths& paths, dfrs_log_fn log,
                                   const AgentsFactory& make_agents, char* err, std::size_t err_size) noexcept;
/// What stands behind a controller; lives as long as it.
Host& host_of(dfrs_controller& controller);

}  // namespace dfrs::shim
