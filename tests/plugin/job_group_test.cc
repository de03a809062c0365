// SPDX-License-Identifier: GPL-2.0-or-later
// The SPANK plugin's part of a job's control group, on trees of plain files, and together with the agent's.
#include "plugin/job_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "shim/agent/cgroup/job_groups.h"
#include "shim/agent/run_folder.h"
#include "tests/shim/agent/fake_cgroups.h"

namespace dfrs::shim {
namespace {

using testing::HasSubstr;

// The plugin's hooks are plain functions: they work on the one tree of the test.
const FakeCgroups* tree_of_hooks = nullptr;
std::function<void()> after_make;

long hook_file_system(int fd) { return tree_of_hooks->file_system(fd); }
int hook_make(int at, const char* name) {
  if (const auto made = tree_of_hooks->make(at, name); !made) {
    errno = made.error();
    return -1;
  }
  if (after_make) after_make();
  return 0;
}
int hook_remove(int at, const char* name) {
  if (const auto removed = tree_of_hooks->remove(at, name); !removed) {
    errno = removed.error();
    return -1;
  }
  return 0;
}

// Masks of CPUs, of slurmstepd (0) and of tasks.
std::map<pid_t, unsigned long> masks;
int hook_get_affinity(pid_t process, size_t, unsigned long* cpus) {
  cpus[0] = masks[process];
  return 0;
}
int hook_set_affinity(pid_t process, size_t, const unsigned long* cpus) {
  masks[process] = cpus[0];
  return 0;
}

class JobGroup : public testing::TestWithParam<FakeCgroups::Version> {
 protected:
  void SetUp() override {
    tree_of_hooks = &tree;
    after_make = nullptr;
  }
  bool v1() const { return GetParam() == FakeCgroups::Version::v1; }
  std::string file(const std::string& name) const {
    return (v1() ? "cpu/dfrs/n1/job_12/" : "system.slice/n1_slurmstepd.scope/job_12/") + name;
  }
  std::string quota() const {
    return v1() ? tree.text(file("cpu.cfs_quota_us")) + " " + tree.text(file("cpu.cfs_period_us"))
                : tree.text(file("cpu.max"));
  }
  // Among those of other jobs.
  void publish(const std::string& text) { run.write("n1/quotas", "1 1000 10000\n12 " + text + "112 1000 10000\n"); }

  dfrs_group_conf conf(const std::string& more = {}) {
    std::vector<std::string> words{"run_dir=" + (run / "%n"), "cgroup_root=" + tree.root()};
    if (!more.empty()) words.push_back(more);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    dfrs_group_conf conf{};
    EXPECT_EQ(dfrs_group_configure(&conf, "n1", static_cast<int>(arguments.size()), arguments.data(), err, sizeof err),
              0)
        << err;
    conf.proc = proc.c_str();
    conf.file_system = hook_file_system;
    conf.make_group = hook_make;
    conf.remove_group = hook_remove;
    conf.get_affinity = hook_get_affinity;
    conf.set_affinity = hook_set_affinity;
    return conf;
  }
  int join(const dfrs_group_conf& conf, unsigned cpus = 4, pid_t process = 4711) {
    if (!v1() && !tree.exists(file(""))) tree.make_v2_group(file(""));
    tree.add_process(process, "/system.slice/n1_slurmstepd.scope/job_12/step_0/user/task_0");
    return dfrs_group_join(&conf, 12, cpus, process, err, sizeof err);
  }

