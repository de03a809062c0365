// SPDX-License-Identifier: GPL-2.0-or-later
// Real quotas on this machine's own control groups, where they are version 1 and the test is root.
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "plugin/job_group.h"
#include "shim/agent/cgroup/job_groups.h"
#include "tests/shim/support/folder.h"

namespace dfrs::shim {
namespace {

using Clock = std::chrono::steady_clock;

class RealCgroup : public testing::Test {
 protected:
  void SetUp() override {
    if (getuid() != 0) GTEST_SKIP() << "needs root, to make control groups";
    struct statfs about{};
    if (::statfs("/sys/fs/cgroup/cpu", &about) != 0 || about.f_type != CGROUP_SUPER_MAGIC)
      GTEST_SKIP() << "needs cgroup version 1 at /sys/fs/cgroup/cpu";
    auto opened = open_job_groups({"/sys/fs/cgroup", tree_, "n1"});
    if (!opened) GTEST_SKIP() << "control groups cannot be made here: " << opened.error();
    groups_ = std::move(*opened);
  }
  void TearDown() override {
    for (const pid_t process : busy_) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
    if (!groups_) return;
    const auto jobs = groups_->list();
    ASSERT_TRUE(jobs) << jobs.error();
    for (const std::uint32_t job : *jobs) groups_->remove_if_empty(job);
    for (const char* const controller : {"cpu", "cpuacct"}) {
      const std::string top = std::string("/sys/fs/cgroup/") + controller + "/" + tree_;
      ::rmdir((top + "/n1").c_str());
      EXPECT_TRUE(::rmdir(top.c_str()) == 0) << top << " is left behind";
    }
  }

  /// A process that uses all the CPU time that it gets, joined to the job by the plugin's own code.
  pid_t burn(std::uint32_t job) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::raise(SIGSTOP);
      for (std::atomic<std::uint64_t> turns = 0;;) ++turns;
    }
    busy_.push_back(child);
    ::waitpid(child, nullptr, WUNTRACED);
    const std::string run_dir = "run_dir=" + run_.path().string();
    const std::string tree = "cgroup_tree=" + tree_;
    char* arguments[] = {const_cast<char*>(run_dir.c_str()), const_cast<char*>(tree.c_str())};
    dfrs_group_conf conf{};
    char err[512] = "";
    EXPECT_EQ(dfrs_group_configure(&conf, "n1", 2, arguments, err, sizeof err), 0) << err;
    EXPECT_EQ(dfrs_group_join(&conf, job, 1, child, err, sizeof err), 0) << err;
    ::kill(child, SIGCONT);
    return child;
  }
  double used(std::uint32_t job) const { return groups_->use(job)->cpu_seconds.value(); }

  /// The average share of a core that each job got.
  std::vector<double> shares(const std::vector<std::uint32_t>& jobs, std::chrono::milliseconds time) const {
    std::vector<double> before;
    for (const std::uint32_t job : jobs) before.push_back(used(job));
    const auto begin = Clock::now();
    std::this_thread::sleep_for(time);
    std::vector<double> result;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      result.push_back((used(jobs[i]) - before[i]) / seconds);
    }
    return result;
  }

  const std::string tree_ = "dfrs-test-" + std::to_string(::getpid());
  Folder run_;
  std::unique_ptr<JobGroups> groups_;
  std::vector<pid_t> busy_;
};

TEST_F(RealCgroup, JobsGetTheirShares) {
  const std::vector<std::uint32_t> jobs{1, 2, 3};
  const std::vector<double> wanted{0.2, 0.3, 0.5};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_TRUE(groups_->set_quota(jobs[i], cpu_max_for(wanted[i])));
    burn(jobs[i]);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const std::vector<double> got = shares(jobs, std::chrono::milliseconds(3000));
  // Less only when the machine is so busy that not even the largest weight helps.
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_LT(got[i], wanted[i] + 0.05) << i;
    EXPECT_GT(got[i], wanted[i] - 0.1) << i;
  }
  EXPECT_EQ(groups_->processes(2), std::vector<pid_t>{busy_[1]});
  EXPECT_GT(groups_->use(1)->throttled, 100u);
}

TEST_F(RealCgroup, SmallQuotasHold) {
  ASSERT_TRUE(groups_->set_quota(1, cpu_max_for(0.01)));
  burn(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const std::vector<double> got = shares({1}, std::chrono::milliseconds(2000));
  // Only some tens of milliseconds in all, so that a few ticks of the kernel show.
  EXPECT_GT(got[0], 0.002);
  EXPECT_LT(got[0], 0.04);
}

TEST_F(RealCgroup, AChangeHoldsWithinASecond) {
  ASSERT_TRUE(groups_->set_quota(1, cpu_max_for(0.05)));
  burn(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ASSERT_EQ(groups_->set_quota(1, cpu_max_for(0.5)), QuotaChange::written);
  EXPECT_GT(shares({1}, std::chrono::milliseconds(1000))[0], 0.3);
  ASSERT_EQ(groups_->set_quota(1, cpu_max_for(0.05)), QuotaChange::written);
  EXPECT_LT(shares({1}, std::chrono::milliseconds(1000))[0], 0.1);
}

TEST_F(RealCgroup, GroupsWithProcessesStay) {
  ASSERT_TRUE(groups_->set_quota(1, cpu_max_for(0.1)));
  const pid_t process = burn(1);
  EXPECT_FALSE(groups_->remove_if_empty(1));
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  busy_.clear();
  EXPECT_TRUE(groups_->remove_if_empty(1));
  EXPECT_TRUE(groups_->list()->empty());
}

}  // namespace
}  // namespace dfrs::shim
