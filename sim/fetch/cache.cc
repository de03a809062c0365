// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/fetch/cache.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/files.h"
#include "base/sha256.h"
#include "sim/errors.h"
#include "sim/io/output_file.h"

namespace dfrs::sim {
namespace {

bool has_checksum(const std::filesystem::path& path, const std::string& sha256) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto bytes = base::read_all(file.get(), std::numeric_limits<std::size_t>::max());
  return bytes && base::sha256_hex(*bytes) == sha256;
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

  make_folder(folder.string());
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
