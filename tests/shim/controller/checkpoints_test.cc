// SPDX-License-Identifier: GPL-2.0-or-later
// Checkpointed pauses and moves, through the C entries: two nodes, failures in each phase, agents that restart or go
// away, a slurmctld that restarts. FakeSlurm checks the cut, and that nobody is requeued without images or left
// stopped.
#include "shim/controller/checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/shim/fake_slurm.h"

namespace dfrs::shim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kConf =
    "Algorithm=GreedyPM*/OPT=MIN\nPeriod=30\nPartitions=dfrs\nPauseBy=checkpoint\nCheckpointFolder=/images\n"
    "CheckpointTimeout=20\nMinProgress=0\nSuspendNeedsSwap=no\nQuotaMode=enforce\nCommentInterval=0\n";

// Two nodes of 4 CPUs and 1000 MiB; an old job on both of them, and a young one that needs its memory.
struct TwoNodes {
  explicit TwoNodes(const std::string& conf = kConf) : slurm(1, conf) {
    slurm.add_nodes(2, 4, 1000);
    slurm.start_controller();
    old = slurm.submit(job(2, 800, 100, "dfrs:criu"));
    slurm.run_for(15);
  }
  static FakeJob job(std::uint32_t tasks, std::uint64_t memory, double work, const std::string& comment = "") {
    FakeJob job;
    job.tasks = tasks;
    job.cpus_per_task = 4;
    job.memory = memory;
    job.work = work;
    job.comment = comment;
    return job;
  }
  FakeJob& it() { return slurm.job(old); }
  FakeCheckpoints& agent(std::size_t node) { return slurm.agents.node(node).checkpoints; }
  // A job for whose sake the policy pauses the old one.
  std::uint32_t submit_young(double work = 10) { return slurm.submit(job(2, 800, work)); }
  // The order that a node's agent has for the old job.
  std::optional<CheckpointOrder> order(std::size_t node) {
    for (const JobQuota& quota : slurm.agents.node(node).desired) {
      if (quota.job_id == old) return quota.checkpoint;
    }
    return std::nullopt;
  }
  void expect_unharmed() {
    EXPECT_EQ(it().restarts, 0u);
    EXPECT_EQ(it().state, FakeState::running);
    EXPECT_FALSE(slurm.agents.stopped(0, old) || slurm.agents.stopped(1, old));
    EXPECT_FALSE(order(0) || order(1));
    EXPECT_EQ(slurm.asked[DFRS_OP_REQUEUE], 0);
  }
  void expect_end() {
    EXPECT_TRUE(slurm.run_to_end(2000));
    EXPECT_EQ(it().end, FakeEnd::completed);
    EXPECT_NEAR(it().progress, it().work, 0.02);  // a round later at most
    EXPECT_THAT(slurm.violations, IsEmpty());
  }

  FakeSlurm slurm;
  std::uint32_t old = 0;
};

TEST(Checkpoints, APauseIsACutThroughAllNodesAndKeepsTheWork) {
  TwoNodes host;
  FakeSlurm& slurm = host.slurm;
  host.agent(1).freeze_takes = 1.5;
  EXPECT_TRUE(slurm.agents.node(0).desired[0].checkpointable);
  EXPECT_TRUE(slurm.job_status(host.old).may_pause);
  const auto young = host.submit_young();
  slurm.run_for(1);
  ASSERT_TRUE(host.order(0) && host.order(1));
  EXPECT_EQ(host.order(0)->phase, CheckpointPhase::kFreeze) << "one of them is still going on";
  EXPECT_EQ(host.order(0)->folder, "/images");
  EXPECT_EQ(host.order(0)->uid, 1000u);
  EXPECT_EQ(slurm.job(young).state, FakeState::pending) << "the memory is still taken";
  EXPECT_THAT(slurm.explain(host.old), HasSubstr("is being checkpointed"));
  const double progress = host.it().progress;
  slurm.run_for(1.5);
  EXPECT_EQ(host.order(0)->phase, CheckpointPhase::kDump);
  EXPECT_EQ(slurm.asked[DFRS_OP_REQUEUE], 0) << "before both images are complete";
  slurm.run_for(3);
  EXPECT_EQ(host.it().restarts, 1u);
  EXPECT_EQ(slurm.job(young).state, FakeState::running);
  EXPECT_NEAR(slurm.job_status(host.old).virtual_time, progress, 0.5);
  slurm.run_for(20);
  EXPECT_EQ(host.it().state, FakeState::running);
  EXPECT_EQ(host.it().restores, 1u);
  EXPECT_EQ(slurm.job_status(host.old).lost_runs, 0u);
  host.expect_end();
  EXPECT_EQ(host.it().restarts, 1u);
}

