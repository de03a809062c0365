// SPDX-License-Identifier: GPL-2.0-or-later
// A controller's status as JSON, by the schema of docs/reference/dfrsctl.md. Values that are missing or not finite (a
// priority without progress, no wake-up time, no time limit) are null.
#pragma once

#include <nlohmann/json.hpp>

#include "record/recorder.h"
#include "shim/admin/status.h"

namespace dfrs::shim {

/// Incremented when a member is removed or changes its meaning. Members may be added.
inline constexpr int kControlFormat = 1;

using Json = nlohmann::ordered_json;

/// Answers of the control port, each with its "format".
Json status_json(const ControllerStatus& status, const record::RecordingState& recording);
Json nodes_json(const ControllerStatus& status);
Json repack_json(const RepackPlan& plan);
Json recording_json(const record::RecordingState& recording);
/// {"format": 1, "job": id, "lines": [...]}
Json explain_json(std::uint32_t job_id, const JobExplanation& explanation);

/// As text. Replaces bytes that are not UTF-8 (in a job's name).
std::string json_text(const Json& json, int indent = -1);

}  // namespace dfrs::shim
