// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/cgroup/job_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/shim/agent/fake_cgroups.h"

namespace dfrs::shim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

const CpuMax kHalf{5000, 10000};

std::unique_ptr<JobGroups> open_groups(const FakeCgroups& tree, const std::string& node = "n1") {
  auto groups = open_job_groups({tree.root(), "dfrs", node, "", tree.proc()}, tree);
  EXPECT_TRUE(groups) << groups.error();
  return groups ? std::move(*groups) : nullptr;
}

TEST(CgroupV1, MakesItsTreeWithTheLargestShares) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  const auto groups = open_groups(tree);
  EXPECT_STREQ(groups->version(), "v1");
  EXPECT_EQ(tree.text("cpu/dfrs/cpu.shares"), "262144");
  EXPECT_EQ(tree.text("cpu/dfrs/n1/cpu.shares"), "262144");
  EXPECT_TRUE(tree.exists("cpuacct/dfrs/n1"));
  EXPECT_TRUE(groups->list()->empty());
  // Another node on the same host; the same one again.
  open_groups(tree, "n2");
  EXPECT_TRUE(tree.exists("cpu/dfrs/n2"));
  open_groups(tree, "n1");
}

TEST(CgroupV1, SetsQuotasAndOnlyWritesChanges) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  const auto groups = open_groups(tree);
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  EXPECT_EQ(tree.text("cpu/dfrs/n1/job_12/cpu.cfs_quota_us"), "5000");
  EXPECT_EQ(tree.text("cpu/dfrs/n1/job_12/cpu.cfs_period_us"), "10000");
  EXPECT_EQ(tree.text("cpu/dfrs/n1/job_12/cpu.shares"), "262144");
  EXPECT_TRUE(tree.exists("cpuacct/dfrs/n1/job_12"));
  EXPECT_EQ(groups->quota(12), std::optional(kHalf));
  EXPECT_THAT(*groups->list(), ElementsAre(12u));
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::none);
  // Changes by others are noticed.
  tree.write("cpu/dfrs/n1/job_12/cpu.cfs_quota_us", "7000\n");
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  EXPECT_EQ(groups->set_quota(12, CpuMax{}), QuotaChange::written);
  EXPECT_EQ(tree.text("cpu/dfrs/n1/job_12/cpu.cfs_quota_us"), "-1");
  EXPECT_EQ(groups->set_quota(12, CpuMax{}), QuotaChange::none);
  // A group that is not there has no quota to lose.
  EXPECT_EQ(groups->set_quota(13, CpuMax{}), QuotaChange::no_group);
  EXPECT_FALSE(tree.exists("cpu/dfrs/n1/job_13"));
}

TEST(CgroupV1, ChangesOfAQuotaKeepTheRestRight) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  const auto groups = open_groups(tree);
  const std::string job = "cpu/dfrs/n1/job_12/";
  ASSERT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  EXPECT_EQ(groups->set_quota(12, {20000, 50000}), QuotaChange::written);
  EXPECT_EQ(tree.text(job + "cpu.cfs_quota_us"), "20000");
  EXPECT_EQ(tree.text(job + "cpu.cfs_period_us"), "50000");
  // Somebody else's period stays only until the quota is checked.
  tree.write(job + "cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(groups->set_quota(12, {30000, 50000}), QuotaChange::written);
  EXPECT_EQ(groups->set_quota(12, {30000, 50000}), QuotaChange::written);
  EXPECT_EQ(tree.text(job + "cpu.cfs_period_us"), "50000");
  EXPECT_EQ(groups->set_quota(12, {30000, 50000}), QuotaChange::none);
  // What had no limit may have lost its shares, too.
  ASSERT_EQ(groups->set_quota(12, CpuMax{}), QuotaChange::written);
  tree.write(job + "cpu.shares", "1024\n");
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  EXPECT_EQ(tree.text(job + "cpu.shares"), "262144");
}

