// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/cgroup/slurm_groups.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "shim/agent/cgroup/common.h"
#include "shim/agent/cgroup/task_path.h"

namespace dfrs::shim {
namespace {

using std::chrono::steady_clock;

// All processes of the node are looked at for scopes this often: while none is known, and afterwards.
constexpr auto kSearch = std::chrono::seconds(5);
constexpr auto kSearchAgain = std::chrono::seconds(60);

// Slurm's own daemon of a step is in a group of this name beside that of the user's processes.
constexpr const char* kSlurmsOwn = "slurm";
constexpr std::string_view kStep = "step_";

bool is_number(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

SlurmGroups::SlurmGroups(base::Fd root, const GroupPlace& place, const CgroupKernel& kernel)
    : root_(std::move(root)), place_(place), kernel_(kernel), mount_root_(root_of_folder(place, place.root)) {}

std::optional<ino_t> SlurmGroups::ours(int folder) const {
  struct stat about{};
  if (::fstat(folder, &about) != 0 || about.st_uid != ::geteuid()) return std::nullopt;
  if (kernel_.file_system(folder) != CGROUP2_SUPER_MAGIC) return std::nullopt;
  return about.st_ino;
}

std::optional<SlurmGroups::Group> SlurmGroups::open(std::uint32_t job) {
  const std::lock_guard lock(mutex_);
  if (auto group = open_known(job)) return group;
  if (const auto place = published(job)) {
    known_[job] = *place;
    if (auto group = open_known(job)) return group;
  }
  find_scopes();
  if (!look_into_scopes()) return std::nullopt;
  return open_known(job);
}

std::optional<SlurmGroups::Group> SlurmGroups::open_known(std::uint32_t job) {
  const auto known = known_.find(job);
  if (known == known_.end()) return std::nullopt;
  auto folder = base::open_folder(root_.get(), known->second.path);
  // A job that runs again has a new group, of the same name or another.
  if (!folder || ours(folder->get()) != known->second.inode) {
    known_.erase(known);
    return std::nullopt;
  }
  return Group{std::move(*folder), known->second.path, known->second.inode};
}

// "INODE PATH"
std::optional<SlurmGroups::Place> SlurmGroups::published(std::uint32_t job) const {
  if (place_.published.empty()) return std::nullopt;
  const auto text = base::read_file_at(AT_FDCWD, fmt::format("{}/{}", place_.published, job), 2 * PATH_MAX);
  if (!text || text->empty() || text->back() != '\n') return std::nullopt;
  Place place;
  const char* const end = text->data() + text->size() - 1;
  const auto number = std::from_chars(text->data(), end, place.inode);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != ' ') return std::nullopt;
  place.path.assign(number.ptr + 1, end);
  const std::string step = place.path + "/step_";
  if (dfrs_job_group_length(step.c_str(), place_.node.c_str()) != place.path.size()) return std::nullopt;
  return place;
}

void SlurmGroups::read_published() {
  if (place_.published.empty()) return;
  const auto folder = base::open_folder(AT_FDCWD, place_.published);
  const auto names = folder ? base::list_folder(folder->get()) : tl::unexpected(folder.error());
  if (!names) return;
  for (const std::string& name : *names) {
    std::uint32_t job = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), job);
    if (error != std::errc() || end != name.data() + name.size() || open_known(job)) continue;
    const auto place = published(job);
    if (place) known_[job] = *place;
    // What is over without an epilog leaves its file behind.
    if (!place || !open_known(job)) ::unlinkat(folder->get(), name.c_str(), 0);
  }
}

tl::expected<std::vector<std::uint32_t>, std::string> SlurmGroups::jobs() {
  const std::lock_guard lock(mutex_);
  read_published();
  find_scopes();
  if (const auto looked = look_into_scopes(); !looked) return tl::unexpected(looked.error());
  std::vector<std::uint32_t> jobs;
  for (auto known = known_.begin(); known != known_.end();) {
    const std::uint32_t job = (known++)->first;  // open_known() forgets those that have gone
    if (open_known(job)) jobs.push_back(job);
  }
  return jobs;
}

