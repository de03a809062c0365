// SPDX-License-Identifier: GPL-2.0-or-later
// Files in StateSaveLocation that must survive slurmctld and its host.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace dfrs::shim {

/// "cannot WHAT PATH: REASON", for an errno value.
std::string file_failure(const std::string& what, const std::string& path, int error);

/// Replaces a file atomically: NAME.new is written beside it, synced and renamed, and the folder synced. Blocks for the
/// disk. Error: path and reason; the old content is still there then.
tl::expected<void, std::string> replace_synced(const std::string& folder, const std::string& name,
                                               std::string_view text);

}  // namespace dfrs::shim
