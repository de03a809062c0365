// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "shim/agent/cgroup/common.h"
#include "shim/agent/cgroup/task_path.h"

namespace dfrs::shim {
namespace {

constexpr const char* kQuotaFile = "cpu.cfs_quota_us";
constexpr const char* kPeriodFile = "cpu.cfs_period_us";
constexpr const char* kSharesFile = "cpu.shares";
// The kernel's maximum: within its quota a job must not lose CPU time to other processes of the node.
constexpr std::string_view kShares = "262144";

class V1 final : public JobGroups {
 public:
  V1(const CgroupKernel& kernel, const GroupPlace& place, base::Fd cpu, base::Fd cpuacct, base::Fd memory)
      : kernel_(kernel),
        cpu_path_(fmt::format("{}/cpu/{}/{}", place.root, place.tree, place.node)),
        cpu_(std::move(cpu)),
        cpuacct_(std::move(cpuacct)),
        memory_(std::move(memory)),
        memory_root_(root_of_folder(place, place.root + "/memory")),
        node_(place.node),
        proc_(place.proc) {}

  const char* version() const override { return "v1"; }

  tl::expected<std::vector<std::uint32_t>, std::string> list() const override {
    const auto names = base::list_folder(cpu_.get(), true);
    if (!names) return tl::unexpected(fmt::format("{}: {}", cpu_path_, strerror(names.error())));
    auto jobs = jobs_among(*names);
    // A group may be left here that could not be removed with its twin, while its last process was still exiting.
    const auto twins = cpuacct_ ? base::list_folder(cpuacct_.get(), true) : names;
    if (cpuacct_ && twins) {
      for (const std::uint32_t job : jobs_among(*twins)) jobs.push_back(job);
      std::sort(jobs.begin(), jobs.end());
      jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
    }
    return jobs;
  }

  tl::expected<QuotaChange, std::string> set_quota(std::uint32_t job, const CpuMax& wanted) const override {
    const std::string name = job_folder(job);
    const auto failed = [&](const char* file, int error) -> tl::expected<QuotaChange, std::string> {
      known_.forget(job);
      // The group may disappear with the job's last step at any time. That is no error; it is made again if needed.
      if ((error == ENOENT || error == ENODEV) && !base::open_folder(cpu_.get(), name)) return QuotaChange::no_group;
      return tl::unexpected(fmt::format("{}/{}/{}: {}", cpu_path_, name, file, strerror(error)));
    };
    auto group = base::open_folder(cpu_.get(), name);
    if (!group) {
      // A missing group has no quota to lift.
      if (wanted.unlimited()) return QuotaChange::no_group;
      if (const auto made = kernel_.make(cpu_.get(), name); !made && made.error() != EEXIST) {
        return failed("", made.error());
      }
      if (cpuacct_) kernel_.make(cpuacct_.get(), name);
      group = base::open_folder(cpu_.get(), name);
      if (!group) return failed("", group.error());
    }
    struct stat about{};
    if (fstat(group->get(), &about) != 0) return failed("", errno);
    // What should be there already is read, in case somebody else has changed it.
    std::optional<CpuMax> now = known_.of(job, about.st_ino);
    if (!now || *now == wanted) now = read_quota(group->get());
    if (!now || !(*now == wanted || (now->unlimited() && wanted.unlimited()))) {
      if (const auto [file, error] = write_quota(group->get(), now, wanted); error != 0) return failed(file, error);
      known_.keep(job, about.st_ino, wanted);
      return QuotaChange::written;
    }
    known_.keep(job, about.st_ino, *now);
    return QuotaChange::none;
  }

  std::optional<CpuMax> quota(std::uint32_t job) const override {
    const auto group = base::open_folder(cpu_.get(), job_folder(job));
    return group ? read_quota(group->get()) : std::nullopt;
  }

  std::optional<GroupUse> use(std::uint32_t job) const override {
    const auto group = base::open_folder(cpu_.get(), job_folder(job));
    if (!group) return std::nullopt;
    GroupUse use;
    if (const auto text = base::read_file_at(group->get(), "cpu.stat")) {
      use.periods = stat_value(*text, "nr_periods").value_or(0);
      use.throttled = stat_value(*text, "nr_throttled").value_or(0);
      use.throttled_seconds = static_cast<double>(stat_value(*text, "throttled_time").value_or(0)) * 1e-9;
    }
    // Controllers that are mounted together are one tree.
    const int accounting = cpuacct_ ? cpuacct_.get() : cpu_.get();
    if (const auto text = base::read_file_at(accounting, job_folder(job) + "/cpuacct.usage")) {
      if (const auto ns = single_number(*text)) use.cpu_seconds = static_cast<double>(*ns) * 1e-9;
    }
    return use;
  }

  std::vector<pid_t> processes(std::uint32_t job) const override {
    const auto text = base::read_file_at(cpu_.get(), job_folder(job) + "/cgroup.procs", 16 << 20);
    return text ? parse_processes(*text) : std::vector<pid_t>{};
  }

  bool remove_if_empty(std::uint32_t job) const override {
    const std::string name = job_folder(job);
    if (!processes(job).empty()) return false;
    known_.forget(job);
    const auto removed = kernel_.remove(cpu_.get(), name);
    if (!removed && removed.error() != ENOENT) return false;
    if (cpuacct_) kernel_.remove(cpuacct_.get(), name);
    return removed.has_value();
  }

  // Its memory group is Slurm's, where Slurm constrains memory; its processes say which that is.
  bool reclaim(std::uint32_t job, std::uint64_t) const override {
    if (!memory_) return false;
    for (const pid_t pid : processes(job)) {
      const auto group = memory_group(job, pid);
      if (group && base::write_existing_at(memory_.get(), *group + "/memory.force_empty", "0")) return true;
    }
    return false;
  }

