// SPDX-License-Identifier: GPL-2.0-or-later
// The controller's memory across restarts: the file dfrs_state in StateSaveLocation.
//
//   dfrs_state VERSION SHA256 LENGTH\n      of what follows, in hexadecimal and in bytes
//   {"epoch": ..., "jobs": [...], ...}      JSON
//
// A new content takes the old one's place in one step: written beside it, synced, renamed, the folder synced.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "shim/controller/log.h"
#include "shim/controller/saved_state.h"

namespace dfrs::shim {

inline constexpr int kStateVersion = 1;
inline constexpr const char* kStateFileName = "dfrs_state";

/// The whole file. All numbers must be finite.
std::string format_state(const SavedState& state);
/// Error: what is wrong with the text, without the file's name. Any text is safe.
tl::expected<SavedState, std::string> parse_state(std::string_view text);

class StateFile {
 public:
  explicit StateFile(std::string folder) : folder_(std::move(folder)) {}

  /// What the file says; an empty state if there is none. One that is damaged or of another version is set aside as
  /// dfrs_state.damaged-TIME, with a line in the log: what it held is then taken from what Slurm shows. Error: the file
  /// is there and cannot be read, or cannot be set aside.
  tl::expected<SavedState, std::string> load(const Log& log) const;
  /// Blocks for the disk. Error: path and reason; the old content is then still there.
  tl::expected<void, std::string> store(const SavedState& state) const;
  std::string path() const { return folder_ + "/" + kStateFileName; }

 private:
  std::string folder_;
};

}  // namespace dfrs::shim
