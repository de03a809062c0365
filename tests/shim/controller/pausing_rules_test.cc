// SPDX-License-Identifier: GPL-2.0-or-later
// Rules of the controller, case by case, through its C entries: what may be suspended or requeued, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(PausingRules, WithoutSwapNobodyIsSuspended) {
  OneNode host("Algorithm=GreedyP*/OPT=MIN\nPartitions=dfrs\nSuspendNeedsSwap=yes\nPauseBy=suspend\n");
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 60));
  slurm.run_for(10);
  slurm.submit(job_of(800, 5));
  slurm.run_for(5);
  EXPECT_EQ(slurm.job(old).state, FakeState::running);
  EXPECT_THAT(
      slurm.explain(old),
      HasSubstr("Job 1 may not be paused now. No suspend: its nodes lack 800 MiB of free swap for each of its tasks, "
                "or its cgroup may not use so much. No requeue: PauseBy does not name requeue for partition dfrs."));
  slurm.agents.set_swap(700);  // not enough
  slurm.submit(job_of(800, 5));
  slurm.run_for(5);
  EXPECT_EQ(slurm.job(old).suspends, 0u);
  slurm.agents.set_swap(900);
  slurm.run_for(6);
  slurm.submit(job_of(800, 5));
  slurm.run_for(5);
  EXPECT_EQ(slurm.job(old).suspends, 1u);
  EXPECT_TRUE(slurm.run_to_end(2000));
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// ConstrainSwapSpace with AllowedSwapSpace: the node has swap, but not for this job.
TEST(PausingRules, SwapThatSlurmDoesNotLetTheJobHaveIsNotPromised) {
  OneNode host("Algorithm=GreedyP*/OPT=MIN\nPartitions=dfrs\nSuspendNeedsSwap=yes\nPauseBy=suspend\n");
  FakeSlurm& slurm = host.slurm;
  slurm.agents.set_swap(2000);
  const auto old = slurm.submit(job_of(800, 60));
  slurm.run_for(5);
  slurm.agents.node(0).swap_left[old] = 0;
  slurm.run_for(6);
  EXPECT_FALSE(slurm.job_status(old).may_pause);
  slurm.submit(job_of(800, 5));
  slurm.run_for(5);
  EXPECT_EQ(slurm.job(old).suspends, 0u);
  slurm.agents.node(0).swap_left[old] = 790;  // not enough
  slurm.run_for(6);
  EXPECT_FALSE(slurm.job_status(old).may_pause);
  slurm.agents.node(0).swap_left[old] = 800;
  slurm.run_for(6);
  EXPECT_TRUE(slurm.job_status(old).may_pause);
  EXPECT_TRUE(slurm.run_to_end(2000));
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(PausingRules, SwapIsPromisedOnce) {
  FakeSlurm slurm(1, "Algorithm=GreedyP*/OPT=MIN\nPartitions=dfrs\nSuspendNeedsSwap=yes\nPauseBy=suspend\n");
  slurm.add_nodes(1, 4, 1000);
  slurm.agents.set_swap(600);
  slurm.start_controller();
  const auto a = slurm.submit(job_of(500, 60));
  const auto b = slurm.submit(job_of(500, 60));
  slurm.run_for(10);
  slurm.submit(job_of(1000, 5));  // would need both gone, and swap takes one
  slurm.run_for(5);
  EXPECT_EQ(slurm.job(a).suspends + slurm.job(b).suspends, 0u);
  EXPECT_EQ(slurm.job_status(a).may_pause + slurm.job_status(b).may_pause, 1);
  EXPECT_TRUE(slurm.run_to_end(2000));
}

// Memory that swap cannot take counts as memory that cannot be taken back: one user does not get all of it.
TEST(PausingRules, JobsWithoutSwapShareMemoryAsJobsThatAreNeverPaused) {
  const auto started = [](const std::string& more, std::uint64_t swap) {
    FakeSlurm slurm(1, "Algorithm=Triage\nPartitions=dfrs\nSuspendNeedsSwap=yes\n" + more);
    slurm.add_nodes(1, 16, 1000);
    slurm.agents.set_swap(swap);
    slurm.start_controller();
    slurm.run_for(2);
    FakeJob job = job_of(100, 600);
    job.cpus_per_task = 1;
    slurm.submit(job);
    job.user = 1001;
    std::vector<std::uint32_t> burst;
    for (int k = 0; k < 8; ++k) burst.push_back(slurm.submit(job));
    slurm.run_for(20);
    return std::count_if(burst.begin(), burst.end(),
                         [&](auto id) { return slurm.job(id).state == FakeState::running; });
  };
  EXPECT_EQ(started("PauseBy=suspend\n", 10'000), 8);
  // While the user holds u MiB and all hold U, 100 more may be had if u + 100 <= 3 (1000 - U - 100): six times.
  EXPECT_EQ(started("PauseBy=suspend\n", 0), 6);
  EXPECT_EQ(started("PauseBy=none\n", 0), 6);
  EXPECT_EQ(started("PauseBy=suspend,requeue\nLostWork=accept\n", 0), 8) << "a requeue takes memory back, at a loss";
}

// slurmstepd may serve a resume and a suspend that wait behind a suspend in any order.
TEST(PausingRules, NoSuspendWhileAResumeMayStillWait) {
  OneNode host(one_node_conf("PauseBy=suspend\n"));
  FakeSlurm& slurm = host.slurm;
  double suspended = 0, resumed = 0;
  slurm.on_operation = [&](const FakeJob& job, const dfrs_operation& op) {
    if (job.id != 1) return DFRS_DONE;
    if (op.kind == DFRS_OP_SUSPEND) {
      if (resumed != 0 && slurm.now() < std::max(suspended + 2, resumed) + 1.5 - 1e-6) {
        slurm.violations.push_back("suspended again too early");
      }
      suspended = slurm.now();
    }
    if (op.kind == DFRS_OP_RESUME) resumed = slurm.now();
    return DFRS_DONE;
  };
  slurm.submit(job_of(800, 30));
  for (int k = 0; k < 40; ++k) {
    slurm.run_for(0.7);
    slurm.submit(job_of(800, 0.2));
  }
  EXPECT_GE(slurm.job(1).suspends, 2u);
  EXPECT_TRUE(slurm.run_to_end(2000));
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(RequeueRules, NotBeforeMinProgress) {
  OneNode host(one_node_conf("PauseBy=requeue\nLostWork=accept\nMinProgress=20\n"));
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 100));
  slurm.run_for(15);
  slurm.submit(job_of(800, 5));
  slurm.run_for(1);
  EXPECT_EQ(slurm.job(old).requeues_by_us, 0u);
  EXPECT_THAT(slurm.explain(old), ContainsRegex("No requeue: it has gained 1[0-9] s of virtual time in this run, and "
                                                "MinProgress is 20\\."));
  slurm.run_for(6);  // the job that came too early is offered again in the meantime
  EXPECT_EQ(slurm.job(old).requeues_by_us, 1u);
  const JobStatus status = slurm.job_status(old);
  EXPECT_EQ(status.lost_runs, 1u);
  EXPECT_NEAR(status.lost_work, 20, 1);
  EXPECT_EQ(status.virtual_time, 0);
  EXPECT_NEAR(slurm.status().lost_work, status.lost_work, 1e-9);
}

// A slurmd that was down during a requeue gets the message when it is back, and revokes as of that second.
TEST(RequeueRules, NextRunBeginsInALaterSecondThanTheEndOfTheCleanUp) {
  FakeOptions options;
  options.epilog = 4.9;
  options.told_again = true;
  for (int k = 0; k < 10; ++k) {
    OneNode host(one_node_conf("PauseBy=requeue\nLostWork=accept\nMinProgress=0\n"), 1000, options);
    FakeSlurm& slurm = host.slurm;
    const auto old = slurm.submit(job_of(800, 100));
    slurm.run_for(15 + 0.1 * k);
    const auto young = slurm.submit(job_of(800, 3));
    slurm.run_for(2);
    ASSERT_EQ(slurm.job(old).requeues_by_us, 1u);
    slurm.cancel(young);
    EXPECT_TRUE(slurm.run_to_end(300));
    EXPECT_EQ(slurm.job(old).end, FakeEnd::completed);
    EXPECT_THAT(slurm.violations, IsEmpty());
  }
}

TEST(RequeueRules, NotAgainAfterMaxLostRuns) {
  OneNode host(one_node_conf("PauseBy=requeue\nLostWork=accept\nMinProgress=0\nMaxLostRuns=2\n"));
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 60));
  for (int k = 0; k < 8; ++k) {
    slurm.run_for(10);
    slurm.submit(job_of(800, 1));
  }
  EXPECT_EQ(slurm.job(old).requeues_by_us, 2u);
  EXPECT_THAT(slurm.explain(old), HasSubstr("No requeue: it has lost the work of 2 runs, and MaxLostRuns is 2."));
  EXPECT_TRUE(slurm.run_to_end(2000));
  EXPECT_EQ(slurm.job(old).requeues_by_us, 2u);
  EXPECT_EQ(slurm.job(old).end, FakeEnd::completed);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(RequeueRules, NeverInteractiveOrNoRequeueJobs) {
  OneNode host(one_node_conf("PauseBy=requeue\nLostWork=accept\nMinProgress=0\n"));
  FakeSlurm& slurm = host.slurm;
  FakeJob job = job_of(800, 30);
  job.flags = 0;  // srun
  const auto old = slurm.submit(job);
  slurm.run_for(10);
  slurm.submit(job_of(800, 1));
  slurm.run_for(5);
  EXPECT_EQ(slurm.job(old).state, FakeState::running);
  EXPECT_EQ(slurm.asked[DFRS_OP_REQUEUE], 0);
  EXPECT_THAT(slurm.explain(old), HasSubstr("No suspend: PauseBy does not name suspend for partition dfrs. No requeue: "
                                            "Slurm does not let it be requeued (not a batch job, or --no-requeue)."));
}

TEST(RequeueRules, ACheckpointKeepsProgressAndTheLimitIsOfTheRun) {
  OneNode host(one_node_conf("PauseBy=requeue\nLostWork=refuse\nMinProgress=0\n"));
  FakeSlurm& slurm = host.slurm;
  FakeJob job = job_of(800, 100);
  job.comment = "dfrs:checkpoint";
  job.time_limit = 2;
  const auto old = slurm.submit(job);
  slurm.run_for(40);
  slurm.submit(job_of(800, 5));
  slurm.run_for(3);
  EXPECT_EQ(slurm.job(old).requeues_by_us, 1u);
  EXPECT_NEAR(slurm.job_status(old).virtual_time, 40, 1);
  EXPECT_EQ(slurm.job_status(old).lost_runs, 0u);
  slurm.run_for(20);
  EXPECT_EQ(slurm.job(old).state, FakeState::running);
  EXPECT_LT(slurm.job_status(old).run_virtual_time, 20);
  EXPECT_GT(slurm.job_status(old).virtual_time, 40);
  EXPECT_TRUE(slurm.run_to_end(1000));
  EXPECT_EQ(slurm.job(old).end, FakeEnd::completed);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// We lift Slurm's wait of two minutes after our own requeues, but not after others'.
TEST(RequeueRules, OnlyOurOwnBeginTimeIsLifted) {
  OneNode host(one_node_conf("PauseBy=none\n"));
  FakeSlurm& slurm = host.slurm;
  const auto id = slurm.submit(job_of(800, 30));
  slurm.run_for(5);
  slurm.user_requeue(id);
  slurm.run_for(60);
  EXPECT_EQ(slurm.job(id).state, FakeState::pending);
  EXPECT_THAT(slurm.explain(id), HasSubstr("begin time"));
  slurm.run_for(70);
  EXPECT_EQ(slurm.job(id).state, FakeState::running);
  EXPECT_TRUE(slurm.run_to_end(1000));
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(RequeueRules, ARequeueIsKnownAsOursAfterKillMinus9) {
  OneNode host(one_node_conf("PauseBy=requeue\nLostWork=accept\nMinProgress=0\n"));
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 60));
  slurm.run_for(10);
  slurm.submit(job_of(100, 5));  // the state has just been written, and the next write is not due for a while
  slurm.run_for(0.3);
  bool killed = false;
  slurm.on_operation = [&](const FakeJob&, const dfrs_operation& op) {
    killed = killed || op.kind == DFRS_OP_REQUEUE;
    return DFRS_DONE;
  };
  slurm.submit(job_of(800, 2));
  while (!killed) slurm.run_for(0.001);
  slurm.restart_controller(false);
  slurm.run_for(10);
  EXPECT_EQ(slurm.job(old).state, FakeState::running) << slurm.explain(old);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

}  // namespace
}  // namespace dfrs::shim
