// SPDX-License-Identifier: GPL-2.0-or-later
// Downloaded files that are known by their checksum, kept for the next time.
#pragma once

#include <string>

#include "sim/io/http.h"

namespace dfrs::sim {

/// $XDG_CACHE_HOME/dfrs, or $HOME/.cache/dfrs where that is unset or not absolute. Errors: IoError if neither is set.
std::string default_cache_folder();

struct FetchOptions {
  HttpOptions http;
  std::string cache_folder;  ///< empty: default_cache_folder(); made if missing
  bool refresh = false;      ///< download even if the file is there
};

struct Fetched {
  std::string path;
  bool from_cache = false;
};

/// The file `url` as `file_name` in the cache folder. A file that is there with the right SHA-256 (64 hexadecimal
/// digits) is taken without asking the network; one with a wrong checksum is downloaded again. A file appears in the
/// folder only whole and checked. Errors: NetworkError as of http_get, or saying which checksum was expected and which
/// the download has (nothing is kept); IoError if the cache cannot be written.
Fetched fetch_file(const std::string& url, const std::string& file_name, const std::string& sha256,
                   const FetchOptions& options = {});

}  // namespace dfrs::sim
