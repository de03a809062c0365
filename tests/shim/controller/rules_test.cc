// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the controller, case by case, through its C entries: refusals, limits, restarts, users.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "shim/controller/state_file.h"
#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Refusals, AreTriedAgainLessAndLessOften) {
  OneNode host(one_node_conf(""));
  FakeSlurm& slurm = host.slurm;
  std::vector<double> tries;
  slurm.on_start = [&](const FakeJob&, std::string& reason) {
    tries.push_back(slurm.now());
    reason = "waits for licences";
    return tries.size() < 5 ? DFRS_BLOCKED : DFRS_DONE;
  };
  const auto id = slurm.submit(job_of(800, 5));
  slurm.run_for(1);
  EXPECT_EQ(slurm.job_status(id).situation, JobSituation::backing_off);
  EXPECT_THAT(slurm.explain(id), HasSubstr("waits for licences"));
  EXPECT_TRUE(slurm.run_to_end(200));
  ASSERT_EQ(tries.size(), 5u);
  EXPECT_NEAR(tries[1] - tries[0], 2, 0.1);
  EXPECT_NEAR(tries[2] - tries[1], 4, 0.1);
  EXPECT_NEAR(tries[3] - tries[2], 8, 0.1);
  EXPECT_NEAR(tries[4] - tries[3], 16, 0.1);
}

TEST(Refusals, ARefusedJobPutsNobodyOutASecondTime) {
  OneNode host(one_node_conf("PauseBy=suspend\n"));
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 60));
  slurm.run_for(10);
  slurm.on_start = [&](const FakeJob& job, std::string& reason) {
    reason = "no";
    return job.id == 2 ? DFRS_REFUSED : DFRS_DONE;
  };
  slurm.submit(job_of(800, 5));
  slurm.run_for(50);
  EXPECT_EQ(slurm.job(old).suspends, 1u);
  EXPECT_EQ(slurm.job(old).state, FakeState::running) << slurm.explain(old);
}

