// SPDX-License-Identifier: GPL-2.0-or-later
// For tests of the C entries: a controller with node agents of the test's own.
#pragma once

#include <cstddef>

#include "shim/controller.h"
#include "shim/controller/host.h"

namespace dfrs::shim {

/// dfrs_controller_create with node agents made by `make_agents`. On an error null, and a one-line message in err.
dfrs_controller* create_controller(const dfrs_controller_paths& paths, dfrs_log_fn log,
                                   const AgentsFactory& make_agents, char* err, std::size_t err_size) noexcept;
/// The host behind a controller; lives as long as the controller.
Host& host_of(dfrs_controller& controller);

}  // namespace dfrs::shim
