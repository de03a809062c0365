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

Result<std::string> default_cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return (std::filesystem::path(cache) / "dfrs").string();
  const char* const home = std::getenv("HOME");
  if (home != nullptr && home[0] != '\0') return (std::filesystem::path(home) / ".cache" / "dfrs").string();
  return io_error("no folder for downloads: neither XDG_CACHE_HOME nor HOME is set");
}

Result<Fetched> fetch_file(const std::string& url, const std::string& file_name, const std::string& sha256,
                           const FetchOptions& options) {
  const Result<std::string> folder =
      options.cache_folder.empty() ? default_cache_folder() : Result<std::string>(options.cache_folder);
  if (!folder) return tl::unexpected(folder.error());
  const std::filesystem::path path = std::filesystem::path(*folder) / file_name;
  if (!options.refresh && has_checksum(path, sha256)) return Fetched{path.string(), true};

  if (auto made = make_folder(*folder); !made) return tl::unexpected(std::move(made).error());
  const Result<std::string> bytes = http_get(url, options.http);
  if (!bytes) return tl::unexpected(bytes.error());
  const std::string got = base::sha256_hex(*bytes);
  if (got != sha256) {
    return network_error(fmt::format("{}: wrong checksum: expected SHA-256 {}, got {} ({} bytes); nothing was kept",
                                     url, sha256, got, bytes->size()));
  }
  return write_file(path.string(), *bytes).map([&] { return Fetched{path.string(), false}; });
}

}  // namespace dfrs::sim
