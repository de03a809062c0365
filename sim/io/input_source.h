// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a whole text from a file, standard input or a URL, plain or compressed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/errors.h"
#include "sim/io/text.h"

namespace dfrs::sim {

struct InputOptions {
  /// Upper limit of the text after decompression, in bytes. It stops decompression bombs.
  std::uint64_t max_bytes = std::uint64_t{4} << 30;
  /// For https URLs: a PEM file of certificate authorities; empty: the system's.
  std::string ca_file;
};

/// How `source` is named in messages: "<stdin>" for "-", else `source` itself.
std::string source_name(const std::string& source);

/// True if `source` begins with http:// or https:// (any case).
bool is_url(std::string_view source);

/// The text of `source`: a file's path, "-" (standard input) or an http(s) URL. Text compressed by gzip, xz, zstd or
/// bzip2 is recognised by its first bytes, not by its name, and unpacked.
/// Errors: kExitIo if it cannot be opened or read; kExitNetwork if a URL cannot be fetched; kExitInput naming the
/// source if compressed data is truncated or damaged, or longer than options.max_bytes. Linear in the size of the text.
Result<Text> read_text(const std::string& source, const InputOptions& options = {});

/// The same; `sha256` becomes that of the bytes before they are unpacked, as sha256sum shows it for a file.
Result<Text> read_text(const std::string& source, const InputOptions& options, std::string& sha256);

/// What read_text does after reading: `bytes` unpacked, or `bytes` itself if it is not compressed. `name` is for
/// messages.
Result<Text> decompress(std::string bytes, const std::string& name, const InputOptions& options = {});

}  // namespace dfrs::sim
