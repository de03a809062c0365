// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the header line before an engine's steps, in all formats.
#pragma once

#include <string>

#include "record/engine_setup.h"
#include "record/json_values.h"

namespace dfrs::record {

struct Header {
  std::uint64_t format = 0;
  std::string version;  ///< of the dfrs that wrote it
  EngineSetup setup;
};

/// `object` must have a member "dfrs-record". Errors are left in `values`.
Header read_header(JsonValues& values, const nlohmann::json& object);

}  // namespace dfrs::record
