// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fmt/format.h>
#include <string.h>

#include "shim/agent/cgroup/common.h"

namespace dfrs::shim {
namespace {

constexpr const char* kQuotaFile = "cpu.max";
constexpr const char* kWeightFile = "cpu.weight";
constexpr std::string_view kWeight = "10000";  // the kernel's maximum, as in v1.cc
// slurmstepd has a group of this name beside those of the user's processes.
constexpr const char* kSlurmsOwn = "slurm";
constexpr int kMaxDepth = 8;

class V2 final : public JobGroups {
 public:
  V2(base::Fd root, std::string root_path, const std::string& node)
      : root_(std::move(root)),
        root_path_(std::move(root_path)),
        // With several slurmd on a host, the node's name is part of the scope's.
        scopes_{fmt::format("system.slice/{}_slurmstepd.scope", node), "system.slice/slurmstepd.scope"} {}

  const char* version() const override { return "v2"; }

  tl::expected<std::vector<std::uint32_t>, std::string> list() const override {
    const auto scope = open_scope();
    if (!scope) return std::vector<std::uint32_t>{};  // no step has run on this node yet
    const auto names = base::list_folder(scope->get(), true);
    if (!names) return tl::unexpected(fmt::format("{}/{}: {}", root_path_, scopes_[0], strerror(names.error())));
    return jobs_among(*names);
  }

  tl::expected<QuotaChange, std::string> set_quota(std::uint32_t job, const CpuMax& wanted) const override {
    const auto group = open_job(job);
    if (!group) return QuotaChange::no_group;
    const auto text = base::read_file_at(group->get(), kQuotaFile);
    if (!text) {
      // The group may disappear with the job's last step at any time.
      if (text.error() == ENODEV || !open_job(job)) return QuotaChange::no_group;
      return tl::unexpected(fmt::format(
          "{}/{}/{}/{}: {}; the cpu controller must be on in Slurm's groups: EnableControllers=yes in cgroup.conf",
          root_path_, scopes_[0], job_folder(job), kQuotaFile, strerror(text.error())));
    }
    const auto now = parse_cpu_max(*text);
    if (now && (*now == wanted || (now->unlimited() && wanted.unlimited()))) return QuotaChange::none;
    if (!wanted.unlimited()) base::write_existing_at(group->get(), kWeightFile, kWeight);
    const auto done = base::write_existing_at(group->get(), kQuotaFile, format_cpu_max(wanted));
    if (done) return QuotaChange::written;
    if ((done.error() == ENODEV || done.error() == ENOENT) && !open_job(job)) return QuotaChange::no_group;
    return tl::unexpected(
        fmt::format("{}/{}/{}/{}: {}", root_path_, scopes_[0], job_folder(job), kQuotaFile, strerror(done.error())));
  }

  std::optional<CpuMax> quota(std::uint32_t job) const override {
    const auto group = open_job(job);
    if (!group) return std::nullopt;
    const auto text = base::read_file_at(group->get(), kQuotaFile);
    return text ? parse_cpu_max(*text) : std::nullopt;
  }

  std::optional<GroupUse> use(std::uint32_t job) const override {
    const auto group = open_job(job);
    if (!group) return std::nullopt;
    GroupUse use;
    if (const auto text = base::read_file_at(group->get(), "cpu.stat")) {
      if (const auto us = stat_value(*text, "usage_usec")) use.cpu_seconds = static_cast<double>(*us) * 1e-6;
      use.periods = stat_value(*text, "nr_periods").value_or(0);
      use.throttled = stat_value(*text, "nr_throttled").value_or(0);
      use.throttled_seconds = static_cast<double>(stat_value(*text, "throttled_usec").value_or(0)) * 1e-6;
    }
    return use;
  }

  std::vector<pid_t> processes(std::uint32_t job) const override {
    std::vector<pid_t> all;
    if (const auto group = open_job(job)) collect(group->get(), 0, all);
    return all;
  }

  // Slurm creates and removes its groups.
  bool remove_if_empty(std::uint32_t) const override { return false; }

  bool reclaim(std::uint32_t job, std::uint64_t bytes) const override {
    const auto group = open_job(job);
    if (!group) return false;
    const auto done = base::write_existing_at(group->get(), "memory.reclaim", std::to_string(bytes));
    return done || done.error() == EAGAIN;  // EAGAIN: the kernel moved less than that
  }

 private:
  tl::expected<base::Fd, int> open_scope() const {
    auto scope = base::open_folder(root_.get(), scopes_[0]);
    return scope ? std::move(scope) : base::open_folder(root_.get(), scopes_[1]);
  }
  tl::expected<base::Fd, int> open_job(std::uint32_t job) const {
    const auto scope = open_scope();
    if (!scope) return tl::unexpected(scope.error());
    return base::open_folder(scope->get(), job_folder(job));
  }

  static void collect(int folder, int depth, std::vector<pid_t>& all) {
    if (const auto text = base::read_file_at(folder, "cgroup.procs", 16 << 20)) {
      const std::vector<pid_t> here = parse_processes(*text);
      all.insert(all.end(), here.begin(), here.end());
    }
    if (depth == kMaxDepth) return;
    const auto names = base::list_folder(folder, true);
    if (!names) return;
    for (const std::string& name : *names) {
      if (name == kSlurmsOwn) continue;
      if (const auto below = base::open_folder(folder, name)) collect(below->get(), depth + 1, all);
    }
  }

  base::Fd root_;
  std::string root_path_;
  std::string scopes_[2];
};

}  // namespace

tl::expected<std::unique_ptr<JobGroups>, std::string> open_v2(base::Fd root, const GroupPlace& place) {
  return std::make_unique<V2>(std::move(root), place.root, place.node);
}

}  // namespace dfrs::shim
