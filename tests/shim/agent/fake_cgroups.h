// SPDX-License-Identifier: GPL-2.0-or-later
// Control groups as a tree of plain files: groups are created and removed together with the kernel's files in them.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "base/files.h"
#include "shim/agent/cgroup/kernel.h"
#include "tests/shim/support/folder.h"

namespace dfrs::shim {

class FakeCgroups final : public CgroupKernel {
 public:
  enum class Version { v1, v2 };

  explicit FakeCgroups(Version version) : version_(version) {
    if (version == Version::v1) {
      for (const char* controller : {"cpu", "cpuacct", "cpuset", "memory"})
        std::filesystem::create_directories(folder_.path() / controller);
    } else {
      std::filesystem::create_directories(folder_.path() / "system.slice");
    }
    mount_at("/");
  }

  /// /proc as the one process sees it that the test is of: the tree is mounted where it is, and shows what is below
  /// this path of the hierarchy.
  void mount_at(const std::string& path) const {
    std::string text = "24 1 0:20 / / rw - ext4 /dev/root rw\n";
    if (version_ == Version::v1) {
      for (const char* controller : {"cpu", "cpuacct", "cpuset", "memory"})
        text +=
            "30 24 0:26 " + path + " " + folder_ / controller + " rw shared:9 - cgroup cgroup rw," + controller + "\n";
    } else {
      text += "30 24 0:26 " + path + " " + root() + " rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
    }
    proc_.write("self/mountinfo", text);
  }
  std::string proc() const { return proc_.path().string(); }
  /// A process in a group of version 2, or in those that /proc/PID/cgroup names so.
  void add_process(pid_t pid, const std::string& group, const std::string& name = "task",
                   const std::string& command = "task") const {
    const std::string folder = std::to_string(pid);
    proc_.write(folder + "/cgroup", version_ == Version::v2 ? "0::" + group + "\n" : group);
    proc_.write(folder + "/comm", name + "\n");
    proc_.write(folder + "/cmdline", command + std::string(1, '\0'));
  }
  const Folder& proc_folder() const { return proc_; }

  std::string root() const { return folder_.path().string(); }
  std::string operator/(const std::string& path) const { return folder_ / path; }
  std::string text(const std::string& path) const {
    std::string text = file_text(folder_ / path);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
  void write(const std::string& path, std::string_view text) const { folder_.write(path, text); }
  bool exists(const std::string& path) const { return std::filesystem::exists(folder_ / path); }
  void remove_group(const std::string& path) const { std::filesystem::remove_all(folder_ / path); }

  /// A group of version 2 as Slurm makes them.
  void make_v2_group(const std::string& path) const {
    write(path + "/cpu.max", "max 100000\n");
    write(path + "/cpu.weight", "100\n");
    write(path + "/cpu.stat", "usage_usec 0\nuser_usec 0\nsystem_usec 0\nnr_periods 0\nnr_throttled 0\n");
    write(path + "/cgroup.procs", "");
  }

  std::function<void()> after_make;  ///< called when a group was made
  long magic = 0;                    ///< if set, the type of another file system than the version's

  long file_system(int) const override {
    if (magic != 0) return magic;
    return version_ == Version::v1 ? CGROUP_SUPER_MAGIC : CGROUP2_SUPER_MAGIC;
  }

  /// A group appears with all of its files at once, as the kernel's do.
  tl::expected<void, int> make(int at, const std::string& name) const override {
    const std::string unseen = folder_ / (".made-by-" + std::to_string(::gettid()));
    std::filesystem::remove_all(unseen);
    std::filesystem::create_directory(unseen);
    const auto group = base::open_folder(AT_FDCWD, unseen);
    const std::map<std::string, std::string> files{
        {"cpu.cfs_quota_us", "-1\n"}, {"cpu.cfs_period_us", "100000\n"},
        {"cpu.shares", "1024\n"},     {"cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"},
        {"cpuacct.usage", "0\n"},     {"cgroup.procs", ""}};
    for (const auto& [file, text] : files) {
      const base::Fd fd(::openat(group->get(), file.c_str(), O_WRONLY | O_CREAT, 0644));
      if (::write(fd.get(), text.data(), text.size()) < 0) return tl::unexpected(errno);
    }
    if (::renameat2(AT_FDCWD, unseen.c_str(), at, name.c_str(), RENAME_NOREPLACE) != 0) {
      const int error = errno;
      std::filesystem::remove_all(unseen);
      return tl::unexpected(error);
    }
    if (after_make) after_make();
    return {};
  }

  tl::expected<void, int> remove(int at, const std::string& name) const override {
    const auto group = base::open_folder(at, name);
    if (!group) return tl::unexpected(group.error());
    const auto processes = base::read_file_at(group->get(), "cgroup.procs");
    if (processes && !processes->empty()) return tl::unexpected(EBUSY);
    const auto files = base::list_folder(group->get());
    if (!files) return tl::unexpected(files.error());
    for (const std::string& file : *files) ::unlinkat(group->get(), file.c_str(), 0);
    if (::unlinkat(at, name.c_str(), AT_REMOVEDIR) != 0) return tl::unexpected(errno);
    return {};
  }

 private:
  const Version version_;
  Folder folder_;
  Folder proc_;
};

}  // namespace dfrs::shim
