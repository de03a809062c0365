// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/fetch/cache.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/sha256.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"

namespace dfrs::sim {
namespace {

bool has_checksum(const std::filesystem::path& path, const std::string& sha256) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return file.good() || file.eof() ? base::sha256_hex(bytes) == sha256 : false;
}

}  // namespace

std::string default_cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return (std::filesystem::path(cache) / "dfrs").string();
  const char* const home = std::getenv("HOME");
  if (home != nullptr && home[0] != '\0') return (std::filesystem::path(home) / ".cache" / "dfrs").string();
  throw IoError("no folder for downloads: neither XDG_CACHE_HOME nor HOME is set");
}

Fetched fetch_file(const std::string& url, const std::string& file_name, const std::string& sha256,
                   const FetchOptions& options) {
  const std::filesystem::path folder = options.cache_folder.empty() ? default_cache_folder() : options.cache_folder;
  const std::filesystem::path path = folder / file_name;
  if (!options.refresh && has_checksum(path, sha256)) return {path.string(), true};

  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw IoError(fmt::format("{}: cannot create the folder for downloads: {}", folder.string(), error.message()));
  const std::string bytes = http_get(url, options.http);
  const std::string got = base::sha256_hex(bytes);
  if (got != sha256) {
    throw NetworkError(fmt::format("{}: wrong checksum: expected SHA-256 {}, got {} ({} bytes); nothing was kept", url,
                                   sha256, got, bytes.size()));
  }
  write_file(path.string(), bytes);
  return {path.string(), false};
}

}  // namespace dfrs::sim
