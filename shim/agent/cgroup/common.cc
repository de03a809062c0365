// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/cgroup/common.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <charconv>

#include "shim/agent/cgroup/task_path.h"

namespace dfrs::shim {
namespace {

constexpr std::string_view kJobPrefix = "job_";

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string job_folder(std::uint32_t job) { return fmt::format("{}{}", kJobPrefix, job); }

std::optional<std::uint32_t> job_of_folder(std::string_view name) {
  if (name.substr(0, kJobPrefix.size()) != kJobPrefix) return std::nullopt;
  name.remove_prefix(kJobPrefix.size());
  return number<std::uint32_t>(name);
}

std::optional<std::uint64_t> stat_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.size() > key.size() && line.substr(0, key.size()) == key && line[key.size()] == ' ')
      return number<std::uint64_t>(line.substr(key.size() + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

std::optional<std::int64_t> single_number(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return number<std::int64_t>(text);
}

std::vector<pid_t> parse_processes(std::string_view text) {
  std::vector<pid_t> processes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    // 0 stands for a process of another pid namespace.
    if (const auto pid = number<pid_t>(text.substr(0, end)); pid && *pid > 0) processes.push_back(*pid);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return processes;
}

std::vector<std::uint32_t> jobs_among(const std::vector<std::string>& names) {
  std::vector<std::uint32_t> jobs;
  for (const std::string& name : names) {
    if (const auto job = job_of_folder(name)) jobs.push_back(*job);
  }
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

std::optional<CpuMax> KnownQuotas::of(std::uint32_t job, ino_t group) const {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(job);
  if (known == known_.end() || known->second.group != group) return std::nullopt;
  return known->second.quota;
}

void KnownQuotas::keep(std::uint32_t job, ino_t group, const CpuMax& quota) {
  const std::lock_guard lock(mutex_);
  if (quota.unlimited())
    known_.erase(job);
  else
    known_[job] = {group, quota};
}

void KnownQuotas::forget(std::uint32_t job) {
  const std::lock_guard lock(mutex_);
  known_.erase(job);
}

std::string root_of_folder(const GroupPlace& place, const std::string& folder) {
  char path[PATH_MAX];
  char root[PATH_MAX];
  if (::realpath(folder.c_str(), path) == nullptr) return {};
  return dfrs_folder_root((place.proc + "/self/mountinfo").c_str(), path, root, sizeof root) ? root : "";
}

tl::expected<std::unique_ptr<JobGroups>, std::string> open_job_groups(const GroupPlace& place,
                                                                      const CgroupKernel& kernel) {
  // Both become names of folders.
  for (const std::string& name : {place.node, place.tree}) {
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
      return tl::unexpected(fmt::format("'{}' cannot be the name of a control group (--node, --cgroup-tree)", name));
  }
  base::Fd folder(open(place.root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return tl::unexpected(fmt::format("{}: {}; see --cgroup-root", place.root, strerror(errno)));
  if (kernel.file_system(folder.get()) == CGROUP2_SUPER_MAGIC) return open_v2(std::move(folder), place, kernel);
  return open_v1(place, kernel);
}

}  // namespace dfrs::shim
