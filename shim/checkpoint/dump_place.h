// SPDX-License-Identifier: GPL-2.0-or-later
// Where a keeper has criu write an image.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "shim/checkpoint/image_store.h"
#include "shim/checkpoint/packed_image.h"

namespace dfrs::shim {

/// A part in the store, and a scratch folder if the image is to be compressed. Both go with this object, unless the
/// part has become an image.
class DumpPlace {
 public:
  struct Wanted {
    ProgramId program;
    std::uint32_t restarts = 0;
    std::uint64_t bytes = 0;  ///< room for so many
    std::string scratch;      ///< folder to be made; empty: the image is not compressed
  };
  /// Where the store has no room, images of jobs that have ended are removed, the oldest first; which have, squeue
  /// says. Error, one line: there is no room, or a folder cannot be made.
  static tl::expected<DumpPlace, std::string> make(const ImageStore& store, const Wanted& wanted);
  DumpPlace(DumpPlace&& other) noexcept;
  ~DumpPlace();

  const std::string& part() const { return part_; }
  bool compressed() const { return scratch_.has_value(); }
  /// Where criu writes.
  const std::string& images() const { return scratch_ ? scratch_->path() : part_; }
  /// A new folder there for the memory that a pre-dump writes. Error, one line: it cannot be made.
  tl::expected<std::string, std::string> add_parent() const;

 private:
  DumpPlace(const ImageStore& store, std::string part) : store_(&store), part_(std::move(part)) {}

  const ImageStore* store_;  // null: moved away
  std::string part_;
  std::optional<ScratchFolder> scratch_;
};

}  // namespace dfrs::shim
