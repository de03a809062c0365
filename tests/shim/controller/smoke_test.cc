// SPDX-License-Identifier: GPL-2.0-or-later
// The controller through its C entries, on small clusters with known outcomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>
#include <time.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "shim/controller/story_names.h"
#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kConf =
    "Algorithm=GreedyPM*/per/OPT=MIN/MINVT=60\nPeriod=30\nPartitions=dfrs\nPauseBy=suspend,requeue\n"
    "LostWork=refuse\nSuspendNeedsSwap=no\nMinProgress=5\nQuotaMode=enforce\nCommentInterval=10\n";

TEST(ControllerCases, FiveJobsShareANodeAndTheSixthWaitsForMemory) {
  OneNode host(std::string(kConf) + "# Greedy pauses nobody\n", 5000);
  FakeSlurm& slurm = host.slurm;
  ASSERT_TRUE(
      slurm.reconfigure("Algorithm=Greedy*/OPT=MIN\nPartitions=dfrs\nSuspendNeedsSwap=no\nCommentInterval=10\n"));
  for (int k = 0; k < 6; ++k) slurm.submit(job_of(1000, 20));
  slurm.run_for(1);
  for (std::uint32_t id = 1; id <= 5; ++id) EXPECT_EQ(slurm.job(id).state, FakeState::running) << id;
  EXPECT_EQ(slurm.job(6).state, FakeState::pending);
  EXPECT_THAT(slurm.explain(6), HasSubstr("1 has too little memory free"));
  EXPECT_THAT(slurm.explain(3), HasSubstr("Job 3 starts on node n0 at a yield of 0."));
  EXPECT_THAT(slurm.explain(3), HasSubstr("Why job 3 gets less CPU than it needs: node n0 has a capacity of 4 and CPU "
                                          "needs of 20, shared with jobs 1, 2, 4, 5.\n"));
  for (std::uint32_t id = 1; id <= 5; ++id) {
    const JobQuota* quota = slurm.agents.applied(0, id);
    ASSERT_NE(quota, nullptr);
    EXPECT_NEAR(quota->cpus, 0.8, 1e-6);
  }
  slurm.run_for(30);
  EXPECT_THAT(slurm.job(1).comment, HasSubstr("[dfrs yield=0.20 vt="));
  EXPECT_TRUE(slurm.run_to_end(1000));
  EXPECT_THAT(slurm.violations, IsEmpty());
  EXPECT_GE(slurm.job(6).first_start, slurm.job(1).finished_at);
}

