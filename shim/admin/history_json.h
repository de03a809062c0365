// SPDX-License-Identifier: GPL-2.0-or-later
// What a controller has observed, as JSON: the answer of GET /v1/history (docs/reference/dfrsctl.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <tl/expected.hpp>

#include "shim/admin/status.h"

namespace dfrs::shim {

nlohmann::ordered_json history_json(const ObservedPast& past);
/// Error: one line on what is not as expected.
tl::expected<ObservedPast, std::string> history_of(const nlohmann::ordered_json& json);

}  // namespace dfrs::shim
