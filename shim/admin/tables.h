// SPDX-License-Identifier: GPL-2.0-or-later
// The controller's answers (docs/reference/dfrsctl.md) as tables for people. Names and reasons from users may contain
// anything: control characters are shown as '?', so that they cannot control the terminal.
//
// Errors: nlohmann::json::exception if an answer does not follow the schema.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "shim/admin/status_json.h"

namespace dfrs::shim {

/// The name of a user by id; the id itself if there is no name.
using UserNames = std::function<std::string(std::uint32_t)>;

/// Answers of /v1/status, /v1/nodes, /v1/explain, /v1/repack and /v1/record, each with a newline at its end.
std::string status_table(const Json& answer, const UserNames& users);
std::string nodes_table(const Json& answer);
std::string explain_text(const Json& answer);
std::string repack_table(const Json& answer);
std::string recording_text(const Json& answer);

/// Nodes and tasks on each, in short form: "n[1-3]:2,n7" (n7 has 1 task). Long lists are cut.
std::string places_text(const Json& places);

/// "2:05", "1:00:00", "3-04:00:00": minutes and seconds, with hours, with days.
std::string duration_text(double seconds);

}  // namespace dfrs::shim
