// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/cgroup/task_path.h"

#include <gtest/gtest.h>
#include <limits.h>

#include <string>

#include "tests/shim/support/folder.h"

namespace dfrs::shim {
namespace {

std::string path_of(const std::string& text, const char* controller) {
  char path[PATH_MAX];
  return dfrs_task_path(text.c_str(), controller, path, sizeof path) ? path : "none";
}

TEST(TaskPath, IsThatOfTheController) {
  const std::string hybrid =
      "12:memory:/slurm_n1/uid_1000/job_12\n5:cpu,cpuacct:/dfrs/n1/job_12\n1:name=systemd:/user.slice\n0::/"
      "init.scope\n";
  EXPECT_EQ(path_of(hybrid, "memory"), "/slurm_n1/uid_1000/job_12");
  EXPECT_EQ(path_of(hybrid, "cpu"), "/dfrs/n1/job_12");
  EXPECT_EQ(path_of(hybrid, "cpuacct"), "/dfrs/n1/job_12");
  EXPECT_EQ(path_of(hybrid, ""), "/init.scope");
  EXPECT_EQ(path_of(hybrid, "blkio"), "none");
  EXPECT_EQ(path_of("0::/", ""), "/");
  EXPECT_EQ(path_of("0::/a:b/c\n", ""), "/a:b/c");
  for (const char* const bad : {"", "\n", "0:", "0::", "0::relative\n", "x"})
    EXPECT_EQ(path_of(bad, ""), "none") << bad;
  char small[4];
  EXPECT_FALSE(dfrs_task_path("0::/abc\n", "", small, sizeof small));
}

TEST(TaskPath, RootOfAFolder) {
  const Folder proc;
  const std::string file = proc.write("mountinfo",
                                      "21 1 0:20 / / rw - ext4 /dev/vda rw\n"
                                      "30 21 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n"
                                      "31 21 0:26 /docker/ab /mnt/part rw - cgroup2 cgroup2 rw\n"
                                      "32 21 0:27 / /over rw - tmpfs tmpfs rw\n"
                                      "33 21 0:26 /deep /over rw - cgroup2 cgroup2 rw\n");
  const auto root = [&](const char* folder) -> std::string {
    char path[PATH_MAX];
    return dfrs_folder_root(file.c_str(), folder, path, sizeof path) ? path : "none";
  };
  EXPECT_EQ(root("/sys/fs/cgroup"), "/");
  EXPECT_EQ(root("/sys/fs/cgroup/test"), "/test");
  EXPECT_EQ(root("/sys/fs/cgroups"), "/sys/fs/cgroups");  // of the root file system
  EXPECT_EQ(root("/mnt/part"), "/docker/ab");
  EXPECT_EQ(root("/mnt/part/x"), "/docker/ab/x");
  EXPECT_EQ(root("/over"), "/deep");  // the later mount hides the earlier one
  char any[PATH_MAX];
  EXPECT_FALSE(dfrs_folder_root((file + ".not").c_str(), "/", any, sizeof any));
}

TEST(TaskPath, BelowARoot) {
  EXPECT_STREQ(dfrs_path_below("/a/b", "/"), "a/b");
  EXPECT_STREQ(dfrs_path_below("/a/b", "/a"), "b");
  EXPECT_STREQ(dfrs_path_below("/a", "/a"), "");
  EXPECT_EQ(dfrs_path_below("/ab", "/a"), nullptr);
  EXPECT_EQ(dfrs_path_below("/b", "/a"), nullptr);
  // Another namespace's group.
  EXPECT_EQ(dfrs_path_below("/system.slice/x", "/../.."), nullptr);
}

std::string group_of(const std::string& path, const char* node = "n1") {
  return path.substr(0, dfrs_job_group_length(path.c_str(), node));
}

TEST(TaskPath, NamesTheJobsGroup) {
  for (const std::string group :
       {"system.slice/slurmstepd.scope/job_12", "system.slice/n1_slurmstepd.scope/job_12",
        "a.slice/n1_slurmstepd.scope/s0R6GXQ2B800000", "docker/ab/system.slice/n1_slurmstepd.scope/job_12",
        "system.slice/slurmstepd.scope/job_5/step_0/user/task_0/system.slice/n1_slurmstepd.scope/job_12"}) {
    for (const std::string below : {"/step_0", "/step_batch/slurm", "/step_extern/user/task_special"})
      EXPECT_EQ(group_of(group + below), group);
  }
  for (const char* const other :
       {"", "/", "system.slice/slurmd.service", "system.slice/n1_slurmstepd.scope/system",
        "system.slice/n1_slurmstepd.scope/job_12", "system.slice/n2_slurmstepd.scope/job_12/step_0",
        "system.slice/xn1_slurmstepd.scope/job_12/step_0", "system.slice/n1_slurmstepd.scope//step_0",
        "system.slice/n1_slurmstepd.scope/../job_12/step_0", "../system.slice/n1_slurmstepd.scope/job_12/step_0"})
    EXPECT_EQ(group_of(other), "") << other;
}

TEST(TaskPath, JobOfSlurmstepd) {
  EXPECT_EQ(dfrs_job_of_command("slurmstepd: [12.batch]"), 12u);
  EXPECT_EQ(dfrs_job_of_command("slurmstepd: [4294967294.extern]"), 4294967294u);
  EXPECT_EQ(dfrs_job_of_command("slurmstepd: [12.0 stepmgr]"), 12u);
  for (const char* const none :
       {"", "slurmstepd", "/usr/sbin/slurmstepd infinity", "slurmstepd: [s0R6GXQ2B800000.0]", "slurmstepd: [-1.0]",
        "slurmstepd: [12]", "slurmstepd: [99999999999.0]", "sleep: [12.0]"})
    EXPECT_EQ(dfrs_job_of_command(none), 0u) << none;
}

}  // namespace
}  // namespace dfrs::shim
