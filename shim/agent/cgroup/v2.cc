// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fmt/format.h>
#include <string.h>

#include <algorithm>

#include "shim/agent/cgroup/common.h"
#include "shim/agent/cgroup/slurm_groups.h"

namespace dfrs::shim {
namespace {

constexpr const char* kQuotaFile = "cpu.max";
constexpr const char* kWeightFile = "cpu.weight";
constexpr std::string_view kWeight = "10000";  // the kernel's maximum, as in v1.cc
// slurmstepd has a group of this name beside those of the user's processes.
constexpr const char* kSlurmsOwn = "slurm";
constexpr int kMaxDepth = 8;
constexpr const char* kControllerOff =
    "; the cpu controller must be on in Slurm's groups: Delegate=yes in slurmd's unit, or without systemd "
    "EnableControllers=yes in cgroup.conf (Slurm 23.02 and newer)";

class V2 final : public JobGroups {
 public:
  V2(base::Fd root, const GroupPlace& place, const CgroupKernel& kernel)
      : slurm_(std::move(root), place, kernel), root_path_(place.root) {}

  const char* version() const override { return "v2"; }

  tl::expected<std::vector<std::uint32_t>, std::string> list() const override { return slurm_.jobs(); }

  tl::expected<QuotaChange, std::string> set_quota(std::uint32_t job, const CpuMax& wanted) const override {
    const auto group = slurm_.open(job);
    if (!group) {
      known_.forget(job);
      return QuotaChange::no_group;
    }
    const int folder = group->folder.get();
    const auto failed = [&](int error) -> tl::expected<QuotaChange, std::string> {
      known_.forget(job);
      // It can go at any time, with the job's last step.
      if (error == ENODEV || (error == ENOENT && !slurm_.open(job))) return QuotaChange::no_group;
      return tl::unexpected(fmt::format("{}/{}/{}: {}{}", root_path_, group->path, kQuotaFile, strerror(error),
                                        error == ENOENT ? kControllerOff : ""));
    };
    // What should be there already is read, in case somebody else has changed it.
    std::optional<CpuMax> now = known_.of(job, group->inode);
    if (!now || *now == wanted) {
      const auto text = base::read_file_at(folder, kQuotaFile);
      if (!text) return failed(text.error());
      now = parse_cpu_max(*text);
    }
    if (now && (*now == wanted || (now->unlimited() && wanted.unlimited()))) {
      known_.keep(job, group->inode, *now);
      return QuotaChange::none;
    }
    if (!wanted.unlimited() && (!now || now->unlimited())) base::write_existing_at(folder, kWeightFile, kWeight);
    const auto done = base::write_existing_at(folder, kQuotaFile, format_cpu_max(wanted));
    if (done) {
      known_.keep(job, group->inode, wanted);
      return QuotaChange::written;
    }
    return failed(done.error());
  }

  std::optional<CpuMax> quota(std::uint32_t job) const override {
    const auto group = slurm_.open(job);
    if (!group) return std::nullopt;
    const auto text = base::read_file_at(group->folder.get(), kQuotaFile);
    return text ? parse_cpu_max(*text) : std::nullopt;
  }

  std::optional<GroupUse> use(std::uint32_t job) const override {
    const auto group = slurm_.open(job);
    if (!group) return std::nullopt;
    GroupUse use;
    if (const auto text = base::read_file_at(group->folder.get(), "cpu.stat")) {
      if (const auto us = stat_value(*text, "usage_usec")) use.cpu_seconds = static_cast<double>(*us) * 1e-6;
      use.periods = stat_value(*text, "nr_periods").value_or(0);
      use.throttled = stat_value(*text, "nr_throttled").value_or(0);
      use.throttled_seconds = static_cast<double>(stat_value(*text, "throttled_usec").value_or(0)) * 1e-6;
    }
    return use;
  }

  std::vector<pid_t> processes(std::uint32_t job) const override {
    std::vector<pid_t> all;
    if (const auto group = slurm_.open(job)) collect(group->folder.get(), 0, all);
    return all;
  }

  // Slurm creates and removes its groups.
  bool remove_if_empty(std::uint32_t) const override { return false; }

  bool reclaim(std::uint32_t job, std::uint64_t bytes) const override {
    const auto group = slurm_.open(job);
    if (!group) return false;
    const auto done = base::write_existing_at(group->folder.get(), "memory.reclaim", std::to_string(bytes));
    return done || done.error() == EAGAIN;  // EAGAIN: less than asked for could be moved
  }

  std::optional<std::uint64_t> swap_left(std::uint32_t job) const override {
    const auto group = slurm_.open(job);
    if (!group) return std::nullopt;
    std::optional<std::uint64_t> left = swap_left_below(group->folder.get(), 0);
    for (std::size_t end = group->path.rfind('/'); end != std::string::npos; end = group->path.rfind('/', end - 1)) {
      const auto above = base::open_folder(slurm_.root(), group->path.substr(0, end));
      if (above) left = least(left, swap_left_at(above->get()));
      if (end == 0) break;
    }
    return least(left, swap_left_at(slurm_.root()));
  }

 private:
  static std::optional<std::uint64_t> least(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
    return a && b ? std::min(*a, *b) : a ? a : b;
  }

  // By the group's own limit.
  static std::optional<std::uint64_t> swap_left_at(int group) {
    const auto text = base::read_file_at(group, "memory.swap.max");
    const auto most = text ? single_number(*text) : std::nullopt;  // "max" is no number
    if (!most || *most < 0) return std::nullopt;
    const auto used_text = base::read_file_at(group, "memory.swap.current");
    const auto used = used_text ? single_number(*used_text).value_or(0) : 0;
    return used < *most ? static_cast<std::uint64_t>(*most - used) : 0;
  }

  // What the group and those below it leave to the job's processes, each with its own limit: steps, tasks.
  static std::optional<std::uint64_t> swap_left_below(int group, int depth) {
    const std::optional<std::uint64_t> here = swap_left_at(group);
    const auto names = depth < kMaxDepth ? base::list_folder(group, true) : tl::unexpected(0);
    if (!names) return here;
    std::uint64_t sum = 0;
    bool any = false;
    for (const std::string& name : *names) {
      const auto below = name == kSlurmsOwn ? tl::unexpected(0) : base::open_folder(group, name);
      if (!below || !populated(below->get())) continue;
      const auto part = swap_left_below(below->get(), depth + 1);
      if (!part) return here;
      any = true;
      sum += *part;
    }
    return any ? least(here, sum) : here;
  }

  static bool populated(int group) {
    const auto text = base::read_file_at(group, "cgroup.events");
    return !text || stat_value(*text, "populated").value_or(1) != 0;
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

  mutable SlurmGroups slurm_;
  mutable KnownQuotas known_;
  const std::string root_path_;  // for messages
};

}  // namespace

tl::expected<std::unique_ptr<JobGroups>, std::string> open_v2(base::Fd root, const GroupPlace& place,
                                                              const CgroupKernel& kernel) {
  return std::make_unique<V2>(std::move(root), place, kernel);
}

}  // namespace dfrs::shim
