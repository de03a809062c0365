// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/slurm_conf.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "shim/conf/key_values.h"

namespace dfrs::shim {
namespace {

constexpr int kMaxDepth = 8;

// The file that a line "Include FILE" names.
std::optional<std::string> included(const std::string& line) {
  std::istringstream words(line);
  std::string first;
  std::string file;
  words >> first >> file;
  return lower_case(first) == "include" && !file.empty() ? std::optional(file) : std::nullopt;
}

// "host(address)" names the address to use.
std::string address_of(const std::string& host) {
  const std::size_t open = host.find('(');
  if (open == std::string::npos || host.back() != ')') return host;
  return host.substr(open + 1, host.size() - open - 2);
}

class Reader {
 public:
  tl::expected<void, std::string> read(const std::filesystem::path& path, int depth) {
    errno = 0;
    std::ifstream file(path);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad()) {
      return tl::unexpected(
          fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno != 0 ? errno : EIO)));
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto other = included(line);
      if (!other) continue;
      if (depth == kMaxDepth) {
        return tl::unexpected(
            fmt::format("{}: Include {}: more than {} levels of Include", path.string(), *other, kMaxDepth));
      }
      const std::filesystem::path where = path.parent_path() / *other;  // or `other` itself if absolute
      if (auto done = read(where, depth + 1); !done) return done;
    }
    for (const KeyValue& setting : parse_key_values(text).pairs) take(setting);
    return {};
  }

  SlurmConf finish() {
    if (conf_.hosts.empty() && !machine_.empty()) conf_.hosts.push_back(address_.empty() ? machine_ : address_);
    return std::move(conf_);
  }

 private:
  void take(const KeyValue& setting) {
    const std::string key = lower_case(setting.key);
    if (key == "clustername") conf_.cluster_name = setting.value;
    if (key == "slurmctldhost") conf_.hosts.push_back(address_of(setting.value));
    if (key == "controlmachine") machine_ = setting.value;
    if (key == "controladdr") address_ = setting.value;
    if (key == "slurmuser") conf_.slurm_user = setting.value;
    if (key == "authtype") conf_.auth_type = lower_case(setting.value);
    if (key != "authinfo") return;
    std::istringstream parts(setting.value);
    for (std::string part; std::getline(parts, part, ',');) {
      if (lower_case(part).starts_with("socket=")) conf_.munge_socket = part.substr(7);
    }
  }

  SlurmConf conf_;
  std::string machine_;
  std::string address_;
};

}  // namespace

tl::expected<SlurmConf, std::string> read_slurm_conf(const std::string& path) {
  Reader reader;
  return reader.read(path, 0).map([&] { return reader.finish(); });
}

std::string default_slurm_conf() {
  const char* const named = std::getenv("SLURM_CONF");
  if (named != nullptr && *named != '\0') return named;
  const char* const installed = "/etc/slurm/slurm.conf";
  const char* const kept = "/run/slurm/conf/slurm.conf";
  std::error_code ignored;
  return !std::filesystem::exists(installed, ignored) && std::filesystem::exists(kept, ignored) ? kept : installed;
}

}  // namespace dfrs::shim