TEST(CgroupV1, AnotherGroupOfTheJobGetsAll) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  const auto groups = open_groups(tree);
  ASSERT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  // Moved, since a new folder may get the inode of one that was removed.
  std::filesystem::rename(tree / "cpu/dfrs/n1/job_12", tree / "cpu/old");
  const std::string job = "cpu/dfrs/n1/job_12/";
  tree.write(job + "cpu.cfs_quota_us", "-1\n");
  tree.write(job + "cpu.cfs_period_us", "100000\n");
  tree.write(job + "cpu.shares", "1024\n");
  EXPECT_EQ(groups->set_quota(12, {7000, 10000}), QuotaChange::written);
  EXPECT_EQ(tree.text(job + "cpu.cfs_quota_us"), "7000");
  EXPECT_EQ(tree.text(job + "cpu.cfs_period_us"), "10000");
  EXPECT_EQ(tree.text(job + "cpu.shares"), "262144");
}

TEST(CgroupV1, ReadsUse) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  const auto groups = open_groups(tree);
  EXPECT_FALSE(groups->use(12));
  ASSERT_TRUE(groups->set_quota(12, kHalf));
  tree.write("cpu/dfrs/n1/job_12/cpu.stat",
             "nr_periods 100\nnr_throttled 40\nthrottled_time 1500000000\nnr_bursts 0\nburst_time 0\n");
  tree.write("cpuacct/dfrs/n1/job_12/cpuacct.usage", "2500000000\n");
  const auto use = groups->use(12);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->cpu_seconds, std::optional(2.5));
  EXPECT_EQ(use->periods, 100u);
  EXPECT_EQ(use->throttled, 40u);
  EXPECT_EQ(use->throttled_seconds, 1.5);
  tree.write("cpu/dfrs/n1/job_12/cgroup.procs", "100\n0\n200\nx\n");
  EXPECT_THAT(groups->processes(12), ElementsAre(100, 200));
}

TEST(CgroupV1, WithoutAccountingThereIsNone) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  tree.remove_group("cpuacct");
  const auto groups = open_groups(tree);
  ASSERT_TRUE(groups->set_quota(12, kHalf));
  std::filesystem::remove(tree / "cpu/dfrs/n1/job_12/cpuacct.usage");
  ASSERT_TRUE(groups->use(12));
  EXPECT_FALSE(groups->use(12)->cpu_seconds);
}

TEST(CgroupV1, ControllersMountedTogetherAreOneTree) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  tree.remove_group("cpuacct");
  tree.remove_group("cpu");
  std::filesystem::create_directories(tree / "cpu,cpuacct");
  std::filesystem::create_directory_symlink("cpu,cpuacct", tree / "cpu");
  std::filesystem::create_directory_symlink("cpu,cpuacct", tree / "cpuacct");
  const auto groups = open_groups(tree);
  ASSERT_TRUE(groups->set_quota(12, kHalf));
  tree.write("cpu,cpuacct/dfrs/n1/job_12/cpuacct.usage", "1000000000\n");
  EXPECT_EQ(groups->use(12)->cpu_seconds, std::optional(1.0));
  EXPECT_TRUE(groups->remove_if_empty(12));
  EXPECT_FALSE(tree.exists("cpu,cpuacct/dfrs/n1/job_12"));
}

TEST(CgroupV1, RemovesEmptyGroupsOnly) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  const auto groups = open_groups(tree);
  ASSERT_TRUE(groups->set_quota(12, kHalf));
  tree.write("cpu/dfrs/n1/job_12/cgroup.procs", "100\n");
  EXPECT_FALSE(groups->remove_if_empty(12));
  tree.write("cpu/dfrs/n1/job_12/cgroup.procs", "");
  EXPECT_TRUE(groups->remove_if_empty(12));
  EXPECT_FALSE(tree.exists("cpu/dfrs/n1/job_12"));
  EXPECT_FALSE(tree.exists("cpuacct/dfrs/n1/job_12"));
  EXPECT_FALSE(groups->remove_if_empty(12));
}

