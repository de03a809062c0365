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

#include <charconv>
#include <filesystem>

namespace dfrs::shim {
namespace {

constexpr const char* kDesired = "desired.json";
constexpr const char* kDamaged = "desired.json.damaged";
constexpr const char* kQuota = "quota";

std::optional<std::uint32_t> job_of(const std::string& name) {
  std::uint32_t job = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), job);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return job;
}

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
  if (mkdirat(run.folder_.get(), kQuota, 0755) != 0 && errno != EEXIST) return failed("/quota", errno);
  auto quota = base::open_folder(run.folder_.get(), kQuota);
  if (!quota) return failed("/quota", quota.error());
  run.quota_ = std::move(*quota);

  // The quotas of an earlier agent. An unlimited one stands for an invalid file, which publish() then replaces.
  const auto names = base::list_folder(run.quota_.get());
  if (!names) return failed("/quota", names.error());
  for (const std::string& name : *names) {
    const auto job = job_of(name);
    if (!job) continue;
    const auto text = base::read_file_at(run.quota_.get(), name, 256);
    run.published_[*job] = (text ? parse_cpu_max(*text) : std::nullopt).value_or(CpuMax{});
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
  tl::expected<void, std::string> outcome;
  const auto note = [&](std::uint32_t job, int error) {
    if (outcome) outcome = tl::unexpected(fmt::format("{}/{}/{}: {}", path_, kQuota, job, strerror(error)));
  };
  for (auto known = published_.begin(); known != published_.end();) {
    if (quotas.contains(known->first)) {
      ++known;
      continue;
    }
    if (unlinkat(quota_.get(), std::to_string(known->first).c_str(), 0) != 0 && errno != ENOENT) {
      note(known->first, errno);
      ++known;
    } else {
      known = published_.erase(known);
    }
  }
  for (const auto& [job, quota] : quotas) {
    const auto known = published_.find(job);
    if (known != published_.end() && known->second == quota) continue;
    if (const auto done = base::replace_file_at(quota_.get(), std::to_string(job), format_cpu_max(quota) + "\n", 0644);
        !done)
      note(job, done.error());
    else
      published_[job] = quota;
  }
  return outcome;
}

}  // namespace dfrs::shim