  FakeCgroups tree{GetParam()};
  const std::string proc = tree.proc();
  Folder run;
  char err[512] = "";
};

/// Slurm creates groups of version 2.
class JobGroupV1 : public JobGroup {};

TEST_P(JobGroup, ATaskJoinsUnderTheAgentsQuota) {
  publish("5000 10000\n");
  ASSERT_EQ(join(conf()), 0) << err;
  EXPECT_EQ(quota(), "5000 10000");
  if (v1()) {
    EXPECT_EQ(tree.text(file("cgroup.procs")), "4711");
    EXPECT_EQ(tree.text("cpuacct/dfrs/n1/job_12/cgroup.procs"), "4711");
    EXPECT_EQ(tree.text(file("cpu.shares")), "262144");
  } else {
    EXPECT_EQ(tree.text(file("cgroup.procs")), "");  // Slurm does that
    EXPECT_EQ(tree.text(file("cpu.weight")), "10000");
  }
}

TEST_P(JobGroup, WithoutTheAgentsWordThereIsNoQuota) {
  ASSERT_EQ(join(conf()), 0) << err;
  EXPECT_THAT(quota(), testing::StartsWith(v1() ? "-1" : "max"));
}

TEST_P(JobGroup, OrTheDefaultOfItsCpus) {
  ASSERT_EQ(join(conf("default_cores_per_cpu=0.05"), 4), 0) << err;
  EXPECT_EQ(quota(), "2000 10000");
  // A further task of another step, with other CPUs, changes nothing.
  ASSERT_EQ(join(conf("default_cores_per_cpu=0.05"), 1), 0) << err;
  EXPECT_EQ(quota(), "2000 10000");
}

TEST_P(JobGroup, SmallDefaultsHaveLongPeriods) {
  ASSERT_EQ(join(conf("default_cores_per_cpu=0.01"), 1), 0) << err;
  EXPECT_EQ(quota(), "2000 200000");
}

TEST_P(JobGroup, TheAgentsQuotaWinsOverWhatIsThere) {
  ASSERT_EQ(join(conf("default_cores_per_cpu=0.5")), 0) << err;
  publish("3000 10000\n");
  ASSERT_EQ(join(conf("default_cores_per_cpu=0.5")), 0) << err;
  EXPECT_EQ(quota(), "3000 10000");
  publish("max 10000\n");
  ASSERT_EQ(join(conf("default_cores_per_cpu=0.5")), 0) << err;
  EXPECT_THAT(quota(), testing::StartsWith(v1() ? "-1" : "max"));
}

TEST_P(JobGroupV1, AQuotaPublishedMeanwhileWins) {
  // The agent publishes, and sets the quota if there is a group, after we have made the group and before our default.
  after_make = [&] {
    publish("3000 10000\n");
    if (tree.exists(file(""))) tree.write(file("cpu.cfs_quota_us"), "3000\n");
  };
  ASSERT_EQ(join(conf("default_cores_per_cpu=0.5")), 0) << err;
  EXPECT_EQ(quota(), "3000 10000");
}

TEST_P(JobGroupV1, AGroupThatIsRemovedOnTheWayIsMadeAgain) {
  publish("3000 10000\n");
  bool removed = false;
  after_make = [&] {
    if (removed || !tree.exists(file(""))) return;
    tree.remove_group(file(""));
    removed = true;
  };
  ASSERT_EQ(join(conf()), 0) << err;
  EXPECT_TRUE(removed);
  EXPECT_EQ(quota(), "3000 10000");
  EXPECT_EQ(tree.text(file("cgroup.procs")), "4711");
}

TEST_P(JobGroup, AJobIsManagedWhenItsQuotaIsPublished) {
  const dfrs_group_conf where = conf();
  EXPECT_FALSE(dfrs_group_managed(&where, 12));
  publish("3000 10000\n");
  EXPECT_TRUE(dfrs_group_managed(&where, 12));
  EXPECT_FALSE(dfrs_group_managed(&where, 13));
}

TEST_P(JobGroup, DamagedQuotasCountAsNone) {
  for (const char* const bad : {"", "x\n", "5000\n", "-5 10000\n", "5000 0\n", "5000 10000 7\n", "0 10000\n"}) {
    if (v1()) tree.remove_group(file(""));
    publish(bad);
    ASSERT_EQ(join(conf("default_cores_per_cpu=0.05"), 4), 0) << err;
    EXPECT_EQ(quota(), "2000 10000") << bad;
  }
}

TEST_P(JobGroup, LeavingRemovesWhatIsEmptyAndNotTheAgents) {
  publish("3000 10000\n");
  ASSERT_EQ(join(conf()), 0) << err;
  tree.write(file("cgroup.procs"), "");
  const dfrs_group_conf where = conf();
  dfrs_group_leave(&where, 12, false);
  EXPECT_TRUE(tree.exists(file("")));  // the agent has yet to read its use
  std::filesystem::remove(run / "n1/quotas");
  tree.write(file("cgroup.procs"), "1\n");
  dfrs_group_leave(&where, 12, false);
  EXPECT_TRUE(tree.exists(file("")));
  tree.write(file("cgroup.procs"), "");
  dfrs_group_leave(&where, 12, false);
  EXPECT_EQ(tree.exists(file("")), !v1());
  if (v1()) {
    tree.write("cpuacct/dfrs/n1/job_12/cgroup.procs", "");
    publish("3000 10000\n");
    ASSERT_EQ(join(conf()), 0) << err;
    tree.write(file("cgroup.procs"), "");
    dfrs_group_leave(&where, 12, true);
    EXPECT_FALSE(tree.exists(file("")));
  }
}

TEST_P(JobGroup, ErrorsNameTheFile) {
  if (v1()) {
    const dfrs_group_conf where = conf();
    tree.magic = TMPFS_MAGIC;
    EXPECT_EQ(join(where), -1);
    EXPECT_THAT(err, HasSubstr("/cpu/dfrs/n1"));
    EXPECT_FALSE(tree.exists("cpu/dfrs"));
  } else {
    tree.make_v2_group(file(""));
    std::filesystem::remove(tree / file("cpu.max"));
    EXPECT_EQ(join(conf()), -1);
    EXPECT_THAT(err, HasSubstr("EnableControllers"));
    const dfrs_group_conf where = conf();
    tree.add_process(4712, "/user.slice/session.scope");
    EXPECT_EQ(dfrs_group_join(&where, 12, 4, 4712, err, sizeof err), -1);
    EXPECT_THAT(err, AllOf(HasSubstr("/user.slice/session.scope"), HasSubstr("n1_slurmstepd.scope")));
  }
}

// ConstrainCores=yes: task/cgroup has put the task of job 12 into a set of one CPU.
class FreeCpus : public JobGroup {
 protected:
  void SetUp() override {
    JobGroup::SetUp();
    masks = {{0, 0b0100}, {4711, 0b0100}};
    if (v1()) {
      tree.write("cpuset/slurm_n1/cpuset.cpus", "0-3\n");
      tree.write("cpuset/slurm_n1/system/cpuset.cpus", "0-3\n");
      tree.write("cpuset/slurm_n1/cgroup.procs", "");
      tree.add_process(4711, "3:cpuset:/slurm_n1/uid_7/job_12/step_0\n1:cpu:/\n");
    } else {
      tree.write("system.slice/n1_slurmstepd.scope/cpuset.cpus.effective", "0-3\n");
      for (const char* const group : {"", "step_0/", "step_0/user/", "step_0/user/task_0/"}) {
        tree.make_v2_group(file(group));
        tree.write(file(std::string(group) + "cpuset.cpus"), cpus_of(group));
      }
      tree.add_process(4711, "/system.slice/n1_slurmstepd.scope/job_12/step_0/user/task_0");
    }
  }
  static std::string cpus_of(std::string_view group) { return group.empty() || group == "step_0/user/" ? "2\n" : "\n"; }
  int free_cpus(uint32_t job = 12) {
    const dfrs_group_conf where = conf();
    return dfrs_group_free_cpus(&where, job, 4711, err, sizeof err);
  }
  /// Whether the task's group may use all CPUs.
  bool is_free() const {
    return v1() ? tree.text("cpuset/slurm_n1/cgroup.procs") == "4711"
                : tree.text(file("cpuset.cpus")) == "0-3" && tree.text(file("step_0/user/cpuset.cpus")) == "0-3";
  }
};

TEST_P(FreeCpus, ATaskOfDfrsMayRunOnAllCpusOfJobs) {
  publish("5000 10000\n");
  ASSERT_EQ(free_cpus(), 0) << err;
  EXPECT_TRUE(is_free());
  EXPECT_EQ(masks[4711], 0b1111ul);
  if (!v1()) {
    EXPECT_EQ(tree.text(file("step_0/cpuset.cpus")), "");  // was not narrowed
  }
  // The next task of the step finds the groups of version 2 free, but has slurmstepd's mask.
  masks[4711] = 0b0100;
  ASSERT_EQ(free_cpus(), 0) << err;
  EXPECT_EQ(masks[4711], 0b1111ul);
}

TEST_P(FreeCpus, ATaskThatItsUserHasBoundStaysBound) {
  publish("5000 10000\n");
  masks = {{0, 0b0110}, {4711, 0b0010}};
  ASSERT_EQ(free_cpus(), 0) << err;
  EXPECT_TRUE(is_free());
  EXPECT_EQ(masks[4711], 0b0010ul);
}

TEST_P(FreeCpus, OtherJobsStayWhereSlurmHasPutThem) {
  ASSERT_EQ(free_cpus(), 0) << err;  // no quota is published: not ours
  EXPECT_FALSE(is_free());
  if (v1()) {
    run.write("n1/quotas", "13 5000 10000\n");
    ASSERT_EQ(free_cpus(13), 0) << err;  // the task is not of this job
    EXPECT_FALSE(is_free());
  }
}

/// Version 2 does not show them.
class FreeCpusV1 : public FreeCpus {};

TEST_P(FreeCpusV1, CpusKeptForTheSystemStayFree) {
  publish("5000 10000\n");
  tree.write("cpuset/slurm_n1/system/cpuset.cpus", "0\n");
  ASSERT_EQ(free_cpus(), 0) << err;
  EXPECT_FALSE(is_free());
}

TEST_P(FreeCpus, NothingHappensWithoutConstrainCores) {
  publish("5000 10000\n");
  if (v1()) {
    tree.add_process(4711, "3:cpuset:/\n1:cpu:/\n");
  } else {
    for (const char* const group : {"", "step_0/user/"}) tree.write(file(std::string(group) + "cpuset.cpus"), "\n");
  }
  ASSERT_EQ(free_cpus(), 0) << err;
  EXPECT_FALSE(is_free());
  EXPECT_EQ(masks[4711], 0b0100ul);
}

// The layouts that Slurm has had with version 2, as the task's /proc shows them.
struct Layout {
  const char* name;
  const char* group;  // the job's, below the mount
  const char* mount = "/";
};

class TaskGroups : public testing::Test {
 protected:
  TaskGroups() {
    tree_of_hooks = &tree;
    after_make = nullptr;
  }
  dfrs_group_conf conf() {
    std::vector<std::string> words{"run_dir=" + (run / "%n"), "cgroup_root=" + tree.root()};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    dfrs_group_conf conf{};
    EXPECT_EQ(dfrs_group_configure(&conf, "n1", 2, arguments.data(), err, sizeof err), 0) << err;
    conf.proc = proc.c_str();
    conf.file_system = hook_file_system;
    return conf;
  }