// The plugin removes a group with the job's last step, perhaps just when its quota is being set.
TEST(CgroupV1, AGroupThatGoesMeanwhileIsNoError) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  const auto groups = open_groups(tree);
  tree.after_make = [&] { tree.remove_group("cpu/dfrs/n1/job_12"); };
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::no_group);
  tree.after_make = nullptr;
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  // A file that is missing in an existing group is an error.
  std::filesystem::remove(tree / "cpu/dfrs/n1/job_12/cpu.cfs_quota_us");
  EXPECT_FALSE(groups->set_quota(12, CpuMax{6000, 10000}));
}

// Its memory group is where its process is, under whatever prefix; that of another job or node is never written to.
TEST(CgroupV1, ReclaimsThroughTheMemoryGroupOfItsProcess) {
  const std::vector<std::pair<std::string, bool>> places{
      {"slurm_n1/uid_1000/job_12/step_0/task_0", true}, {"slurm/uid_1000/job_12/step_batch", true},
      {"site/slurm_n1/uid_1000/job_12/step_0", true},   {"slurm_n2/uid_1000/job_12/step_0", false},
      {"slurm_n1/uid_1000/job_13/step_0", false},       {"user/job_12", false}};
  for (const auto& [place, allowed] : places) {
    FakeCgroups tree(FakeCgroups::Version::v1);
    const auto groups = open_groups(tree);
    ASSERT_TRUE(groups->set_quota(12, kHalf));
    EXPECT_FALSE(groups->reclaim(12, 1000)) << place;
    tree.write("cpu/dfrs/n1/job_12/cgroup.procs", "100\n");
    tree.add_process(100, "4:memory:/" + place + "\n3:cpu,cpuacct:/dfrs/n1/job_12\n0::/\n");
    const std::string file = "memory/" + place.substr(0, place.find("/step")) + "/memory.force_empty";
    tree.write(file, "");
    EXPECT_EQ(groups->reclaim(12, 1000), allowed) << place;
    EXPECT_EQ(tree.text(file), allowed ? "0" : "") << place;
  }
}

// In a container without a cgroup namespace the mount shows a part of the hierarchy, /proc names all of it.
TEST(CgroupV1, ReclaimsInAContainer) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  tree.mount_at("/docker/abc");
  const auto groups = open_groups(tree);
  ASSERT_TRUE(groups->set_quota(12, kHalf));
  tree.write("cpu/dfrs/n1/job_12/cgroup.procs", "100\n");
  tree.add_process(100, "4:memory:/docker/abc/slurm_n1/uid_1000/job_12/step_0\n");
  tree.write("memory/slurm_n1/uid_1000/job_12/memory.force_empty", "");
  EXPECT_TRUE(groups->reclaim(12, 1000));
  EXPECT_EQ(tree.text("memory/slurm_n1/uid_1000/job_12/memory.force_empty"), "0");
}

TEST(CgroupV1, IgnoresForeignNames) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  const auto groups = open_groups(tree);
  for (const char* const name : {"job_", "job_x", "job_1x", "job_99999999999", "other", "job_-1"})
    std::filesystem::create_directories(tree / ("cpu/dfrs/n1/" + std::string(name)));
  std::filesystem::create_directories(tree / "cpu/dfrs/n1/job_7");
  EXPECT_THAT(*groups->list(), ElementsAre(7u));
}

TEST(CgroupErrors, SayWhatIsWrong) {
  FakeCgroups tree(FakeCgroups::Version::v1);
  // A tmpfs in place of the controllers: folders could be created there, but would have no effect.
  tree.magic = TMPFS_MAGIC;
  auto groups = open_job_groups({tree.root(), "dfrs", "n1"}, tree);
  ASSERT_FALSE(groups);
  EXPECT_THAT(groups.error(), HasSubstr("--cgroup-root"));
  EXPECT_FALSE(tree.exists("cpu/dfrs"));
  groups = open_job_groups({"/nowhere", "dfrs", "n1"}, tree);
  ASSERT_FALSE(groups);
  EXPECT_THAT(groups.error(), HasSubstr("/nowhere"));
  tree.magic = 0;
  for (const char* const name : {"", ".", "..", "a/b", "../x"}) {
    EXPECT_FALSE(open_job_groups({tree.root(), "dfrs", name}, tree)) << name;
    EXPECT_FALSE(open_job_groups({tree.root(), name, "n1"}, tree)) << name;
  }
}

