// SPDX-License-Identifier: GPL-2.0-or-later
// What an image of a stopped program says of itself: a manifest, bound to the cluster's key by a MAC. Only root writes
// images, but a shared folder may be within reach of others, so nothing in one is believed before the MAC is right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::shim {

/// The program that an image is of.
struct ProgramId {
  std::uint32_t job = 0;
  std::uint32_t uid = 0;
  std::uint32_t rank = 0;  ///< of the task in its step, from 0; of a batch script, 0
  std::string slot;        ///< which of that task's programs; letters, digits, '-'

  friend bool operator==(const ProgramId&, const ProgramId&) = default;
};

struct ImageFile {
  std::string name;  ///< within the image's folder
  std::uint64_t size = 0;
  std::string sha256;

  friend bool operator==(const ImageFile&, const ImageFile&) = default;
};

struct Manifest {
  ProgramId program;
  std::uint64_t attempt = 0;          ///< the controller's number of the attempt
  std::uint32_t restarts = 0;         ///< the run that was dumped
  std::uint32_t programs = 0;         ///< of the job in this attempt: their images serve only together; 0: not known
  std::vector<std::string> command;   ///< the program and its arguments
  std::vector<std::string> streams;   ///< CRIU's names of standard input, output and error; empty: CRIU opens it itself
  std::vector<std::int32_t> stopped;  ///< processes that the user had stopped, by their ids in the program's namespace
  std::vector<ImageFile> files;
  std::string node;        ///< where it was dumped, for people
  std::int64_t taken = 0;  ///< seconds since 1970
  double seconds = 0;      ///< that the dump took
  /// Bytes of all files as CRIU wrote them, if they were compressed after that; 0: they were not.
  std::uint64_t unpacked = 0;

  std::uint64_t bytes() const;  ///< of all files, as CRIU wrote them
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

/// The cluster's key, from a file that only root may read or write.
class ImageKey {
 public:
  /// Error, one line: the file cannot be read, others may read or write it, or it has less than 16 bytes.
  static tl::expected<ImageKey, std::string> read(const std::string& file);
  /// For tests.
  explicit ImageKey(std::string_view secret);
  /// HMAC-SHA256 as 64 hexadecimal digits.
  std::string mac(std::string_view text) const;

 private:
  std::string key_;
};

/// JSON with the MAC.
std::string seal(const Manifest& manifest, const ImageKey& key);
/// Any text is safe. Error, one line: it is no manifest, or its MAC is not this key's.
tl::expected<Manifest, std::string> unseal(std::string_view text, const ImageKey& key);

}  // namespace dfrs::shim
