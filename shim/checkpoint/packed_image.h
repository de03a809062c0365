// SPDX-License-Identifier: GPL-2.0-or-later
// Images are kept compressed where dfrsd has a scratch folder, on a disk of the node: CRIU writes an image there, and
// the store gets a compressed copy of each file (zstd). CRIU cannot read those, so a restore unpacks them first.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "shim/checkpoint/image.h"

namespace dfrs::shim {

/// A folder that is there as long as this object, root's alone. Errors are one line.
class ScratchFolder {
 public:
  /// Makes it, empty. Error: also, its disk has less room than so many bytes.
  static tl::expected<ScratchFolder, std::string> make(std::string path, std::uint64_t bytes);
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ScratchFolder& operator=(ScratchFolder&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }
  ~ScratchFolder();
  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: moved away
};

/// Compresses each file NAME of `plain` to NAME.zst in `packed`, a folder that is there. The bytes of all NAME.
/// Error, one line: a file cannot be read or written.
tl::expected<std::uint64_t, std::string> pack_image(const std::string& plain, const std::string& packed);

/// Writes the files of a packed image, which the store has verified, to `plain`, as they were.
/// Error, one line: a file cannot be read or written, or is not as the manifest says.
tl::expected<void, std::string> unpack_image(const std::string& packed, const Manifest& manifest,
                                             const std::string& plain);

/// Removes the folders in `scratch`, a node's, that are named as the files of a keeper (KeeperFiles::name()) that lives
/// no more.
void remove_scratch_of_dead(const std::string& scratch, const std::string& run_dir);

}  // namespace dfrs::shim