  // memory.memsw.limit_in_bytes limits memory and swap together: what moves from one to the other stays within it.
  std::optional<std::uint64_t> swap_left(std::uint32_t) const override { return std::nullopt; }

 private:
  // The file that could not be written and errno; 0: done.
  static std::pair<const char*, int> write_quota(int group, const std::optional<CpuMax>& now, const CpuMax& wanted) {
    if (!wanted.unlimited()) {
      if (!now || now->unlimited()) {
        if (const auto done = base::write_existing_at(group, kSharesFile, kShares); !done)
          return {kSharesFile, done.error()};
      }
      if (!now || now->period_us != wanted.period_us) {
        if (const auto done = base::write_existing_at(group, kPeriodFile, std::to_string(wanted.period_us)); !done)
          return {kPeriodFile, done.error()};
      }
    }
    const auto done = base::write_existing_at(group, kQuotaFile, std::to_string(wanted.quota_us));
    return {kQuotaFile, done ? 0 : done.error()};
  }

  static std::optional<CpuMax> read_quota(int group) {
    const auto quota = base::read_file_at(group, kQuotaFile);
    const auto period = base::read_file_at(group, kPeriodFile);
    if (!quota || !period) return std::nullopt;
    const auto quota_us = single_number(*quota);
    const auto period_us = single_number(*period);
    if (!quota_us || !period_us) return std::nullopt;
    return CpuMax{*quota_us < 0 ? CpuMax::kUnlimited : *quota_us, *period_us};
  }

  // [PREFIX/]slurm[_NODE]/uid_USER/job_JOB below <root>/memory; none: the process is in no such group, or in another
  // job's or node's.
  std::optional<std::string> memory_group(std::uint32_t job, pid_t pid) const {
    const auto text = base::read_file_at(AT_FDCWD, fmt::format("{}/{}/cgroup", proc_, pid));
    char path[PATH_MAX];
    if (!text || memory_root_.empty() || !dfrs_task_path(text->c_str(), "memory", path, sizeof path))
      return std::nullopt;
    const char* const below = dfrs_path_below(path, memory_root_.c_str());
    const std::size_t length = below != nullptr ? dfrs_v1_job_group_length(below, node_.c_str(), job) : 0;
    return length != 0 ? std::optional(std::string(below, length)) : std::nullopt;
  }

  const CgroupKernel& kernel_;
  std::string cpu_path_;     // for messages
  base::Fd cpu_;             // <root>/cpu/dfrs/<node>
  base::Fd cpuacct_;         // the same below cpuacct; none if it is the same tree, or not there
  base::Fd memory_;          // <root>/memory; none if not there
  std::string memory_root_;  // what paths in /proc begin with for groups below it
  std::string node_;
  std::string proc_;
  mutable KnownQuotas known_;
};

// <root>/<controller>; mount points may be reached through a link (cpu -> cpu,cpuacct).
base::Fd open_controller(const std::string& root, const char* controller, const CgroupKernel& kernel) {
  base::Fd fd(open((root + "/" + controller).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd && kernel.file_system(fd.get()) != CGROUP_SUPER_MAGIC) return base::Fd();
  return fd;
}

// The group of the node below a controller; created if it is missing.
tl::expected<base::Fd, std::string> open_tree(const base::Fd& controller, const std::string& path,
                                              const GroupPlace& place, const CgroupKernel& kernel, bool raise_shares) {
  const base::Fd* parent = &controller;
  std::string where = path;
  base::Fd folder;
  for (const std::string& name : {place.tree, place.node}) {
    where += "/" + name;
    const auto made = kernel.make(parent->get(), name);
    if (!made && made.error() != EEXIST) {
      return tl::unexpected(fmt::format("{}: {}", where, strerror(made.error())));
    }
    auto opened = base::open_folder(parent->get(), name);
    if (!opened) return tl::unexpected(fmt::format("{}: {}", where, strerror(opened.error())));
    if (raise_shares) {
      if (const auto done = base::write_existing_at(opened->get(), kSharesFile, kShares); !done)
        return tl::unexpected(fmt::format("{}/{}: {}", where, kSharesFile, strerror(done.error())));
    }
    folder = std::move(*opened);
    parent = &folder;
  }
  return folder;
}

}  // namespace

tl::expected<std::unique_ptr<JobGroups>, std::string> open_v1(const GroupPlace& place, const CgroupKernel& kernel) {
  const std::string& root = place.root;
  const base::Fd cpu = open_controller(root, "cpu", kernel);
  if (!cpu) {
    return tl::unexpected(fmt::format(
        "{}: neither a cgroup v2 file system, nor is {}/cpu one of cgroup v1; see --cgroup-root", root, root));
  }
  auto cpu_tree = open_tree(cpu, root + "/cpu", place, kernel, true);
  if (!cpu_tree) return tl::unexpected(cpu_tree.error());
  base::Fd cpuacct_tree;
  if (const base::Fd cpuacct = open_controller(root, "cpuacct", kernel)) {
    struct stat a{};
    struct stat b{};
    const bool same =
        fstat(cpu.get(), &a) == 0 && fstat(cpuacct.get(), &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    if (!same) {
      auto tree = open_tree(cpuacct, root + "/cpuacct", place, kernel, false);
      if (!tree) return tl::unexpected(tree.error());
      cpuacct_tree = std::move(*tree);
    }
  }
  return std::make_unique<V1>(kernel, place, std::move(*cpu_tree), std::move(cpuacct_tree),
                              open_controller(root, "memory", kernel));
}

}  // namespace dfrs::shim