  FakeCgroups tree{FakeCgroups::Version::v2};
  const std::string proc = tree.proc();
  Folder run;
  char err[512] = "";
};

class TaskLayouts : public TaskGroups, public testing::WithParamInterface<Layout> {
 protected:
  void SetUp() override {
    std::filesystem::permissions(run.path(), std::filesystem::perms::owner_all);
    std::filesystem::create_directories(run / "n1");
    tree.mount_at(GetParam().mount);
    for (const char* const below : {"", "/step_0", "/step_0/user", "/step_0/user/task_0", "/step_0/slurm"})
      tree.make_v2_group(std::string(GetParam().group) + below);
    const std::string prefix = GetParam().mount[1] != 0 ? GetParam().mount : "";
    task = prefix + "/" + GetParam().group + "/step_0/user/task_0";
    tree.add_process(4711, task);
  }
  std::string quota() const { return tree.text(std::string(GetParam().group) + "/cpu.max"); }

  std::string task;
};

TEST_P(TaskLayouts, TheTaskStartsUnderItsQuota) {
  run.write("n1/quotas", "12 5000 10000\n");
  const dfrs_group_conf where = conf();
  ASSERT_EQ(dfrs_group_join(&where, 12, 4, 4711, err, sizeof err), 0) << err;
  EXPECT_EQ(quota(), "5000 10000");
}

TEST_P(TaskLayouts, NewSlurmstepdsWeighAsMuchAsAJob) {
  const std::string group = GetParam().group;
  const std::string system = group.substr(0, group.rfind('/')) + "/system";
  tree.make_v2_group(system);
  const dfrs_group_conf where = conf();
  ASSERT_EQ(dfrs_group_join(&where, 12, 4, 4711, err, sizeof err), 0) << err;
  EXPECT_EQ(tree.text(system + "/cpu.weight"), "10000");
}

TEST_P(TaskLayouts, SlurmstepdsOwnGroupServesWhereTheTaskIsNotSeen) {
  run.write("n1/quotas", "12 5000 10000\n");
  const std::string prefix = GetParam().mount[1] != 0 ? GetParam().mount : "";
  tree.proc_folder().write("self/cgroup", "0::" + prefix + "/" + GetParam().group + "/step_0/slurm\n");
  const dfrs_group_conf where = conf();
  ASSERT_EQ(dfrs_group_join(&where, 12, 4, 999, err, sizeof err), 0) << err;
  EXPECT_EQ(quota(), "5000 10000");
}

TEST_P(TaskLayouts, TheAgentLearnsTheGroupFromThePlugin) {
  const dfrs_group_conf where = conf();
  ASSERT_EQ(dfrs_group_join(&where, 12, 4, 4711, err, sizeof err), 0) << err;
  auto groups = open_job_groups({tree.root(), "dfrs", "n1", run / "n1/group", proc}, tree);
  ASSERT_TRUE(groups) << groups.error();
  EXPECT_EQ((*groups)->set_quota(12, {3000, 10000}), QuotaChange::written);
  EXPECT_EQ(quota(), "3000 10000");
  EXPECT_THAT(*(*groups)->list(), testing::ElementsAre(12u));
  dfrs_group_leave(&where, 12, false);
  EXPECT_TRUE(std::filesystem::exists(run / "n1/group/12"));
  dfrs_group_leave(&where, 12, true);
  EXPECT_FALSE(std::filesystem::exists(run / "n1/group/12"));
}

INSTANTIATE_TEST_SUITE_P(
    Slurm, TaskLayouts,
    testing::Values(Layout{"v22_05", "system.slice/slurmstepd.scope/job_12"},
                    Layout{"v24_11", "system.slice/n1_slurmstepd.scope/job_12"},
                    Layout{"CgroupSlice_25_11", "hpc.slice/hpc-jobs.slice/n1_slurmstepd.scope/job_12"},
                    Layout{"Sluid_26_05", "system.slice/n1_slurmstepd.scope/s0R6GXQ2B800000"},
                    Layout{"SluidAndSlice", "hpc.slice/slurmstepd.scope/s0R6GXQ2B800000"},
                    Layout{"ContainerPrefix", "docker-ab12.scope/system.slice/n1_slurmstepd.scope/job_12"},
                    Layout{"ContainerMount", "system.slice/n1_slurmstepd.scope/job_12", "/docker/ab12"}),
    [](const auto& layout) { return std::string(layout.param.name); });

// Groups that bear the right names, but are not the kernel's or not ours.
TEST_F(TaskGroups, OthersAreNeverWrittenTo) {
  run.write("n1/quotas", "12 5000 10000\n");
  const dfrs_group_conf where = conf();
  for (const std::string group : {"system.slice/n2_slurmstepd.scope/job_12", "system.slice/job_12", "job_12",
                                  "system.slice/n1_slurmstepd.scope"}) {
    tree.make_v2_group(group);
    tree.make_v2_group(group + "/step_0/user/task_0");
    tree.add_process(4711, "/" + group + "/step_0/user/task_0");
    EXPECT_EQ(dfrs_group_join(&where, 12, 4, 4711, err, sizeof err), -1) << group;
    EXPECT_EQ(tree.text(group + "/cpu.max"), "max 100000") << group;
  }
  const std::string outside = "system.slice/n1_slurmstepd.scope/../../other/job_12";
  tree.make_v2_group("other/job_12");
  tree.make_v2_group("system.slice/n1_slurmstepd.scope/x");
  tree.add_process(4711, "/" + outside + "/step_0/user/task_0");
  EXPECT_EQ(dfrs_group_join(&where, 12, 4, 4711, err, sizeof err), -1);
  EXPECT_EQ(tree.text("other/job_12/cpu.max"), "max 100000");
  // A user's own group of that name.
  if (::geteuid() == 0) {
    const std::string owned = "user.slice/n1_slurmstepd.scope/job_12";
    tree.make_v2_group(owned);
    ASSERT_EQ(::chown((tree / owned).c_str(), 65534, 65534), 0);
    tree.add_process(4711, "/" + owned + "/step_0/user/task_0");
    EXPECT_EQ(dfrs_group_join(&where, 12, 4, 4711, err, sizeof err), -1);
    EXPECT_THAT(err, HasSubstr("not a control group of user id 0"));
    EXPECT_EQ(tree.text(owned + "/cpu.max"), "max 100000");
  }
}

TEST_F(TaskGroups, AreNotPublishedInAFolderThatOthersMayWriteTo) {
  std::filesystem::create_directories(run / "n1");
  const dfrs_group_conf where = conf();
  tree.make_v2_group("system.slice/n1_slurmstepd.scope/job_12");
  tree.add_process(4711, "/system.slice/n1_slurmstepd.scope/job_12/step_0/user/task_0");
  std::filesystem::permissions(run / "n1", std::filesystem::perms::all);
  ASSERT_EQ(dfrs_group_join(&where, 12, 4, 4711, err, sizeof err), 0) << err;
  EXPECT_FALSE(std::filesystem::exists(run / "n1/group"));
  std::filesystem::permissions(run / "n1", std::filesystem::perms::owner_all);
  ASSERT_EQ(dfrs_group_join(&where, 12, 4, 4711, err, sizeof err), 0) << err;
  EXPECT_TRUE(std::filesystem::exists(run / "n1/group/12"));
}

// The plugin and the agent at the same job at the same time: it ends with the agent's quota after the agent's next
// look.
TEST_P(JobGroup, TheAgentHasTheLastWord) {
  std::filesystem::permissions(run.path(), std::filesystem::perms::owner_all);
  auto folder = RunFolder::open(run / "n1");
  ASSERT_TRUE(folder) << folder.error();
  auto groups = open_job_groups({tree.root(), "dfrs", "n1", run / "n1/group", proc}, tree);
  ASSERT_TRUE(groups) << groups.error();
  if (!v1()) tree.make_v2_group(file(""));
  tree.add_process(4711, "/system.slice/n1_slurmstepd.scope/job_12/step_0/user/task_0");
  const dfrs_group_conf where = conf("default_cores_per_cpu=0.5");
  std::atomic<bool> stop = false;
  std::thread plugin([&] {
    char problem[512];
    while (!stop) dfrs_group_join(&where, 12, 4, 4711, problem, sizeof problem);
  });
  for (int i = 1; i <= 200; ++i) {
    const CpuMax wanted{i * 100 + 1000, 10000};
    ASSERT_TRUE(folder->publish({{12, wanted}}));
    ASSERT_TRUE((*groups)->set_quota(12, wanted));
  }
  stop = true;
  plugin.join();
  const CpuMax last{21000, 10000};
  ASSERT_TRUE((*groups)->set_quota(12, last));
  EXPECT_EQ((*groups)->quota(12), std::optional(last));
  EXPECT_EQ(dfrs_group_join(&where, 12, 4, 4711, err, sizeof err), 0);
  EXPECT_EQ((*groups)->quota(12), std::optional(last));
}

TEST(JobGroupArguments, AreChecked) {
  const auto configure = [](const char* node, std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    dfrs_group_conf conf{};
    char err[512] = "";
    const int result =
        dfrs_group_configure(&conf, node, static_cast<int>(arguments.size()), arguments.data(), err, sizeof err);
    return result == 0 ? std::string(conf.run_dir) + "|" + conf.cgroup_root + "|" + conf.cgroup_tree : std::string(err);
  };
  EXPECT_EQ(configure("n7", {}), "/run/dfrs/n7|/sys/fs/cgroup|dfrs");
  EXPECT_EQ(configure("n7", {"run_dir=/a/%n/%n", "cgroup_root=/b", "cgroup_tree=t-%n"}), "/a/n7/n7|/b|t-n7");
  EXPECT_THAT(configure(nullptr, {}), HasSubstr("SLURMD_NODENAME"));
  EXPECT_THAT(configure("../x", {}), HasSubstr("SLURMD_NODENAME"));
  EXPECT_THAT(configure("n7", {"run_dir=relative"}), HasSubstr("run_dir=relative"));
  EXPECT_THAT(configure("n7", {"run_dir=/" + std::string(5000, 'x')}), HasSubstr("run_dir="));
  EXPECT_THAT(configure("n7", {"cgroup_root="}), HasSubstr("cgroup_root="));
  EXPECT_THAT(configure("n7", {"cgroup_tree=a/b"}), HasSubstr("cgroup_tree="));
  EXPECT_THAT(configure("n7", {"cgroup_tree=" + std::string(300, 'x')}), HasSubstr("cgroup_tree="));
  for (const char* const bad : {"default_cores_per_cpu=", "default_cores_per_cpu=0", "default_cores_per_cpu=-1",
                                "default_cores_per_cpu=nan", "default_cores_per_cpu=1x", "default_cores_per_cpu=1e9"})
    EXPECT_THAT(configure("n7", {bad}), HasSubstr("above 0")) << bad;
  for (const char* const bad : {"run_dir", "rundir=/x", "", "="})
    EXPECT_THAT(configure("n7", {bad}), HasSubstr("unknown argument")) << bad;
}

INSTANTIATE_TEST_SUITE_P(Version1, JobGroupV1, testing::Values(FakeCgroups::Version::v1));
INSTANTIATE_TEST_SUITE_P(Versions, JobGroup, testing::Values(FakeCgroups::Version::v1, FakeCgroups::Version::v2),
                         [](const auto& version) { return version.param == FakeCgroups::Version::v1 ? "v1" : "v2"; });
INSTANTIATE_TEST_SUITE_P(Version1, FreeCpusV1, testing::Values(FakeCgroups::Version::v1));
INSTANTIATE_TEST_SUITE_P(Versions, FreeCpus, testing::Values(FakeCgroups::Version::v1, FakeCgroups::Version::v2),
                         [](const auto& version) { return version.param == FakeCgroups::Version::v1 ? "v1" : "v2"; });

}  // namespace
}  // namespace dfrs::shim
