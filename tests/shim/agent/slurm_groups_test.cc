// SPDX-License-Identifier: GPL-2.0-or-later
// How the agent finds the groups of jobs that Slurm laid out, version by version, without a word from the SPANK plugin:
// jobs that began before it, and before the agent.
#include "shim/agent/cgroup/slurm_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/agent/fake_cgroups.h"

namespace dfrs::shim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const CpuMax kHalf{5000, 10000};

class SlurmTree : public testing::Test {
 protected:
  // The scope with what is in it as long as slurmd runs.
  void add_scope(const std::string& scope, const std::string& mount = "") {
    tree.make_v2_group(scope);
    tree.make_v2_group(scope + "/system");
    tree.write(scope + "/system/cgroup.procs", "50\n");
    tree.add_process(50, mount + "/" + scope + "/system", "slurmstepd", "/usr/sbin/slurmstepd");
  }
  // A job with a step, its slurmstepd and a task.
  void add_job(const std::string& group, const std::string& title, pid_t stepd, const std::string& mount = "") {
    for (const char* const below : {"", "/step_0", "/step_0/slurm", "/step_0/user", "/step_0/user/task_0"})
      tree.make_v2_group(group + below);
    tree.write(group + "/step_0/slurm/cgroup.procs", std::to_string(stepd) + "\n");
    tree.write(group + "/step_0/user/task_0/cgroup.procs", std::to_string(stepd + 1) + "\n");
    tree.add_process(stepd, mount + "/" + group + "/step_0/slurm", "slurmstepd", title);
    tree.add_process(stepd + 1, mount + "/" + group + "/step_0/user/task_0", "sleep", "sleep");
  }
  std::unique_ptr<JobGroups> open() {
    auto groups = open_job_groups({tree.root(), "dfrs", "n1", run / "group", tree.proc()}, tree);
    EXPECT_TRUE(groups) << groups.error();
    return groups ? std::move(*groups) : nullptr;
  }
  void expect_found(const std::string& group) {
    const auto groups = open();
    EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
    EXPECT_EQ(tree.text(group + "/cpu.max"), "5000 10000");
    EXPECT_THAT(*groups->list(), ElementsAre(12u));
    EXPECT_THAT(groups->processes(12), ElementsAre(101));
  }

  FakeCgroups tree{FakeCgroups::Version::v2};
  Folder run;
};

TEST_F(SlurmTree, Of22_05) {
  add_scope("system.slice/slurmstepd.scope");
  add_job("system.slice/slurmstepd.scope/job_12", "slurmstepd: [12.0]", 100);
  expect_found("system.slice/slurmstepd.scope/job_12");
}

TEST_F(SlurmTree, Of24_11) {
  add_scope("system.slice/n1_slurmstepd.scope");
  add_job("system.slice/n1_slurmstepd.scope/job_12", "slurmstepd: [12.batch]", 100);
  expect_found("system.slice/n1_slurmstepd.scope/job_12");
}

TEST_F(SlurmTree, Of25_11WithCgroupSlice) {
  add_scope("hpc.slice/hpc-jobs.slice/n1_slurmstepd.scope");
  add_job("hpc.slice/hpc-jobs.slice/n1_slurmstepd.scope/job_12", "slurmstepd: [12.batch]", 100);
  expect_found("hpc.slice/hpc-jobs.slice/n1_slurmstepd.scope/job_12");
}

TEST_F(SlurmTree, Of26_05WithFoldersNamedBySluid) {
  add_scope("system.slice/n1_slurmstepd.scope");
  add_job("system.slice/n1_slurmstepd.scope/s0R6GXQ2B800000", "slurmstepd: [12.batch]", 100);
  expect_found("system.slice/n1_slurmstepd.scope/s0R6GXQ2B800000");
}

TEST_F(SlurmTree, InAContainerWithAPrefix) {
  add_scope("docker-ab12.scope/system.slice/n1_slurmstepd.scope");
  add_job("docker-ab12.scope/system.slice/n1_slurmstepd.scope/job_12", "slurmstepd: [12.0]", 100);
  expect_found("docker-ab12.scope/system.slice/n1_slurmstepd.scope/job_12");
}

TEST_F(SlurmTree, InAContainerThatMountsAPart) {
  tree.mount_at("/docker/ab12");
  add_scope("hpc.slice/n1_slurmstepd.scope", "/docker/ab12");
  add_job("hpc.slice/n1_slurmstepd.scope/s0R6GXQ2B800000", "slurmstepd: [12.0]", 100, "/docker/ab12");
  expect_found("hpc.slice/n1_slurmstepd.scope/s0R6GXQ2B800000");
}

TEST_F(SlurmTree, AJobThatRunsAgainHasANewGroup) {
  const std::string scope = "system.slice/n1_slurmstepd.scope";
  add_scope(scope);
  add_job(scope + "/s0R6GXQ2B800000", "slurmstepd: [12.batch]", 100);
  const auto groups = open();
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  tree.remove_group(scope + "/s0R6GXQ2B800000");
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::no_group);
  EXPECT_THAT(*groups->list(), IsEmpty());
  add_job(scope + "/s0R6GXQ2B900000", "slurmstepd: [12.batch]", 200);
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  EXPECT_EQ(tree.text(scope + "/s0R6GXQ2B900000/cpu.max"), "5000 10000");
  EXPECT_THAT(*groups->list(), ElementsAre(12u));
}