constexpr const char* kScope = "system.slice/n1_slurmstepd.scope/";

class CgroupV2 : public testing::TestWithParam<const char*> {
 protected:
  FakeCgroups tree{FakeCgroups::Version::v2};
  std::unique_ptr<JobGroups> groups = open_groups(tree);
  std::string job(const std::string& file) const { return GetParam() + ("job_12/" + file); }
};

TEST_P(CgroupV2, SetsTheQuotaOfSlurmsGroup) {
  EXPECT_STREQ(groups->version(), "v2");
  EXPECT_TRUE(groups->list()->empty());
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::no_group);
  EXPECT_FALSE(groups->quota(12));
  tree.make_v2_group(job(""));
  EXPECT_THAT(*groups->list(), ElementsAre(12u));
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  EXPECT_EQ(tree.text(job("cpu.max")), "5000 10000");
  EXPECT_EQ(tree.text(job("cpu.weight")), "10000");
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::none);
  EXPECT_EQ(groups->quota(12), std::optional(kHalf));
  EXPECT_EQ(groups->set_quota(12, CpuMax{}), QuotaChange::written);
  EXPECT_EQ(tree.text(job("cpu.max")), "max 100000");
  EXPECT_FALSE(groups->remove_if_empty(12));
  EXPECT_TRUE(tree.exists(job("cpu.max")));
}

TEST_P(CgroupV2, AnotherGroupOfTheJobGetsItsWeight) {
  tree.make_v2_group(job(""));
  ASSERT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  EXPECT_EQ(groups->set_quota(12, {7000, 10000}), QuotaChange::written);
  EXPECT_EQ(tree.text(job("cpu.max")), "7000 10000");
  // Moved, since a new folder may get the inode of one that was removed.
  std::filesystem::rename(tree / job(""), tree / "old");
  tree.make_v2_group(job(""));
  EXPECT_EQ(groups->set_quota(12, kHalf), QuotaChange::written);
  EXPECT_EQ(tree.text(job("cpu.max")), "5000 10000");
  EXPECT_EQ(tree.text(job("cpu.weight")), "10000");
}

TEST_P(CgroupV2, ReadsUseAndTheUsersProcesses) {
  tree.make_v2_group(job(""));
  tree.write(job("cpu.stat"),
             "usage_usec 1500000\nuser_usec 1\nnr_periods 10\nnr_throttled 4\nthrottled_usec 250000\n");
  tree.write(job("step_0/user/task_0/cgroup.procs"), "100\n101\n");
  tree.write(job("step_0/slurm/cgroup.procs"), "99\n");
  tree.write(job("step_batch/user/task_special/cgroup.procs"), "102\n");
  const auto use = groups->use(12);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->cpu_seconds, std::optional(1.5));
  EXPECT_EQ(use->periods, 10u);
  EXPECT_EQ(use->throttled, 4u);
  EXPECT_EQ(use->throttled_seconds, 0.25);
  EXPECT_THAT(groups->processes(12), UnorderedElementsAre(100, 101, 102));
  EXPECT_FALSE(groups->reclaim(12, 4096));
  tree.write(job("memory.reclaim"), "");
  EXPECT_TRUE(groups->reclaim(12, 4096));
  EXPECT_EQ(tree.text(job("memory.reclaim")), "4096");
}

TEST_P(CgroupV2, SaysThatTheControllerIsOff) {
  tree.write(job("cgroup.procs"), "");
  const auto set = groups->set_quota(12, kHalf);
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error(), HasSubstr("EnableControllers"));
}

INSTANTIATE_TEST_SUITE_P(Scopes, CgroupV2, testing::Values(kScope, "system.slice/slurmstepd.scope/"));

}  // namespace
}  // namespace dfrs::shim
