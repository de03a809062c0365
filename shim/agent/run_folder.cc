// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace dfrs::shim {
namespace {

constexpr const char* kDesired = "desired.json";
constexpr const char* kDamaged = "desired.json.damaged";
constexpr const char* kQuotas = "quotas";

}  // namespace

tl::expected<RunFolder, std::string> RunFolder::open(const std::string& path) {
  RunFolder run;
  run.path_ = path;
  const auto failed = [&](const std::string& file, int error) {
    return tl::unexpected(fmt::format("{}{}: {}; see --run-dir", path, file, strerror(error)));
  };
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return failed("", error.value());
  run.folder_ = base::Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!run.folder_) return failed("", errno);
  // slurmstepd trusts the files in here.
  struct stat about{};
  if (fstat(run.folder_.get(), &about) != 0) return failed("", errno);
  if (about.st_uid != geteuid() || (about.st_mode & 022) != 0) {
    return tl::unexpected(
        fmt::format("{}: must belong to user id {} and be writable by no one else; see --run-dir", path, geteuid()));
  }
  run.lock_ = base::Fd(openat(run.folder_.get(), "lock", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!run.lock_) return failed("/lock", errno);
  if (flock(run.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return tl::unexpected(fmt::format("{}/lock: another dfrsd is using this folder", path));
    return failed("/lock", errno);
  }
  return run;
}

tl::expected<void, std::string> RunFolder::remember(const DesiredState& state) {
  if (const auto done = base::replace_file_at(folder_.get(), kDesired, format_desired(state), 0600); !done)
    return tl::unexpected(fmt::format("{}/{}: {}", path_, kDesired, strerror(done.error())));
  return {};
}

tl::expected<std::optional<DesiredState>, std::string> RunFolder::recall(const std::string& node) {
  const auto text = base::read_file_at(folder_.get(), kDesired, 16 << 20);
  if (!text && text.error() == ENOENT) return std::optional<DesiredState>();
  std::string reason;
  if (!text) {
    reason = strerror(text.error());
  } else {
    auto state = parse_desired(*text);
    if (state && state->node == node) return std::optional<DesiredState>(std::move(*state));
    reason = state ? fmt::format("is of node '{}', not '{}'", state->node, node) : state.error();
  }
  renameat(folder_.get(), kDesired, folder_.get(), kDamaged);
  return tl::unexpected(
      fmt::format("{}/{}: {}; it has been set aside as {}, and the controller's next request brings the state", path_,
                  kDesired, reason, kDamaged));
}

tl::expected<void, std::string> RunFolder::publish(const std::map<std::uint32_t, CpuMax>& quotas) {
  if (published_ == quotas) return {};
  std::string text;
  for (const auto& [job, quota] : quotas) text += fmt::format("{} {}\n", job, format_cpu_max(quota));
  if (const auto done = base::replace_file_at(folder_.get(), kQuotas, text, 0644); !done)
    return tl::unexpected(fmt::format("{}/{}: {}", path_, kQuotas, strerror(done.error())));
  published_ = quotas;
  return {};
}

}  // namespace dfrs::shim