// For longer than processes may take to stop. Meanwhile the job runs.
TEST(Checkpoints, APreDumpTakesItsTime) {
  std::string conf = kConf;
  conf.replace(conf.find("CheckpointTimeout=20"), 20, "CheckpointTimeout=60");
  TwoNodes host(conf);
  FakeSlurm& slurm = host.slurm;
  host.agent(0).pre_dump_takes = 5;
  host.agent(1).pre_dump_takes = 25;
  const auto young = host.submit_young();
  slurm.run_for(4);
  ASSERT_TRUE(host.order(0) && host.order(1));
  EXPECT_FALSE(slurm.agents.stopped(0, host.old) || slurm.agents.stopped(1, host.old));
  slurm.run_for(16);
  EXPECT_TRUE(slurm.agents.stopped(0, host.old)) << "it waits for the other";
  EXPECT_FALSE(slurm.agents.stopped(1, host.old));
  EXPECT_EQ(host.order(0)->phase, CheckpointPhase::kFreeze);
  slurm.run_for(10);
  EXPECT_EQ(slurm.status().checkpoints.failed, 0u);
  EXPECT_EQ(host.it().restarts, 1u);
  EXPECT_EQ(slurm.job(young).state, FakeState::running);
  host.expect_end();
  EXPECT_EQ(host.it().restores, 1u);
}

