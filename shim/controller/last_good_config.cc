// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/last_good_config.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "shim/conf/read_config.h"
#include "shim/controller/synced_file.h"

namespace dfrs::shim {

tl::expected<void, std::string> LastGoodConfig::keep(std::string_view text) const {
  return replace_synced(folder_, kLastGoodConfigName, text);
}

tl::expected<LastGoodConfig::Kept, std::string> LastGoodConfig::load() const {
  struct stat status{};
  if (::stat(path().c_str(), &status) != 0) {
    return tl::unexpected<std::string>(fmt::format("{}: {}", path(), std::strerror(errno)));
  }
  auto config = read_config(path());
  if (!config) return tl::unexpected<std::string>(config.error().front().text());
  return Kept{std::move(*config), status.st_mtime};
}

std::string time_text(std::time_t time) {
  std::tm parts{};
  char text[32] = "";
  if (localtime_r(&time, &parts) == nullptr || std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts) == 0) {
    return std::to_string(time);
  }
  return text;
}

}  // namespace dfrs::shim
