// SPDX-License-Identifier: GPL-2.0-or-later
// Version 2 on this machine's own hierarchy, below a group of the test's. If the cpu controller belongs to version 1
// (both mounted, /sys/fs/cgroup/unified), there are CPU times and processes, but no quotas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include "plugin/job_group.h"
#include "shim/agent/cgroup/job_groups.h"
#include "tests/shim/support/folder.h"

namespace dfrs::shim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RealCgroup2 : public testing::Test {
 protected:
  void SetUp() override {
    if (getuid() != 0) GTEST_SKIP() << "needs root, to make control groups";
    std::string mount;
    for (const char* const path : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
      struct statfs about{};
      if (::statfs(path, &about) == 0 && about.f_type == CGROUP2_SUPER_MAGIC) mount = path;
    }
    if (mount.empty()) GTEST_SKIP() << "needs cgroup version 2 at /sys/fs/cgroup or /sys/fs/cgroup/unified";
    const std::string top = mount + "/dfrs-test-" + std::to_string(::getpid());
    if (::mkdir(top.c_str(), 0755) != 0) GTEST_SKIP() << "control groups cannot be made in " << mount;
    // The layout of slurmstepd's groups; the controller must be enabled on every level.
    has_cpu_ = true;
    std::string path = top;
    made_.push_back(path);
    for (const char* const name : {"system.slice", "n1_slurmstepd.scope", "job_7", "step_0", "user", "task_0"}) {
      has_cpu_ = has_cpu_ && controller_on(path);
      path += std::string("/") + name;
      ASSERT_EQ(::mkdir(path.c_str(), 0755), 0) << path;
      made_.push_back(path);
    }
    task_ = path;
    slurms_ = made_[4] + "/slurm";
    ASSERT_EQ(::mkdir(slurms_.c_str(), 0755), 0) << slurms_;
    made_.push_back(slurms_);
    auto opened = open_job_groups({top, "dfrs", "n1"});
    ASSERT_TRUE(opened) << opened.error();
    groups_ = std::move(*opened);
  }
  void TearDown() override {
    for (const pid_t process : processes_) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
    for (auto path = made_.rbegin(); path != made_.rend(); ++path) {
      EXPECT_EQ(::rmdir(path->c_str()), 0) << *path << " is left behind";
    }
  }
  // Lets the children of a group have quotas.
  static bool controller_on(const std::string& group) {
    std::ofstream file(group + "/cgroup.subtree_control");
    file << "+cpu" << std::flush;
    return file.good();
  }
  // A process in a group, which uses all the CPU time that it gets.
  pid_t burn_in(const std::string& group) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (std::atomic<std::uint64_t> turns = 0;;) ++turns;
    }
    processes_.push_back(child);
    std::ofstream(group + "/cgroup.procs") << child << std::flush;
    return child;
  }
  double used() const { return groups_->use(7)->cpu_seconds.value(); }

  bool has_cpu_ = false;
  std::string task_, slurms_;
  std::vector<std::string> made_;
  std::vector<pid_t> processes_;
  std::unique_ptr<JobGroups> groups_;
};

TEST_F(RealCgroup2, IsFoundWithItsJobsAndTheirProcesses) {
  EXPECT_STREQ(groups_->version(), "v2");
  EXPECT_THAT(*groups_->list(), ElementsAre(7));
  EXPECT_THAT(groups_->processes(7), IsEmpty());
  const pid_t task = burn_in(task_);
  burn_in(slurms_);  // slurmstepd's own
  EXPECT_THAT(groups_->processes(7), ElementsAre(task));
  EXPECT_FALSE(groups_->remove_if_empty(7)) << "Slurm's groups are Slurm's";
}

TEST_F(RealCgroup2, CpuTimeIsCounted) {
  ASSERT_TRUE(groups_->use(7).has_value());
  const double before = used();
  burn_in(task_);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (used() < before + 0.05 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(used(), before + 0.05);
  EXPECT_FALSE(groups_->use(8).has_value());
}

TEST_F(RealCgroup2, WithoutTheControllerAQuotaIsAnErrorThatSaysSo) {
  if (has_cpu_) GTEST_SKIP() << "the cpu controller is there";
  const auto set = groups_->set_quota(7, cpu_max_for(0.5));
  ASSERT_FALSE(set.has_value());
  EXPECT_THAT(set.error(), HasSubstr("EnableControllers=yes"));
  EXPECT_EQ(groups_->set_quota(8, cpu_max_for(0.5)), QuotaChange::no_group);
}

TEST_F(RealCgroup2, QuotasHold) {
  if (!has_cpu_) GTEST_SKIP() << "the cpu controller is not on in version 2 here";
  ASSERT_EQ(groups_->set_quota(7, cpu_max_for(0.2)), QuotaChange::written);
  EXPECT_EQ(groups_->set_quota(7, cpu_max_for(0.2)), QuotaChange::none);
  EXPECT_EQ(groups_->quota(7), cpu_max_for(0.2));
  burn_in(task_);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double before = used();
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  EXPECT_NEAR((used() - before) / time.count(), 0.2, 0.05);
  EXPECT_GT(groups_->use(7)->throttled, 10u);
  EXPECT_EQ(groups_->set_quota(7, CpuMax{}), QuotaChange::written);
  EXPECT_TRUE(groups_->quota(7)->unlimited());
}

// The plugin's part: it finds the same group, and joins nothing, since Slurm has put the task there already.
TEST_F(RealCgroup2, ThePluginSetsTheQuotaThatTheAgentHasPublished) {
  const Folder run;
  ASSERT_EQ(::mkdir((run.path() / "quota").c_str(), 0755), 0);
  std::ofstream(run.path() / "quota" / "7") << "5000 10000\n";
  const std::string run_dir = "run_dir=" + run.path().string();
  const std::string root = "cgroup_root=" + made_[0];
  char* arguments[] = {const_cast<char*>(run_dir.c_str()), const_cast<char*>(root.c_str())};
  dfrs_group_conf conf{};
  char err[512] = "";
  ASSERT_EQ(dfrs_group_configure(&conf, "n1", 2, arguments, err, sizeof err), 0) << err;
  const pid_t task = burn_in(task_);
  const int joined = dfrs_group_join(&conf, 7, 1, task, err, sizeof err);
  if (has_cpu_) {
    EXPECT_EQ(joined, 0) << err;
    EXPECT_EQ(groups_->quota(7), (CpuMax{5000, 10000}));
  } else {
    EXPECT_EQ(joined, -1);
    EXPECT_THAT(err, HasSubstr("cpu.max"));
  }
  EXPECT_THAT(groups_->processes(7), ElementsAre(task));
}

}  // namespace
}  // namespace dfrs::shim