tl::expected<void, std::string> SlurmGroups::look_into_scopes() {
  std::map<std::string, ino_t> seen;
  for (const auto& [job, place] : known_) seen[place.path] = place.inode;
  for (auto each = scopes_.begin(); each != scopes_.end();) {
    const std::string scope = *each;
    const auto folder = base::open_folder(root_.get(), scope);
    if (!folder || !ours(folder->get())) {
      each = scopes_.erase(each);
      continue;
    }
    ++each;
    const auto names = base::list_folder(folder->get(), true);
    if (!names && names.error() == ENODEV) continue;
    if (!names) return tl::unexpected(fmt::format("{}/{}: {}", place_.root, scope, strerror(names.error())));
    for (const std::string& name : *names) {
      const std::string path = scope + "/" + name;
      const auto group = base::open_folder(root_.get(), path);
      if (!group) continue;
      const auto inode = ours(group->get());
      if (!inode) continue;
      const auto before = seen.find(path);
      if (before != seen.end() && before->second == inode.value()) continue;
      if (const auto job = job_of(name, *group)) known_[*job] = {path, inode.value()};
    }
  }
  return {};
}

// By the folder's name, or by the slurmstepd of one of its steps.
std::optional<std::uint32_t> SlurmGroups::job_of(const std::string& name, const base::Fd& group) const {
  if (const auto job = job_of_folder(name)) return job;
  const auto steps = base::list_folder(group.get(), true);
  if (!steps) return std::nullopt;
  for (const std::string& step : *steps) {
    if (step.rfind(kStep, 0) != 0) continue;
    const auto text = base::read_file_at(group.get(), fmt::format("{}/{}/cgroup.procs", step, kSlurmsOwn));
    if (!text) continue;
    for (const pid_t pid : parse_processes(*text)) {
      const std::string process = fmt::format("{}/{}", place_.proc, pid);
      struct stat about{};
      if (::stat(process.c_str(), &about) != 0 || about.st_uid != ::geteuid()) continue;
      const auto command = base::read_file_at(AT_FDCWD, process + "/cmdline");
      if (!command) continue;
      if (const std::uint32_t job = dfrs_job_of_command(command->c_str()); job != 0) return job;
    }
  }
  return std::nullopt;
}

void SlurmGroups::find_scopes() {
  // The usual places need no search.
  remember_scope(fmt::format("system.slice/{}_slurmstepd.scope", place_.node));
  remember_scope("system.slice/slurmstepd.scope");
  for (const auto& [job, place] : known_) remember_scope(place.path);
  const auto now = steady_clock::now();
  if (scopes_at_ && now - *scopes_at_ < (scopes_.empty() ? kSearch : kSearchAgain)) return;
  scopes_at_ = now;
  const auto folder = base::open_folder(AT_FDCWD, place_.proc);
  const auto names = folder ? base::list_folder(folder->get(), true) : tl::unexpected(folder.error());
  if (!names) return;
  for (const std::string& name : *names) {
    if (!is_number(name)) continue;
    const auto command = base::read_file_at(folder->get(), name + "/comm", 64);
    if (!command || *command != "slurmstepd\n") continue;
    if (const auto path = path_of(name)) remember_scope(*path);
  }
}

// Remembers the scope that a path is in, if there is one and it is ours.
void SlurmGroups::remember_scope(const std::string& path) {
  const std::string scope = path.substr(0, dfrs_scope_length(path.c_str(), place_.node.c_str()));
  if (scope.empty() || scopes_.contains(scope)) return;
  const auto folder = base::open_folder(root_.get(), scope);
  if (folder && ours(folder->get())) scopes_.insert(scope);
}

// Of a process's group below the root.
std::optional<std::string> SlurmGroups::path_of(const std::string& process) const {
  const auto text = base::read_file_at(AT_FDCWD, fmt::format("{}/{}/cgroup", place_.proc, process));
  char path[PATH_MAX];
  if (!text || mount_root_.empty() || !dfrs_task_path(text->c_str(), "", path, sizeof path)) return std::nullopt;
  const char* const below = dfrs_path_below(path, mount_root_.c_str());
  if (below == nullptr) return std::nullopt;
  return below;
}

}  // namespace dfrs::shim
