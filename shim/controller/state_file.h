// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the controller on disk: the file dfrs_state in StateSaveLocation.
//
//   dfrs_state VERSION SHA256 LENGTH\n      checksum (hexadecimal) and length (bytes) of what follows
//   {"epoch": ..., "jobs": [...], ...}      JSON
//
// Updates are atomic: the new file is written beside the old one, synced and renamed, and the folder synced.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "shim/controller/log.h"
#include "shim/controller/saved_state.h"

namespace dfrs::shim {

inline constexpr int kStateVersion = 1;
inline constexpr const char* kStateFileName = "dfrs_state";

/// The content of the file. All numbers must be finite.
std::string format_state(const SavedState& state);
/// Error: what is wrong with the text, without a file name. Any text is safe.
tl::expected<SavedState, std::string> parse_state(std::string_view text);

class StateFile {
 public:
  explicit StateFile(std::string folder) : folder_(std::move(folder)) {}

  /// Reads the file; an empty state if there is none. A file that is damaged or of another version is renamed to
  /// dfrs_state.damaged-TIME, with a line in the log; the controller then works from what Slurm shows. Error: the file
  /// exists, but cannot be read or renamed.
  tl::expected<SavedState, std::string> load(const Log& log) const;
  /// As load(), but a damaged file stays, and is an error.
  tl::expected<SavedState, std::string> peek() const;
  /// Writes the file; blocks for the disk. Error: path and reason; the old content is still there then.
  tl::expected<void, std::string> store(const SavedState& state) const;
  std::string path() const { return folder_ + "/" + kStateFileName; }

 private:
  std::string folder_;
};

}  // namespace dfrs::shim