// Two jobs share two nodes until two others come back; the next repack moves one of them there.
TEST(Checkpoints, AMoveGoesOnElsewhere) {
  std::string conf = kConf;
  conf.replace(conf.find("GreedyPM*/OPT=MIN"), 17, "MCB8*/per/OPT=MIN");
  FakeSlurm slurm(1, conf);
  slurm.add_nodes(4, 4, 1000);
  slurm.nodes[2].usable = slurm.nodes[3].usable = false;
  slurm.start_controller();
  const auto a = slurm.submit(TwoNodes::job(2, 400, 200, "dfrs:criu"));
  const auto b = slurm.submit(TwoNodes::job(2, 400, 200, "dfrs:criu"));
  slurm.run_for(20);
  EXPECT_NEAR(slurm.job_status(a).yield, 0.5, 0.01);
  slurm.nodes[2].usable = slurm.nodes[3].usable = true;
  slurm.run_for(45);
  const std::uint32_t restores = slurm.job(a).restores + slurm.job(b).restores;
  EXPECT_GE(restores, 1u);
  EXPECT_EQ(slurm.job_status(a).moves + slurm.job_status(b).moves, restores);
  EXPECT_NEAR(slurm.job_status(a).yield, 1, 0.01);
  EXPECT_TRUE(slurm.run_to_end(1000));
  for (const auto id : {a, b}) {
    EXPECT_EQ(slurm.job(id).end, FakeEnd::completed);
    EXPECT_NEAR(slurm.job(id).progress, 200, 0.02);
    EXPECT_EQ(slurm.job(id).starts, slurm.job(id).restarts + 1);
  }
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// It stands still meanwhile, so the end that Slurm has must move.
TEST(Checkpoints, AJobNearItsLimitIsNotEndedByIt) {
  FakeSlurm slurm(1, kConf);
  slurm.add_nodes(2, 4, 1000);
  slurm.start_controller();
  FakeJob job = TwoNodes::job(2, 800, 59, "dfrs:criu");
  job.time_limit = 1;
  const auto old = slurm.submit(job);
  slurm.run_for(55);
  for (std::size_t n = 0; n < 2; ++n) slurm.agents.node(n).checkpoints.dump_takes = 18;
  const auto young = slurm.submit(TwoNodes::job(2, 800, 10));
  slurm.run_for(15);
  EXPECT_EQ(slurm.job(old).state, FakeState::running) << "its attempt is under way";
  slurm.cancel(young);
  EXPECT_TRUE(slurm.run_to_end(1000));
  EXPECT_EQ(slurm.job(old).end, FakeEnd::completed);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(Checkpoints, AttemptsOfAJobIncrease) {
  TwoNodes host;
  host.it().work = 1000;
  std::vector<std::uint64_t> seen;
  for (int k = 0; k < 3; ++k) {
    host.submit_young(5);
    while (!host.order(0)) host.slurm.run_for(0.1);
    seen.push_back(host.order(0)->attempt);
    EXPECT_EQ(host.order(0)->restarts, host.it().restarts);
    host.slurm.run_for(60);
  }
  EXPECT_LT(seen[0], seen[1]);
  EXPECT_LT(seen[1], seen[2]);
  host.expect_end();
  EXPECT_EQ(host.it().restores, 3u);
}

// ---- failures: the job goes on where it was

struct Failure {
  const char* name;
  std::function<void(TwoNodes&)> cause;
  std::function<void(TwoNodes&)> heal;
  double takes;  // s until the attempt has been given up and the job goes on
  const char* why;
};

class CheckpointFailure : public testing::TestWithParam<Failure> {};

TEST_P(CheckpointFailure, LeavesTheJobWhereItWas) {
  TwoNodes host;
  FakeSlurm& slurm = host.slurm;
  GetParam().cause(host);
  const auto young = host.submit_young();
  slurm.run_for(1);
  EXPECT_EQ(slurm.status().checkpoints.attempts, 1u);
  slurm.run_for(GetParam().takes);
  GetParam().heal(host);
  slurm.run_for(2);
  host.expect_unharmed();
  EXPECT_EQ(slurm.status().checkpoints.failed, 1u);
  EXPECT_EQ(slurm.job(young).state, FakeState::pending);
  EXPECT_FALSE(slurm.job_status(host.old).may_pause);
  EXPECT_FALSE(slurm.job_status(host.old).may_move);
  EXPECT_THAT(slurm.explain(host.old),
              HasSubstr(std::string("Job 1 cannot be checkpointed: the last attempt failed: ") + GetParam().why));
  slurm.cancel(young);
  host.expect_end();
  EXPECT_EQ(host.it().restarts, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Each, CheckpointFailure,
    testing::Values(Failure{"freeze", [](TwoNodes& host) { host.agent(1).fail_freeze = true; },
                            [](TwoNodes& host) { host.agent(1).fail_freeze = false; }, 1, "criu says no (node n1)"},
                    Failure{"dump", [](TwoNodes& host) { host.agent(1).fail_dump = true; },
                            [](TwoNodes& host) { host.agent(1).fail_dump = false; }, 3, "criu says no (node n1)"},
                    Failure{"freezing_takes_too_long", [](TwoNodes& host) { host.agent(0).freeze_takes = 1000; },
                            [](TwoNodes& host) { host.agent(0).freeze_takes = 0.1; }, 11,
                            "its processes did not stop within 10 s"},
                    Failure{"pre_dump_takes_too_long", [](TwoNodes& host) { host.agent(0).pre_dump_takes = 1000; },
                            [](TwoNodes& host) { host.agent(0).pre_dump_takes = 0; }, 21,
                            "it was not written within 20 s"},
                    Failure{"dumping_takes_too_long", [](TwoNodes& host) { host.agent(0).dump_takes = 1000; },
                            [](TwoNodes& host) { host.agent(0).dump_takes = 2; }, 21, "it was not written within 20 s"},
                    Failure{"agent_without_answer", [](TwoNodes& host) { host.agent(1).freeze_takes = 3; },
                            [](TwoNodes& host) {
                              host.slurm.agents.set_reachable(1, false);
                              host.slurm.run_for(2);
                              EXPECT_FALSE(host.slurm.agents.stopped(0, host.old)) << "node 0 need not wait for node 1";
                              host.slurm.agents.set_reachable(1, true);
                            },
                            0.5, "the agent of node n1 does not answer"},
                    Failure{"agent_restarts_while_writing", [](TwoNodes&) {},
                            [](TwoNodes& host) { host.slurm.agents.restart_agent(1); }, 0.5, "criu says no (node n1)"}),
    [](const auto& each) { return each.param.name; });

// Its processes went on meanwhile, so it has to stop them again before anything is written.
TEST(Checkpoints, AnAgentMayRestartWhileOthersStopTheJob) {
  TwoNodes host;
  FakeSlurm& slurm = host.slurm;
  host.agent(0).freeze_takes = 2;
  host.submit_young(5);
  slurm.run_for(1);
  ASSERT_TRUE(slurm.agents.stopped(1, host.old));
  host.agent(1).freeze_takes = 3;
  slurm.agents.restart_agent(1);
  EXPECT_FALSE(slurm.agents.stopped(1, host.old));
  slurm.run_for(2.5);
  EXPECT_EQ(host.order(0)->phase, CheckpointPhase::kFreeze);
  slurm.run_for(20);
  EXPECT_EQ(host.it().restores, 1u);
  host.expect_end();
}

TEST(Checkpoints, FailuresMakeTheNextAttemptWaitLonger) {
  TwoNodes host;
  FakeSlurm& slurm = host.slurm;
  host.it().work = 1000;
  host.agent(0).fail_dump = true;
  std::vector<double> begun;
  std::uint64_t seen = 0;
  for (int k = 0; k < 800; ++k) {
    if (k % 5 == 0) slurm.submit(TwoNodes::job(2, 800, 0.1));  // a new one is offered at once
    slurm.run_for(0.5);
    if (slurm.status().checkpoints.attempts == seen) continue;
    seen = slurm.status().checkpoints.attempts;
    begun.push_back(slurm.now());
  }
  ASSERT_GE(begun.size(), 3u);
  EXPECT_GE(begun[1] - begun[0], 60);
  EXPECT_GE(begun[2] - begun[1], 120);
  EXPECT_EQ(host.it().restarts, 0u);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(Checkpoints, WhatCannotBeDumpedIsNeverTried) {
  TwoNodes host;
  FakeSlurm& slurm = host.slurm;
  host.agent(1).unable[host.old] = "holds a TCP connection to 10.0.0.7:443";
  slurm.agents.restart_agent(1);  // it checks again
  slurm.run_for(2);
  EXPECT_FALSE(slurm.job_status(host.old).may_move);
  EXPECT_THAT(slurm.explain(host.old),
              HasSubstr("Job 1 cannot be checkpointed: holds a TCP connection to 10.0.0.7:443 (node n1)."));
  const auto young = host.submit_young(5);
  slurm.run_for(20);
  EXPECT_EQ(slurm.status().checkpoints.attempts, 0u);
  EXPECT_EQ(slurm.job(young).state, FakeState::pending);
  host.expect_end();
}

TEST(Checkpoints, OnlyJobsWithTheMarkAreAsked) {
  FakeSlurm slurm(1, kConf);
  slurm.add_nodes(1, 4, 1000);
  slurm.start_controller();
  FakeJob job = TwoNodes::job(1, 800, 50, "dfrs:criuX");
  const auto old = slurm.submit(job);
  slurm.run_for(5);
  slurm.submit(TwoNodes::job(1, 800, 5));
  slurm.run_for(5);
  EXPECT_FALSE(slurm.agents.node(0).desired.at(0).checkpointable);
  EXPECT_FALSE(slurm.job_status(old).may_pause);
  EXPECT_EQ(slurm.job(old).restarts, 0u);
  EXPECT_TRUE(slurm.run_to_end(200));
}

// A node that is lost in the middle, or a program that began after the freeze: what was written is no cut.
TEST(Checkpoints, ProgramsAreCountedBeforeAndAfterTheDump) {
  TwoNodes host;
  FakeSlurm& slurm = host.slurm;
  host.agent(0).programs = host.agent(1).programs = 3;
  host.submit_young();
  while (!host.order(0) || host.order(0)->phase != CheckpointPhase::kDump) slurm.run_for(0.1);
  EXPECT_EQ(host.order(0)->programs, 6u);
  EXPECT_EQ(host.order(1)->programs, 6u);
  host.agent(1).programs = 4;
  slurm.run_for(5);
  EXPECT_EQ(slurm.asked[DFRS_OP_REQUEUE], 0);
  EXPECT_THAT(slurm.explain(host.old), HasSubstr("6 of its programs were stopped, but 7 written"));
  EXPECT_EQ(host.it().state, FakeState::running);
  EXPECT_FALSE(slurm.agents.stopped(0, host.old) || slurm.agents.stopped(1, host.old));
}

TEST(Checkpoints, ImagesInFoldersOfTheNodesStayThere) {
  FakeSlurm slurm(1, kConf + std::string("CheckpointFolderShared=no\n"));
  slurm.add_nodes(2, 4, 1000);
  slurm.start_controller();
  const auto old = slurm.submit(TwoNodes::job(1, 800, 100, "dfrs:criu"));
  const auto other = slurm.submit(TwoNodes::job(1, 800, 40));
  slurm.run_for(15);
  const auto there = slurm.job_status(old).nodes;
  ASSERT_NE(there, slurm.job_status(other).nodes);
  const auto young = slurm.submit(TwoNodes::job(1, 800, 60));
  slurm.run_for(20);
  ASSERT_EQ(slurm.job(old).restarts, 1u);
  ASSERT_EQ(slurm.job_status(young).nodes, there);
  slurm.run_for(20);
  ASSERT_EQ(slurm.job(other).state, FakeState::done);
  EXPECT_EQ(slurm.job(old).state, FakeState::pending) << "the free node does not have its image";
  EXPECT_THAT(slurm.explain(old), HasSubstr("which has its images (CheckpointFolderShared=no)"));
  while (slurm.job(old).state == FakeState::pending) slurm.run_for(1);
  EXPECT_EQ(slurm.job_status(old).nodes, there);
  EXPECT_TRUE(slurm.run_to_end(1000));
  EXPECT_EQ(slurm.job(old).restores, 1u);
  EXPECT_NEAR(slurm.job(old).progress, 100, 0.02);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(Checkpoints, WithoutASharedFolderJobsOnSeveralNodesAreNotCheckpointed) {
  TwoNodes host(kConf + std::string("CheckpointFolderShared=no\n"));
  host.submit_young();
  host.slurm.run_for(20);
  host.expect_unharmed();
  EXPECT_THAT(host.slurm.explain(host.old), HasSubstr("cannot be checkpointed: it runs on several nodes"));
}

TEST(Checkpoints, NotBeforeMinProgress) {
  std::string conf = kConf;
  conf.replace(conf.find("MinProgress=0"), 13, "MinProgress=30");
  TwoNodes host(conf);
  host.submit_young(5);
  host.slurm.run_for(5);
  EXPECT_EQ(host.slurm.status().checkpoints.attempts, 0u);
  EXPECT_THAT(host.slurm.explain(host.old), HasSubstr("and MinProgress is 30."));
  host.slurm.run_for(20);
  EXPECT_EQ(host.it().restarts, 1u);
  host.expect_end();
}

// ---- users

TEST(Checkpoints, ThePolicyMayChangeItsMind) {
  TwoNodes host;
  FakeSlurm& slurm = host.slurm;
  host.agent(0).dump_takes = 10;
  const auto young = host.submit_young();
  slurm.run_for(3);
  ASSERT_TRUE(slurm.agents.stopped(0, host.old));
  slurm.cancel(young);
  slurm.run_for(2);
  host.expect_unharmed();
  EXPECT_EQ(slurm.status().checkpoints.given_up, 1u);
  EXPECT_EQ(slurm.status().checkpoints.failed, 0u);
  EXPECT_TRUE(slurm.job_status(host.old).may_move) << "no back-off: nothing has failed";
  host.expect_end();
}

TEST(Checkpoints, UsersMayCancelSuspendAndRequeueInTheMiddle) {
  for (int what = 0; what < 3; ++what) {
    TwoNodes host;
    FakeSlurm& slurm = host.slurm;
    host.agent(0).dump_takes = 5;
    const auto young = host.submit_young();
    slurm.run_for(3);
    ASSERT_TRUE(slurm.agents.stopped(0, host.old));
    if (what == 0) slurm.cancel(host.old);
    if (what == 1) slurm.user_suspend(host.old);
    if (what == 2) slurm.user_requeue(host.old);
    slurm.run_for(3);
    if (what == 1) {
      EXPECT_FALSE(slurm.agents.stopped(0, host.old)) << "what a user suspends is stopped by Slurm";
      slurm.cancel(young);
      slurm.user_resume(host.old);
    }
    EXPECT_TRUE(slurm.run_to_end(2000)) << what;
    EXPECT_EQ(host.it().end, what == 0 ? FakeEnd::cancelled : FakeEnd::completed);
    if (what == 2) {
      EXPECT_EQ(host.it().restores, 0u) << "not from half of the images";
    }
    EXPECT_THAT(slurm.violations, IsEmpty()) << what;
  }
}

// ---- restores

TEST(Checkpoints, AJobThatStartsOverHasLostItsWork) {
  for (const bool told : {true, false}) {
    TwoNodes host;
    FakeSlurm& slurm = host.slurm;
    for (const std::size_t n : {0, 1}) (told ? host.agent(n).fail_restore : host.agent(n).no_restore) = true;
    host.submit_young(3);
    slurm.run_for(15);
    ASSERT_EQ(host.it().restarts, 1u);
    ASSERT_EQ(host.it().state, FakeState::running);
    slurm.run_for(25);
    const JobStatus status = slurm.job_status(host.old);
    EXPECT_EQ(status.lost_runs, 1u) << told;
    EXPECT_NEAR(status.lost_work, 15, 1);
    EXPECT_NEAR(status.virtual_time, host.it().progress, 1);
    EXPECT_EQ(slurm.status().checkpoints.started_over, 1u);
    EXPECT_EQ(slurm.status().checkpoints.restored, 0u);
    host.expect_end();
  }
}

// A script may do other things before it comes to the program under dfrs-run.
TEST(Checkpoints, ALateRestoreTakesTheLossBack) {
  TwoNodes host;
  FakeSlurm& slurm = host.slurm;
  for (const std::size_t n : {0, 1}) host.agent(n).no_restore = true;
  host.submit_young(3);
  slurm.run_for(40);
  const JobStatus lost = slurm.job_status(host.old);
  ASSERT_EQ(lost.lost_runs, 1u);
  for (const std::size_t n : {0, 1}) {
    FakeCheckpoints::Job& job = host.agent(n).jobs.at(host.old);
    job.said = {host.it().dump_seen, CheckpointState::kRestored, "", 1 << 20, 0.5};
  }
  slurm.run_for(2);
  const JobStatus status = slurm.job_status(host.old);
  EXPECT_EQ(status.lost_runs, 0u);
  EXPECT_NEAR(status.lost_work, 0, 1e-9);
  EXPECT_NEAR(status.virtual_time, lost.virtual_time + lost.lost_work + 2, 0.5);
  EXPECT_NEAR(slurm.status().lost_work, 0, 1e-9);
}

// A run that others end has no images; its next run may go on from those of the run before.
TEST(Checkpoints, EarlierImagesMayServeAgain) {
  TwoNodes host;
  FakeSlurm& slurm = host.slurm;
  host.submit_young(3);
  slurm.run_for(30);
  ASSERT_EQ(host.it().restores, 1u);
  slurm.user_requeue(host.old);
  slurm.run_for(130);  // Slurm's wait after a requeue by others
  ASSERT_EQ(host.it().state, FakeState::running);
  EXPECT_EQ(slurm.job_status(host.old).lost_runs, 1u);
  const double before = slurm.job_status(host.old).virtual_time;
  host.agent(0).jobs.at(host.old).said = {host.it().dump_seen, CheckpointState::kRestored, "", 1 << 20, 0.5};
  slurm.run_for(2);
  EXPECT_NEAR(slurm.job_status(host.old).virtual_time, before + 15 + 2, 1) << "it was checkpointed at 15 s";
}

TEST(Checkpoints, ARestoredJobIsNotAskedAboutForLong) {
  TwoNodes host;
  host.submit_young(3);
  host.slurm.run_for(20);
  ASSERT_EQ(host.it().restores, 1u);
  EXPECT_EQ(host.slurm.status().checkpoints.restored, 1u);
  EXPECT_THAT(host.slurm.explain(host.old), Not(HasSubstr("whether it was restored")));
  host.slurm.run_for(30);
  EXPECT_EQ(host.slurm.job_status(host.old).lost_runs, 0u);
  host.expect_end();
}

// ---- slurmctld restarts

bool told(const FakeSlurm& slurm, const std::string& text) {
  return std::any_of(slurm.log.begin(), slurm.log.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

// At any instant of an attempt, by SIGTERM or by kill -9, and with a state file that knows nothing of it.
TEST(Checkpoints, SlurmctldMayRestartAtAnyInstant) {
  int told_known = 0, told_unknown = 0;
  for (const int how : {0, 1, 2}) {
    for (double at = 0; at < 4.5; at += 0.3) {
      TwoNodes host;
      FakeSlurm& slurm = host.slurm;
      host.agent(1).freeze_takes = 1;
      host_of(*slurm.controller()).state_writer().flush();
      const std::string before = sim::file_bytes(slurm.folder() / "dfrs_state");
      host.submit_young(8);
      slurm.run_for(0.05 + at);
      if (how == 2) {
        slurm.stop_controller();
        slurm.folder().write("dfrs_state", before);
        slurm.start_controller();
      } else {
        slurm.restart_controller(how == 0);
      }
      slurm.run_for(4);
      EXPECT_TRUE(slurm.run_to_end(2000)) << how << " " << at;
      EXPECT_EQ(host.it().end, FakeEnd::completed);
      EXPECT_EQ(host.it().restores, host.it().restarts) << "never without images, " << how << " " << at;
      EXPECT_NEAR(host.it().progress, 100, 0.02);
      EXPECT_THAT(slurm.violations, IsEmpty()) << how << " " << at;
      told_known += told(slurm, "slurmctld was restarted during its checkpoint");
      told_unknown += told(slurm, "it was stopped for a checkpoint of which slurmctld has no record");
    }
  }
  EXPECT_GT(told_known, 0);
  EXPECT_GT(told_unknown, 0);
}

TEST(Checkpoints, ARestartWhileStoppedLetsTheJobGoOn) {
  TwoNodes host;
  FakeSlurm& slurm = host.slurm;
  host.agent(0).dump_takes = 10;
  const auto young = host.submit_young();
  slurm.run_for(3);
  ASSERT_TRUE(slurm.agents.stopped(0, host.old));
  slurm.stop_controller();
  slurm.jobs.erase(young);
  slurm.start_controller();
  slurm.run_for(3);
  host.expect_unharmed();
  host.expect_end();
}

// ---- costs

// 200 MiB written and read at 100 MiB/s, and 30 s for another start; then as measured.
TEST(Checkpoints, CostTheTransferOfTheImageAndAStart) {
  std::string conf = std::string(kConf) + "RestartCost=30\n";
  TwoNodes host(conf);
  FakeSlurm& slurm = host.slurm;
  EXPECT_DOUBLE_EQ(slurm.job_status(host.old).pause_cost, 34);
  EXPECT_THAT(
      slurm.explain(host.old),
      HasSubstr("A pause would cost job 1 about 34 s: 200 MiB to write and to read, at 100 and 100 MiB/s, and 30 s "
                "for another start."));
  host.submit_young(3);
  slurm.run_for(30);
  ASSERT_EQ(host.it().restores, 1u);
  EXPECT_THAT(slurm.explain(host.old), HasSubstr("at 100 and 400 MiB/s")) << "200 MiB in 2 s and in 0.5 s";
  EXPECT_NEAR(slurm.job_status(host.old).pause_cost, 32.5, 0.6);
  ASSERT_TRUE(slurm.reconfigure(conf + "CheckpointRate=20\n"));
  slurm.run_for(2);
  EXPECT_DOUBLE_EQ(slurm.job_status(host.old).pause_cost, 50);
}

// 200 MiB in 4 s on the slower node, 0.02 s per MiB. The second time 0.01 s, which has a weight of a quarter: 0.0175 s.
TEST(Checkpoints, TheSlowestNodeCounts) {
  TwoNodes host(std::string(kConf) + "RestartCost=30\n");
  FakeSlurm& slurm = host.slurm;
  host.agent(1).dump_takes = 4;
  host.submit_young(3);
  slurm.run_for(30);
  ASSERT_EQ(host.it().restores, 1u);
  EXPECT_THAT(slurm.explain(host.old), HasSubstr("at 50 and 400 MiB/s"));
  host.agent(1).dump_takes = 2;
  host.submit_young(3);
  slurm.run_for(60);
  ASSERT_EQ(host.it().restores, 2u);
  EXPECT_THAT(slurm.explain(host.old), HasSubstr("at 57.1 and 400 MiB/s"));
}

}  // namespace
}  // namespace dfrs::shim
