// SPDX-License-Identifier: GPL-2.0-or-later
// Files named after something that a file says, such as an instance. Every such name passes through here.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sim/errors.h"

namespace dfrs::sim {

/// `name` as the name of a file: slashes, control characters and a leading dot become '_', so that no name leads out of
/// its folder or hides the file. At most 200 bytes. Never empty.
std::string file_name_of(std::string_view name);

/// The files that a command writes into one folder.
class FolderOutput {
 public:
  explicit FolderOutput(std::string folder) : folder_(std::move(folder)) {}
  /// The path for the file of `name`. Errors: kExitInput if another name has this file.
  Result<std::string> path(const std::string& name, std::string_view ending);

 private:
  std::string folder_;
  std::unordered_map<std::string, std::string> names_;  // by file
};

}  // namespace dfrs::sim