// Such a clock is broken. The controller waits until it is right, and can be asked meanwhile.
TEST(ControllerCases, StepAtNoTimeFailsAndChangesNothing) {
  OneNode host(std::string(kConf), 5000);
  FakeSlurm& slurm = host.slurm;
  slurm.submit(job_of(1000, 20));
  slurm.run_for(1);
  for (const double now : {std::nan(""), -1.0, 1e300, HUGE_VAL}) {
    const dfrs_snapshot snapshot{now, 1, nullptr, 0, nullptr, 0};
    dfrs_operations operations{};
    EXPECT_EQ(dfrs_controller_step(slurm.controller(), &snapshot, &operations), -1);
    EXPECT_EQ(operations.count, 0u);
    EXPECT_THAT(slurm.status().last_error.value_or(""), HasSubstr("the host's clock says"));
    EXPECT_THAT(slurm.explain(1), HasSubstr("n0"));
  }
  EXPECT_TRUE(slurm.run_to_end(1000));
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// Read as a signed number its memory would be negative, and the node would have room for it and for more than it has.
TEST(ControllerCases, JobOfImpossibleMemoryWaitsAndTakesNothingFromOthers) {
  for (const std::uint64_t memory : {UINT64_MAX, std::uint64_t{1} << 63, std::uint64_t{1} << 62}) {
    OneNode host(std::string(kConf), 5000);
    FakeSlurm& slurm = host.slurm;
    const std::uint32_t impossible = slurm.submit(job_of(memory, 20));
    const std::uint32_t other = slurm.submit(job_of(5000, 5));
    slurm.run_for(60);
    EXPECT_EQ(slurm.job(impossible).state, FakeState::pending) << memory;
    EXPECT_EQ(slurm.job(other).state, FakeState::done) << memory;
    EXPECT_THAT(slurm.violations, IsEmpty());
  }
}

// slurmctld waits for the policy, which places tasks one by one.
TEST(ControllerCases, JobOfTooManyTasksWaitsAndHoldsNobodyUp) {
  for (const char* const algorithm : {"Triage", "GreedyPM*/OPT=MIN"}) {
    OneNode host("Algorithm=" + std::string(algorithm) +
                     "\nPartitions=dfrs\nSuspendNeedsSwap=no\nQuotaMode=enforce\nCommentInterval=10\n",
                 2'000'000);
    FakeSlurm& slurm = host.slurm;
    FakeJob wide = job_of(1, 20);
    wide.tasks = 65'536;
    const std::uint32_t too_wide = slurm.submit(wide);
    wide.tasks = UINT32_MAX;
    slurm.submit(wide);
    const std::uint32_t other = slurm.submit(job_of(5000, 5));
    slurm.run_for(60);
    EXPECT_EQ(slurm.job(too_wide).state, FakeState::pending);
    EXPECT_THAT(slurm.explain(too_wide), HasSubstr("it asks for more than 65,535 tasks"));
    EXPECT_THAT(slurm.explain(too_wide), HasSubstr("asks for 65536 tasks"));
    EXPECT_EQ(slurm.job(other).state, FakeState::done);
    EXPECT_THAT(slurm.violations, IsEmpty());
  }
}

TEST(ControllerCases, JobOfAsManyTasksAsThereMayBeStartsOnOneNode) {
  OneNode host("Algorithm=Triage\nPartitions=dfrs\nSuspendNeedsSwap=no\nQuotaMode=enforce\nCommentInterval=10\n",
               2'000'000);
  FakeSlurm& slurm = host.slurm;
  FakeJob wide = job_of(1, 20);
  wide.tasks = 65'535;
  const std::uint32_t job = slurm.submit(wide);
  slurm.run_for(2);
  EXPECT_EQ(slurm.job(job).state, FakeState::running);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// Every change of a comment makes slurmctld save all jobs.
TEST(ControllerCases, CommentsWhoseTimeAloneIsOldChangeTogether) {
  FakeSlurm slurm(1, "Algorithm=Greedy*/OPT=MIN\nPartitions=dfrs\nSuspendNeedsSwap=no\nCommentInterval=10\n");
  slurm.add_nodes(10, 4, 1000);
  slurm.start_controller();
  std::uint32_t last = 0;
  for (int k = 0; k < 10; ++k) {
    last = slurm.submit(job_of(800, 1000));
    slurm.run_for(1);
  }
  std::set<double> changes;
  slurm.on_operation = [&](const FakeJob&, const dfrs_operation& operation) {
    if (operation.kind == DFRS_OP_COMMENT) changes.insert(slurm.now());
    return DFRS_DONE;
  };
  slurm.run_for(80);
  EXPECT_THAT(slurm.job(last).comment, HasSubstr("yield=1.00 vt="));
  EXPECT_THAT(slurm.job(last).comment, Not(HasSubstr("vt=0s")));
  EXPECT_LE(changes.size(), 3U);  // the first job's, and those of the ten seconds after it
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(LocalTime, IsADateOrANumber) {
  EXPECT_THAT(local_time(0), ContainsRegex("^19(69|70)-"));
  EXPECT_EQ(local_time(1e300), "1e+300 s after 1970");
  EXPECT_EQ(local_time(-1), "-1 s after 1970");
  EXPECT_EQ(local_time(std::nan("")), "nan s after 1970");
}

TEST(LocalTime, IsSoFarFromUtc) {
  const char* const before = getenv("TZ");
  const std::string zone = before == nullptr ? "" : before;
  setenv("TZ", "IST-5:30", 1);
  tzset();
  EXPECT_EQ(utc_offset(1.7e9), 19800);
  EXPECT_EQ(local_time(1.7e9), "2023-11-15 03:43:20");
  EXPECT_EQ(utc_offset(std::nan("")), 0);
  if (before == nullptr)
    unsetenv("TZ");
  else
    setenv("TZ", zone.c_str(), 1);
  tzset();
}

// Node 0: two jobs want all of it, so that the minimum yield is 1/2 for all. Node 1 has a quarter left beyond that,
// which goes to the job that wants half of the node and then runs at full speed. Max-min yields would be 2/3 for both.
TEST(ControllerCases, AverageYieldsAreSetLive) {
  FakeSlurm slurm(1, "Algorithm=Greedy*/OPT=AVG\nPartitions=dfrs\nSuspendNeedsSwap=no\nCommentInterval=10\n");
  slurm.add_nodes(2, 4, 10000);
  slurm.start_controller();
  const auto on = [&](std::uint64_t node, std::uint32_t cpus) {
    FakeJob job = job_of(1000, 60);
    job.cpus_per_task = cpus;
    job.eligible = {std::uint64_t{1} << node};
    return slurm.submit(job);
  };
  const auto a = on(0, 4), b = on(0, 4), wide = on(1, 4), narrow = on(1, 2);
  slurm.run_for(30);
  for (const auto id : {a, b, wide}) EXPECT_THAT(slurm.job(id).comment, HasSubstr("[dfrs yield=0.50 ")) << id;
  EXPECT_THAT(slurm.job(narrow).comment, HasSubstr("[dfrs yield=1.00 "));
  EXPECT_THAT(slurm.explain(wide), HasSubstr("node n1 has a capacity of 4 and CPU needs of 6, shared with job 4."));
  EXPECT_THAT(slurm.explain(narrow), Not(HasSubstr("less CPU than it needs")));
  const JobQuota* quota = slurm.agents.applied(1, wide);
  ASSERT_NE(quota, nullptr);
  EXPECT_NEAR(quota->cpus, 2, 1e-6);
  EXPECT_TRUE(slurm.run_to_end(1000));
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// The queue says on how many nodes which resource is missing.
TEST(ControllerCases, TheQueueSaysForWhichResourceAJobWaits) {
  FakeSlurm slurm(1, "Algorithm=Greedy*\nPartitions=dfrs\nSuspendNeedsSwap=no\n");
  slurm.add_nodes(2, 4, 1000);
  slurm.start_controller();
  slurm.submit(job_of(800, 30));
  slurm.run_for(2);
  FakeJob wide = job_of(300, 30);
  wide.tasks = 5;
  const auto late = slurm.submit(wide);
  slurm.run_for(3);
  EXPECT_EQ(
      slurm.job_status(late).policy_reason,
      "there is no room for all of its tasks (room for 3 of 5 tasks; of 2 nodes that it may use, 1 has too little "
      "memory left for one)");
  EXPECT_TRUE(slurm.run_to_end(1000));
}

// While jobs wait, others come, are paused and end: what the queue names is of now.
TEST(ControllerCases, TheQueueNamesAJobThatRuns) {
  FakeSlurm slurm(1, "Algorithm=Triage\nPartitions=dfrs\nSuspendNeedsSwap=no\nMinProgress=0\nPeriod=5\n");
  slurm.add_nodes(3, 4, 1000);
  slurm.start_controller();
  int seen = 0;
  for (int k = 0; k < 40; ++k) {
    slurm.submit(job_of(static_cast<std::uint64_t>(300 + 70 * (k % 9)), 10 + 7 * (k % 5)));
    slurm.run_for(4);
    std::map<std::uint32_t, JobStatus> jobs;
    for (const JobStatus& job : slurm.status().jobs) jobs[job.job_id] = job;
    for (const auto& [number, job] : jobs) {
      const std::string reason = job.policy_reason.value_or("");
      if (reason.find("would be the cheapest") == std::string::npos) continue;
      ++seen;
      const auto named = jobs.find(static_cast<std::uint32_t>(std::stoul(reason.substr(4))));
      ASSERT_NE(named, jobs.end()) << reason;
      EXPECT_EQ(named->second.situation, JobSituation::running) << "job " << number << ": " << reason;
    }
  }
  EXPECT_GT(seen, 10);
  EXPECT_TRUE(slurm.run_to_end(5000));
}

TEST(ControllerCases, APausedJobGivesItsMemoryAndGoesOnWhereItWas) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 100));
  slurm.run_for(20);
  const auto young = slurm.submit(job_of(800, 10));
  slurm.run_for(2);
  EXPECT_EQ(slurm.job(old).state, FakeState::suspended);
  EXPECT_EQ(slurm.job(young).state, FakeState::running);
  EXPECT_EQ(slurm.job_status(old).situation, JobSituation::suspended);
  EXPECT_THAT(slurm.explain(old),
              ContainsRegex("\n  2023-[^\n]* Job 1 starts on node n0 at a yield of 1: there is room for it"
                            "\\.\n  2023-[^\n]* Job 1 is paused: job 2 takes its room, and its priority of "
                            "0\\.05 is the lowest that makes enough\\.\n"));
  EXPECT_THAT(slurm.explain(old),
              ContainsRegex("\nSo far, job 1 waited [0-9] s to start, ran for (19|2[0-9]) s and was "
                            "paused 1 time for [0-9] s\\."));
  EXPECT_EQ(slurm.job_status(old).policy_reason,
            "job 2 takes its room, and its priority of 0.05 is the lowest that makes enough");
  EXPECT_EQ(slurm.job_status(young).policy_reason, std::nullopt);
  EXPECT_THAT(slurm.explain(young), HasSubstr("Job 2 starts on node n0 at a yield of 1: job 1 gave way to it."));
  EXPECT_NEAR(slurm.job_status(old).virtual_time, slurm.job(old).progress, 0.1);
  EXPECT_TRUE(slurm.run_to_end(1000));
  EXPECT_THAT(slurm.violations, IsEmpty());
  EXPECT_EQ(slurm.job(old).end, FakeEnd::completed);
  EXPECT_EQ(slurm.job(old).restarts, 0u);
}

TEST(ControllerCases, AJobWithACheckpointIsRequeuedWhereSuspendingIsNotAllowed) {
  OneNode host(std::string(kConf) + "PartitionName=dfrs PauseBy=requeue\n");
  FakeSlurm& slurm = host.slurm;
  FakeJob job = job_of(800, 100);
  job.comment = "mine dfrs:checkpoint";
  const auto old = slurm.submit(job);
  slurm.run_for(20);
  const auto young = slurm.submit(job_of(800, 10));
  slurm.run_for(3);
  EXPECT_EQ(slurm.job(old).restarts, 1u);
  EXPECT_EQ(slurm.job(young).state, FakeState::running);
  EXPECT_TRUE(slurm.run_to_end(1000)) << slurm.explain(old);
  EXPECT_THAT(slurm.violations, IsEmpty());
  EXPECT_EQ(slurm.job(old).end, FakeEnd::completed);
  EXPECT_THAT(slurm.job(old).comment, HasSubstr("mine dfrs:checkpoint [dfrs "));
}

}  // namespace
}  // namespace dfrs::shim