TEST(Refusals, ASuspendThatSlurmRefusesLeavesTheJobRunning) {
  OneNode host(one_node_conf("PauseBy=suspend\n"));
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 20));
  slurm.run_for(5);
  slurm.on_operation = [](const FakeJob&, const dfrs_operation& op) {
    return op.kind == DFRS_OP_SUSPEND ? DFRS_REFUSED : DFRS_DONE;
  };
  slurm.submit(job_of(800, 5));
  slurm.run_for(5);
  EXPECT_EQ(slurm.job(old).state, FakeState::running);
  EXPECT_EQ(slurm.asked[DFRS_OP_SUSPEND], 1);
  EXPECT_TRUE(slurm.run_to_end(200));
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(Limits, AreVirtualTimeLive) {
  OneNode host(one_node_conf("PauseBy=none\n", "Greedy*/OPT=MIN"), 4000);
  FakeSlurm& slurm = host.slurm;
  for (int k = 0; k < 4; ++k) {
    FakeJob job = job_of(500, k < 2 ? 50 : 100);
    job.time_limit = 1;
    slurm.submit(job);
  }
  EXPECT_TRUE(slurm.run_to_end(1000));
  // At a quarter of the node each ran far longer than a minute.
  EXPECT_EQ(slurm.job(1).end, FakeEnd::completed);
  EXPECT_EQ(slurm.job(2).end, FakeEnd::completed);
  EXPECT_EQ(slurm.job(3).end, FakeEnd::timeout);
  EXPECT_EQ(slurm.job(4).end, FakeEnd::timeout);
  EXPECT_GT(slurm.job(1).finished_at - slurm.job(1).first_start, 150);
  EXPECT_NEAR(slurm.job(3).progress, 60, 8);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// PrologSlurmctld takes longer than the limit: Slurm counts from the launch.
TEST(Limits, CountFromTheLaunch) {
  for (const double work : {50.0, 100.0}) {
    OneNode host(one_node_conf("PauseBy=none\n", "Greedy*/OPT=MIN"), 4000);
    FakeSlurm& slurm = host.slurm;
    FakeJob job = job_of(500, work);
    job.time_limit = 1;
    job.preparation = 90;
    const auto id = slurm.submit(job);
    EXPECT_TRUE(slurm.run_to_end(1000));
    EXPECT_EQ(slurm.job(id).end, work < 60 ? FakeEnd::completed : FakeEnd::timeout);
    EXPECT_NEAR(slurm.job(id).progress, std::min(work, 60.0), 8);
    EXPECT_THAT(slurm.violations, IsEmpty());
  }
}

TEST(Limits, AreNotSpentOnCpuThatAnAgentDidNotGive) {
  OneNode host(one_node_conf("PauseBy=none\n", "Greedy*/OPT=MIN"), 4000);
  FakeSlurm& slurm = host.slurm;
  FakeJob job = job_of(500, 50);
  job.time_limit = 1;
  slurm.submit(job);
  slurm.submit(job_of(500, 5));
  slurm.run_for(1);
  slurm.agents.set_reachable(0, false);  // the raise after the second job's end is not delivered
  slurm.run_for(80);
  EXPECT_TRUE(slurm.job_status(1).quota_pending);
  EXPECT_EQ(slurm.job(1).state, FakeState::running);
  slurm.agents.set_reachable(0, true);
  EXPECT_TRUE(slurm.run_to_end(500));
  EXPECT_EQ(slurm.job(1).end, FakeEnd::completed);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// Resumed, the job has the quota of one that is paused until the agent hears of another.
TEST(Limits, AJobIsNotEndedForTimeInWhichItsAgentWasAway) {
  OneNode host(one_node_conf("PauseBy=suspend\n"));
  FakeSlurm& slurm = host.slurm;
  FakeJob job = job_of(800, 50);
  job.time_limit = 1;
  const auto old = slurm.submit(job);
  slurm.run_for(15);
  const auto young = slurm.submit(job_of(800, 10));
  slurm.run_for(6);
  ASSERT_EQ(slurm.job(old).state, FakeState::suspended);
  slurm.agents.set_reachable(0, false);
  slurm.cancel(young);
  slurm.run_for(100);
  EXPECT_EQ(slurm.job(old).state, FakeState::running);
  slurm.agents.set_reachable(0, true);
  EXPECT_TRUE(slurm.run_to_end(500));
  EXPECT_EQ(slurm.job(old).end, FakeEnd::completed);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(Restart, ProgressGoesOn) {
  for (const bool saved : {true, false}) {
    OneNode host(one_node_conf("PauseBy=suspend\n"));
    FakeSlurm& slurm = host.slurm;
    const auto old = slurm.submit(job_of(800, 100));
    slurm.run_for(20);
    slurm.submit(job_of(800, 20));
    slurm.run_for(5);
    slurm.restart_controller(saved);
    slurm.run_for(1);
    EXPECT_NEAR(slurm.job_status(old).virtual_time, slurm.job(old).progress, 1.5);
    EXPECT_EQ(slurm.job_status(old).situation, JobSituation::suspended);
    EXPECT_TRUE(slurm.run_to_end(1000));
    EXPECT_EQ(slurm.job(old).restarts, 0u);
    EXPECT_THAT(slurm.violations, IsEmpty());
  }
}

TEST(Restart, WithADamagedStateFileTheTagSaysHowFarAJobWas) {
  OneNode host(one_node_conf(""));
  FakeSlurm& slurm = host.slurm;
  const auto id = slurm.submit(job_of(800, 300));
  slurm.run_for(200);
  slurm.stop_controller();
  const std::string state = sim::file_bytes(slurm.folder() / kStateFileName);
  ASSERT_FALSE(state.empty());
  slurm.folder().write(kStateFileName, state.substr(0, state.size() / 2));
  slurm.start_controller();
  slurm.run_for(1);
  EXPECT_GT(slurm.job_status(id).virtual_time, 60);
  EXPECT_LE(slurm.job_status(id).virtual_time, slurm.job(id).progress + 1);
  EXPECT_THAT(slurm.log, Contains(HasSubstr("is damaged")));
  EXPECT_THAT(slurm.folder().names(), Contains(HasSubstr("dfrs_state.damaged-")));
  EXPECT_TRUE(slurm.run_to_end(1000));
  EXPECT_EQ(slurm.job(id).end, FakeEnd::completed);
}

TEST(Restart, EpochsRise) {
  OneNode host(one_node_conf(""));
  FakeSlurm& slurm = host.slurm;
  const auto epoch = [&] { return StateFile(slurm.folder().path().string()).load(Log())->epoch; };
  const std::uint64_t first = epoch();
  slurm.restart_controller(true);
  EXPECT_GT(epoch(), first);
}

TEST(Arrays, EachTaskRunsOnceAndOnlyOnce) {
  FakeSlurm slurm(1, one_node_conf(""));
  slurm.add_nodes(2, 4, 4000);
  slurm.start_controller();
  FakeJob job = job_of(1000, 10);
  job.array_tasks = 7;
  slurm.submit(job);
  EXPECT_TRUE(slurm.run_to_end(500));
  EXPECT_EQ(slurm.jobs.size(), 7u);
  for (const auto& [id, task] : slurm.jobs) {
    EXPECT_EQ(task.end, FakeEnd::completed) << id;
    EXPECT_EQ(task.starts, 1u) << id;
  }
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// Its number is known only when it has been started, and the round is over before it is in a snapshot.
TEST(Arrays, ATaskHasItsQuotaBeforeItIsLaunched) {
  FakeSlurm slurm(1, one_node_conf(""));
  slurm.add_nodes(1, 4, 4000);
  slurm.start_controller();
  const auto first = slurm.submit(job_of(1000, 1000));
  slurm.run_for(5);
  FakeJob job = job_of(1000, 1000);
  job.array_tasks = 3;
  const auto array = slurm.submit(job);
  ASSERT_TRUE(slurm.round());
  EXPECT_THAT(slurm.violations, IsEmpty());
  const auto task = std::find_if(slurm.jobs.begin(), slurm.jobs.end(),
                                 [&](const auto& each) { return each.first != first && each.first != array; });
  ASSERT_NE(task, slurm.jobs.end());
  ASSERT_EQ(task->second.state, FakeState::running);
  // Two jobs of the node's four CPUs.
  ASSERT_NE(slurm.agents.applied(0, task->first), nullptr);
  EXPECT_NEAR(slurm.agents.applied(0, task->first)->cpus, slurm.agents.applied(0, first)->cpus, 1e-9);
  EXPECT_EQ(slurm.agents.applied(0, array), nullptr);
}

TEST(StockPlaced, TheNextSnapshotSaysWhereItIs) {
  FakeSlurm slurm(1, one_node_conf(""));
  slurm.add_nodes(3, 4, 1000);
  slurm.start_controller();
  FakeJob job = job_of(800, 20);
  job.flags |= DFRS_JOB_STOCK_PLACED;
  const auto id = slurm.submit(job);
  slurm.run_for(1);
  // The fake takes the last node; the policy would take the first.
  ASSERT_EQ(slurm.job(id).at.size(), 1u);
  EXPECT_EQ(slurm.job(id).at[0].first, 2u);
  EXPECT_EQ(slurm.job_status(id).nodes, (std::vector<std::pair<std::string, std::uint32_t>>{{"n2", 1}}));
  ASSERT_NE(slurm.agents.applied(2, id), nullptr);
  EXPECT_TRUE(slurm.run_to_end(200));
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// The policy would take another node than that of the last run, and Slurm takes the same again.
TEST(StockPlaced, NextRunBeginsInALaterSecondWhereverItMayBe) {
  FakeOptions options;
  options.epilog = 4.9;
  options.told_again = true;
  for (int k = 0; k < 10; ++k) {
    FakeSlurm slurm(1, one_node_conf("PauseBy=requeue\nLostWork=accept\nMinProgress=0\n"), options);
    slurm.add_nodes(3, 4, 1000);
    slurm.start_controller();
    FakeJob job = job_of(800, 100);
    job.flags |= DFRS_JOB_STOCK_PLACED;
    const auto id = slurm.submit(job);
    slurm.run_for(15 + 0.1 * k);
    FakeJob wide = job_of(800, 3);
    wide.tasks = 3;
    const auto young = slurm.submit(wide);
    slurm.run_for(2);
    ASSERT_EQ(slurm.job(id).requeues_by_us, 1u);
    slurm.cancel(young);
    EXPECT_TRUE(slurm.run_to_end(1000));
    EXPECT_EQ(slurm.job(id).end, FakeEnd::completed);
    EXPECT_THAT(slurm.violations, IsEmpty());
  }
}

TEST(Users, AJobSuspendedByItsUserIsLeftAloneAndKeepsItsMemory) {
  OneNode host(one_node_conf("PauseBy=suspend\n"));
  FakeSlurm& slurm = host.slurm;
  const auto id = slurm.submit(job_of(800, 20));
  slurm.run_for(5);
  slurm.user_suspend(id);
  const auto other = slurm.submit(job_of(800, 5));
  slurm.run_for(20);
  EXPECT_EQ(slurm.job(id).state, FakeState::suspended);
  EXPECT_EQ(slurm.job(other).state, FakeState::pending);
  EXPECT_EQ(slurm.asked[DFRS_OP_RESUME], 0);
  const JobQuota* quota = slurm.agents.applied(0, id);
  ASSERT_NE(quota, nullptr);
  EXPECT_TRUE(quota->suspended);
  EXPECT_FALSE(quota->paused);
  EXPECT_TRUE(slurm.user_resume(id));
  EXPECT_TRUE(slurm.run_to_end(500));
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(Users, TheirWordsInACommentStay) {
  OneNode host(one_node_conf(""));
  FakeSlurm& slurm = host.slurm;
  FakeJob job = job_of(800, 200);
  job.comment = "mine";
  const auto id = slurm.submit(job);
  slurm.run_for(15);
  EXPECT_THAT(slurm.job(id).comment, testing::StartsWith("mine [dfrs yield=1.00 vt="));
  slurm.job(id).comment = "changed";
  slurm.run_for(15);
  EXPECT_THAT(slurm.job(id).comment, testing::StartsWith("changed [dfrs yield=1.00 vt="));
  ASSERT_TRUE(slurm.reconfigure("Algorithm=GreedyP*/OPT=MIN\nPartitions=dfrs\nCommentInterval=0\n"));
  slurm.run_for(10);
  EXPECT_EQ(slurm.job(id).comment, "changed");
}

TEST(Quotas, QuotaModeOffLiftsThem) {
  for (const bool restart : {false, true}) {
    OneNode host(one_node_conf(""));
    FakeSlurm& slurm = host.slurm;
    const auto id = slurm.submit(job_of(800, 50));
    slurm.run_for(5);
    EXPECT_NE(slurm.agents.applied(0, id), nullptr);
    ASSERT_TRUE(slurm.reconfigure(one_node_conf("QuotaMode=off\n")));
    if (restart) slurm.restart_controller(true);
    slurm.run_for(6);
    EXPECT_TRUE(slurm.agents.node(0).desired.empty());
    ASSERT_TRUE(slurm.reconfigure(one_node_conf("QuotaMode=enforce\n")));
    slurm.run_for(6);
    EXPECT_NE(slurm.agents.applied(0, id), nullptr);
  }
}

TEST(Quotas, ACheckpointIsWrittenAtTheOldSpeed) {
  FakeOptions options;
  options.kill_wait = 10;
  OneNode host(one_node_conf("PauseBy=requeue\nMinProgress=0\n"), 1000, options);
  FakeSlurm& slurm = host.slurm;
  FakeJob job = job_of(500, 100);
  job.comment = "dfrs:checkpoint";
  const auto first = slurm.submit(job);
  FakeJob stays = job_of(400, 100);
  stays.flags = 0;
  const auto second = slurm.submit(stays);
  slurm.run_for(10);
  slurm.submit(job_of(600, 5));
  slurm.run_for(3);
  ASSERT_EQ(slurm.job(first).state, FakeState::requeuing);
  const JobQuota* leaving = slurm.agents.applied(0, first);
  ASSERT_NE(leaving, nullptr);
  EXPECT_NEAR(leaving->cpus, 2, 1e-6);
  EXPECT_NEAR(slurm.agents.applied(0, second)->cpus, 2, 1e-6);
  slurm.run_for(15);
  EXPECT_EQ(slurm.agents.applied(0, first) == nullptr || slurm.job(first).state == FakeState::running, true);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(CEntries, ErrorsAreMessages) {
  const sim::TemporaryFolder folder;
  const std::string conf_file = folder / "dfrs.conf";
  const std::string state = folder.path().string();
  const dfrs_controller_paths paths{conf_file.c_str(), state.c_str(), nullptr, nullptr, "test", 0, nullptr, false};
  char error[256] = "";
  EXPECT_EQ(dfrs_controller_create(&paths, nullptr, error, sizeof(error)), nullptr);
  EXPECT_THAT(error, HasSubstr("dfrs.conf"));
  folder.write("dfrs.conf", "Algorithm=Gredy\nPartitions=a\n");
  EXPECT_EQ(dfrs_controller_create(&paths, nullptr, error, sizeof(error)), nullptr);
  EXPECT_THAT(error, HasSubstr("dfrs.conf:1: Algorithm"));
  char tiny[8] = "";
  EXPECT_EQ(dfrs_controller_create(&paths, nullptr, tiny, sizeof(tiny)), nullptr);
  EXPECT_LT(strlen(tiny), sizeof(tiny));
  EXPECT_EQ(dfrs_controller_abi(), static_cast<std::uint32_t>(DFRS_CONTROLLER_ABI));
}

TEST(CEntries, SaveBeforeLaunch) {
  OneNode host(one_node_conf(""));
  const auto saved_first = [&](bool saves_take_long) {
    return dfrs_controller_save_before_launch(host.slurm.controller(), saves_take_long);
  };
  EXPECT_TRUE(saved_first(false));
  EXPECT_FALSE(saved_first(true));
  ASSERT_TRUE(host.slurm.reconfigure(one_node_conf("SaveBeforeLaunch=yes\n")));
  EXPECT_TRUE(saved_first(true));
  ASSERT_TRUE(host.slurm.reconfigure(one_node_conf("SaveBeforeLaunch=no\n")));
  EXPECT_FALSE(saved_first(false));
}

TEST(CEntries, ABadConfigurationLeavesTheFormerOne) {
  OneNode host(one_node_conf(""));
  std::string error;
  EXPECT_FALSE(host.slurm.reconfigure("Partitions=\n", &error));
  EXPECT_THAT(error, HasSubstr("dfrs.conf"));
  const char* const* names = nullptr;
  ASSERT_EQ(dfrs_controller_partitions(host.slurm.controller(), &names), 1u);
  EXPECT_STREQ(names[0], "dfrs");
  host.slurm.submit(job_of(800, 5));
  EXPECT_TRUE(host.slurm.run_to_end(100));
}

TEST(Inspection, ADryRunSaysWhatARepackWouldDoAndDoesNothing) {
  FakeSlurm slurm(1, one_node_conf("PauseBy=requeue\nLostWork=accept\nMinProgress=0\n", "Greedy*/OPT=MIN"));
  slurm.add_nodes(2, 4, 4000);
  slurm.start_controller();
  for (int k = 0; k < 4; ++k) slurm.submit(job_of(1000, k % 2 == 0 ? 500 : 20));
  slurm.run_for(70);  // those on one node have ended: two are left on the other
  const auto before = slurm.asked;
  const auto plan = host_of(*slurm.controller()).controller().repack_dry_run();
  ASSERT_TRUE(plan.has_value()) << plan.error();
  EXPECT_NEAR(plan->min_yield_before, 0.5, 1e-6);
  EXPECT_NEAR(plan->min_yield_after, 1, 0.02);
  ASSERT_EQ(plan->decisions.size(), 1u);
  EXPECT_EQ(plan->decisions[0].kind, DecisionKind::move);
  EXPECT_NE(plan->decisions[0].from, plan->decisions[0].to);
  slurm.run_for(1);
  EXPECT_EQ(slurm.asked[DFRS_OP_REQUEUE], before.count(DFRS_OP_REQUEUE) != 0 ? before.at(DFRS_OP_REQUEUE) : 0);
}

}  // namespace
}  // namespace dfrs::shim
