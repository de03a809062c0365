// SPDX-License-Identifier: GPL-2.0-or-later
// A cache of downloaded files with known checksums.
#pragma once

#include <string>

#include "sim/io/http.h"

namespace dfrs::sim {

/// $XDG_CACHE_HOME/dfrs, or $HOME/.cache/dfrs if that is unset or not absolute. Errors: kExitIo if neither is set.
Result<std::string> default_cache_folder();

struct FetchOptions {
  HttpOptions http;
  std::string cache_folder;  ///< empty: default_cache_folder(); created if missing
  bool refresh = false;      ///< download even if the file is cached
};

struct Fetched {
  std::string path;
  bool from_cache = false;
};

/// The file from `url` as `file_name` in the cache folder. Uses a cached file with the right SHA-256 (64 hexadecimal
/// digits) without network access; downloads one with a wrong checksum again. Files appear in the folder only when
/// complete and verified. Errors: kExitNetwork as for http_get, or with the expected and actual checksums (nothing is
/// kept); kExitIo if the cache cannot be written.
Result<Fetched> fetch_file(const std::string& url, const std::string& file_name, const std::string& sha256,
                           const FetchOptions& options = {});

}  // namespace dfrs::sim