// What a user's own processes say of themselves counts for nothing.
TEST_F(SlurmTree, OnlySlurmsOwnProcessesNameAJob) {
  const std::string group = "system.slice/n1_slurmstepd.scope/s0R6GXQ2B800000";
  add_scope("system.slice/n1_slurmstepd.scope");
  add_job(group, "slurmstepd: [13.batch]", 100);
  tree.add_process(101, "/" + group + "/step_0/user/task_0", "slurmstepd", "slurmstepd: [12.batch]");
  const auto groups = open();
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::no_group);
  EXPECT_THAT(*groups->list(), ElementsAre(13u));
  if (::geteuid() != 0) return;
  // A child of slurmstepd that has the user's rights already, before its exec.
  tree.write(group + "/step_0/slurm/cgroup.procs", "300\n");
  tree.add_process(300, "/" + group + "/step_0/slurm", "slurmstepd", "slurmstepd: [12.batch]");
  ASSERT_EQ(::chown((tree.proc() + "/300").c_str(), 65534, 65534), 0);
  EXPECT_EQ(open()->set_quota(12, kHalf), QuotaChange::no_group);
}

TEST_F(SlurmTree, ScopesOfUsersAndOtherNodesAreNone) {
  add_scope("system.slice/n2_slurmstepd.scope");
  add_job("system.slice/n2_slurmstepd.scope/job_12", "slurmstepd: [12.batch]", 100);
  EXPECT_EQ(open()->set_quota(12, kHalf), QuotaChange::no_group);
  EXPECT_EQ(tree.text("system.slice/n2_slurmstepd.scope/job_12/cpu.max"), "max 100000");
  if (::geteuid() != 0) return;
  add_scope("user.slice/n1_slurmstepd.scope");
  add_job("user.slice/n1_slurmstepd.scope/job_12", "slurmstepd: [12.batch]", 100);
  ASSERT_EQ(::chown((tree / "user.slice/n1_slurmstepd.scope").c_str(), 65534, 65534), 0);
  EXPECT_EQ(open()->set_quota(12, kHalf), QuotaChange::no_group);
  EXPECT_EQ(tree.text("user.slice/n1_slurmstepd.scope/job_12/cpu.max"), "max 100000");
}

TEST_F(SlurmTree, WhatWasPublishedIsChecked) {
  const std::string scope = "hpc.slice/n1_slurmstepd.scope";
  add_job(scope + "/s0R6GXQ2B800000", "none", 100);
  struct stat about{};
  ASSERT_EQ(::stat((tree / (scope + "/s0R6GXQ2B800000")).c_str(), &about), 0);
  const std::string inode = std::to_string(about.st_ino);
  tree.make_v2_group("other/s0R6GXQ2B800000");
  for (const std::string& bad :
       {inode + " other/s0R6GXQ2B800000\n", inode + " " + scope + "/../n1_slurmstepd.scope/s0R6GXQ2B800000\n",
        "1 " + scope + "/s0R6GXQ2B800000\n", inode + " " + scope + "/s0R6GXQ2B800000", inode + " " + scope + "\n",
        inode + " " + scope + "/s0R6GXQ2B800000/step_0\n", std::string("x\n"), std::string()}) {
    run.write("group/12", bad);
    EXPECT_EQ(open()->set_quota(12, kHalf), QuotaChange::no_group) << bad;
    EXPECT_THAT(*open()->list(), IsEmpty()) << bad;
    EXPECT_FALSE(std::filesystem::exists(run / "group/12")) << bad;  // of no use any more
  }
  run.write("group/12", inode + " " + scope + "/s0R6GXQ2B800000\n");
  EXPECT_EQ(open()->set_quota(12, kHalf), QuotaChange::written);
  EXPECT_EQ(tree.text(scope + "/s0R6GXQ2B800000/cpu.max"), "5000 10000");
  EXPECT_TRUE(std::filesystem::exists(run / "group/12"));
}

// Limits of swap, as ConstrainSwapSpace makes them: on the job, on a step, or above.
TEST_F(SlurmTree, SwapIsLimitedByTheTightestGroup) {
  const std::string job = "system.slice/n1_slurmstepd.scope/job_12";
  add_scope("system.slice/n1_slurmstepd.scope");
  add_job(job, "slurmstepd: [12.0]", 100);
  const auto groups = open();
  EXPECT_EQ(groups->swap_left(12), std::nullopt);
  EXPECT_EQ(groups->swap_left(13), std::nullopt);
  tree.write(job + "/memory.swap.max", "max\n");
  EXPECT_EQ(groups->swap_left(12), std::nullopt);
  tree.write(job + "/memory.swap.max", "1000000\n");
  tree.write(job + "/memory.swap.current", "400000\n");
  EXPECT_EQ(groups->swap_left(12), 600000u);
  tree.write("system.slice/memory.swap.max", "500000\n");
  tree.write("system.slice/memory.swap.current", "450000\n");
  EXPECT_EQ(groups->swap_left(12), 50000u);
  tree.write(job + "/step_0/user/memory.swap.max", "0\n");
  EXPECT_EQ(groups->swap_left(12), 0u);
  // Another step has none, so together they may have what the job has.
  tree.make_v2_group(job + "/step_1");
  EXPECT_EQ(groups->swap_left(12), 50000u);
  tree.write(job + "/step_1/memory.swap.max", "20000\n");
  EXPECT_EQ(groups->swap_left(12), 20000u);
  tree.write(job + "/step_1/cgroup.events", "populated 0\nfrozen 0\n");  // it has ended
  EXPECT_EQ(groups->swap_left(12), 0u);
}

}  // namespace
}  // namespace dfrs::shim
