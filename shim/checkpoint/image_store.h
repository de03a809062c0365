// SPDX-License-Identifier: GPL-2.0-or-later
// The folder of images:
//
//   FOLDER/job-<id>/<restarts>/<rank>/<slot>/         a complete image: CRIU's files and manifest.json
//   FOLDER/job-<id>/<restarts>/<rank>/<slot>/parent/  what a pre-dump wrote, if there was one
//   FOLDER/job-<id>/<restarts>/<rank>/<slot>.part/    one that is being written, or was when its writer died
//   FOLDER/job-<id>/<restarts>/<rank>/<slot>.unpacked/  its files as CRIU reads them, where a node has no other place
//   FOLDER/job-<id>/<restarts>/whole-<run>           a MAC: the images of all programs were there as that run began
//
// All is root's, 0700 and 0600. An image is complete when the .part folder, with everything synced, gets its name.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "shim/checkpoint/image.h"

namespace dfrs::shim {

inline constexpr const char* kUnpacked = ".unpacked";
/// A folder within an image, with the memory that a pre-dump has written. CRIU knows it by this name.
inline constexpr const char* kParent = "parent";

struct StoreLimits {
  std::uint64_t bytes = 0;       ///< of all images; 0: what the disk has
  std::uint64_t user_bytes = 0;  ///< of one user's; 0: no limit
};

/// Processes may share a folder, on several nodes. Errors are one line for people.
class ImageStore {
 public:
  /// Creates the folder. Error: it cannot be made, or others may write to it.
  static tl::expected<ImageStore, std::string> open(const std::string& folder, ImageKey key, StoreLimits limits);

  /// A new folder for an image of so many bytes at most. Error: the limits or the disk have no room for it.
  tl::expected<std::string, std::string> begin(const ProgramId& program, std::uint32_t restarts,
                                               std::uint64_t bytes) const;
  /// Completes the image in such a folder: fills in manifest.files, syncs, renames. An error leaves no image.
  tl::expected<Manifest, std::string> commit(const std::string& part, Manifest manifest) const;
  /// Removes such a folder, or an image.
  void discard(const std::string& part) const;

  struct Found {
    std::string folder;
    std::uint32_t restarts = 0;
  };
  /// Images of earlier runs than `before`, the newest first. Nothing is checked yet.
  std::vector<Found> images_of(const ProgramId& program, std::uint32_t before) const;
  /// Error: why this image must not be restored as this program, as far as that can be told without reading its memory.
  tl::expected<Manifest, std::string> inspect(const std::string& folder, const ProgramId& program,
                                              std::uint32_t restarts) const;
  /// Reads all of an image that inspect() accepted. Error: it was changed.
  tl::expected<void, std::string> verify(const std::string& folder, const Manifest& manifest) const;
  /// Error: images of other programs of its job in its attempt are missing, cut off or sealed with another key.
  /// Does not read their memory. Once all were there for a run, they are for all of that run: its programs may begin at
  /// different times, and remove their images as they end. O(programs of the job).
  tl::expected<void, std::string> check_whole(const Manifest& manifest, std::uint32_t run) const;
  /// Removes the program's images and parts of them.
  void remove(const ProgramId& program) const;
  /// Removes all images of jobs that are not among these, but none younger than `seconds`. The number of jobs.
  std::size_t remove_others(const std::set<std::uint32_t>& jobs, std::int64_t seconds) const;
  /// Of these jobs the one whose newest image is the oldest: removes its images. Nothing: all others are among `jobs`,
  /// or younger than `seconds`.
  std::optional<std::uint32_t> remove_oldest_other(const std::set<std::uint32_t>& jobs, std::int64_t seconds) const;
  struct Use {
    std::uint64_t bytes = 0;
    std::uint64_t user_bytes = 0;
  };
  Use use(std::uint32_t uid) const;  ///< O(images)
  const std::string& folder() const { return folder_; }

 private:
  ImageStore(std::string folder, ImageKey key, StoreLimits limits)
      : folder_(std::move(folder)), key_(std::move(key)), limits_(limits) {}
  std::string place(const ProgramId& program, std::uint32_t restarts) const;

  std::string folder_;
  ImageKey key_;
  StoreLimits limits_;
};

}  // namespace dfrs::shim
