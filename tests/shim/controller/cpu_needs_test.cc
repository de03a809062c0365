// SPDX-License-Identifier: GPL-2.0-or-later
// CpuNeed=measured through the C entries: agents report less use than was asked for, and quotas follow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/record_reader.h"
#include "record/replay.h"
#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string conf(const std::string& more, const std::string& algorithm = "Greedy*/OPT=MIN") {
  return "Algorithm=" + algorithm + "\nPartitions=dfrs\nPauseBy=none\n" + more;
}

// Enough memory for all.
constexpr std::uint64_t kRoom = 4000;

FakeJob needing(double needs) {
  FakeJob job = job_of(500, 10000);
  job.needs = needs;
  return job;
}

TEST(CpuNeeds, OffTheyAreWhatWasAskedFor) {
  OneNode host(conf(""), kRoom);
  const auto idle = host.slurm.submit(needing(0.1));
  const auto busy = host.slurm.submit(needing(1));
  host.slurm.run_for(300);
  EXPECT_EQ(host.slurm.job_status(idle).cpu_need, 1);
  EXPECT_NEAR(host.slurm.agents.applied(0, idle)->cpus, 2, 1e-9);
  EXPECT_NEAR(host.slurm.agents.applied(0, busy)->cpus, 2, 1e-9);
}

// One job needs a fifth of a node, the other all of it. Once measured, the first counts as 0.25 (headroom 1.25), both
// together as 1.25: both get 0.8 of that, 0.8 and 3.2 CPUs, and the first still runs at full speed.
TEST(CpuNeeds, WhatIsNotUsedGoesToOthers) {
  for (const char* algorithm : {"Greedy*/OPT=MIN", "Triage/YIELD=EQUAL"}) {
    OneNode host(conf("CpuNeed=measured\n", algorithm), kRoom);
    FakeSlurm& slurm = host.slurm;
    const auto idle = slurm.submit(needing(0.2));
    slurm.run_for(1);
    const auto busy = slurm.submit(needing(1));
    slurm.run_for(600);
    EXPECT_EQ(slurm.job_status(busy).cpu_need, 1) << algorithm;
    EXPECT_NEAR(slurm.job_status(idle).cpu_need, 0.28, 0.08) << algorithm;
    EXPECT_GT(slurm.agents.applied(0, busy)->cpus, 3) << algorithm;
    EXPECT_GT(slurm.agents.applied(0, idle)->cpus, 0.7) << algorithm;
    const double before = slurm.job(idle).progress;
    slurm.run_for(100);
    EXPECT_NEAR(slurm.job(idle).progress - before, 100, 5) << algorithm;
    EXPECT_THAT(slurm.explain(idle), HasSubstr("measured to need 0."));
    // Memory is as it was asked for.
    EXPECT_EQ(slurm.status().nodes[0].used_memory_mib, 1000U) << algorithm;
    EXPECT_EQ(slurm.status().errors, 0U) << algorithm;
    EXPECT_THAT(slurm.violations, IsEmpty()) << algorithm;
  }
}

// What an agent says is up to two seconds old, while samples are three seconds long: counted up to the answer, use
// would seem to be a third less or more than it is, which is all of the quota.
TEST(CpuNeeds, UseCountsUpToTheTimeOfItsMeasurement) {
  OneNode host(conf("CpuNeed=measured\n"), kRoom);
  FakeSlurm& slurm = host.slurm;
  slurm.agents.measure_each(2);
  const auto idle = slurm.submit(needing(0.2));
  const auto busy = slurm.submit(needing(1));
  slurm.run_for(600);
  EXPECT_NEAR(slurm.job_status(idle).cpu_need, 0.28, 0.08);
  EXPECT_EQ(slurm.job_status(busy).cpu_need, 1);
}

// An idle job becomes busy beside one that takes all it can: within a minute it has its share.
TEST(CpuNeeds, AJobThatNeedsMoreGetsItSoon) {
  OneNode host(conf("CpuNeed=measured\n"), kRoom);
  FakeSlurm& slurm = host.slurm;
  const auto sleeper = slurm.submit(needing(0.02));
  const auto busy = slurm.submit(needing(1));
  slurm.run_for(600);
  EXPECT_EQ(slurm.job_status(sleeper).cpu_need, 0.1);  // the floor
  EXPECT_GT(slurm.agents.applied(0, busy)->cpus, 3.5);
  slurm.job(sleeper).needs = 1;
  slurm.run_for(10);
  EXPECT_GE(slurm.job_status(sleeper).cpu_need, 0.2);
  slurm.run_for(50);
  EXPECT_GT(slurm.job_status(sleeper).cpu_need, 0.7);
  EXPECT_GT(slurm.agents.applied(0, sleeper)->cpus, 1.6);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// Alone on its node a job may use all that it asked for, whatever its measured need.
TEST(CpuNeeds, SpareCpuStaysWithTheJob) {
  OneNode host(conf("CpuNeed=measured\n"), kRoom);
  FakeSlurm& slurm = host.slurm;
  const auto alone = slurm.submit(needing(0.2));
  slurm.run_for(600);
  EXPECT_LT(slurm.job_status(alone).cpu_need, 0.3);
  EXPECT_NEAR(slurm.agents.applied(0, alone)->cpus, 4, 1e-6);
}

TEST(CpuNeeds, TheFloorIsASetting) {
  OneNode host(conf("CpuNeed=measured\nCpuNeedFloor=0.5\n"), kRoom);
  const auto idle = host.slurm.submit(needing(0.01));
  host.slurm.run_for(600);
  EXPECT_EQ(host.slurm.job_status(idle).cpu_need, 0.5);
  host.slurm.reconfigure(conf("CpuNeed=asked\n"));
  host.slurm.run_for(5);
  EXPECT_EQ(host.slurm.job_status(idle).cpu_need, 1);
  EXPECT_EQ(host.slurm.status().errors, 0U);
}

// Batch policies plan with the requests, also after a change of the algorithm.
TEST(CpuNeeds, BatchPoliciesDoWithout) {
  OneNode host(conf("CpuNeed=measured\n"), kRoom);
  FakeSlurm& slurm = host.slurm;
  const auto idle = slurm.submit(needing(0.2));
  slurm.run_for(600);
  EXPECT_LT(slurm.job_status(idle).cpu_need, 0.3);
  slurm.reconfigure(conf("CpuNeed=measured\n", "EASY"));
  slurm.run_for(60);
  EXPECT_EQ(slurm.job_status(idle).cpu_need, 1);
  EXPECT_EQ(slurm.status().errors, 0U);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// Without reports of an agent the need stays as it was.
TEST(CpuNeeds, WithoutReportsNothingIsLearnt) {
  OneNode host(conf("CpuNeed=measured\n"), kRoom);
  FakeSlurm& slurm = host.slurm;
  const auto idle = slurm.submit(needing(0.2));
  slurm.run_for(5);
  slurm.agents.set_reachable(0, false);
  slurm.run_for(600);
  EXPECT_GT(slurm.job_status(idle).cpu_need, 0.9);
  slurm.agents.set_reachable(0, true);
  slurm.run_for(600);
  EXPECT_LT(slurm.job_status(idle).cpu_need, 0.3);
}

// Measured needs enter the engine as views and events, so a record has all that a replay needs.
TEST(CpuNeeds, ARecordWithMeasuredNeedsReplaysExactly) {
  for (const char* algorithm : {"Greedy*/OPT=MIN", "Triage/YIELD=EQUAL"}) {
    OneNode host(conf("CpuNeed=measured\n", algorithm), kRoom);
    FakeSlurm& slurm = host.slurm;
    const std::string path = slurm.folder() / "record.jsonl";
    record::Recorder& recorder = host_of(*slurm.controller()).recorder();
    ASSERT_TRUE(recorder.on(path).has_value());
    const auto idle = slurm.submit(needing(0.2));
    slurm.submit(needing(1));
    slurm.run_for(600);
    slurm.job(idle).needs = 1;
    slurm.run_for(100);
    recorder.off();

    auto reader = record::RecordReader::open(path);
    ASSERT_TRUE(reader.has_value());
    double least = 1;
    std::size_t changes = 0;
    for (auto more = reader->next(); more.has_value() && *more; more = reader->next()) {
      for (const JobView& job : reader->view().jobs) {
        if (job.state == JobState::running) least = std::min(least, job.cpu_need);
      }
      for (const Event& event : reader->events()) changes += event.kind == EventKind::changed ? 1 : 0;
    }
    EXPECT_LT(least, 0.4) << algorithm;
    EXPECT_GE(changes, 2U) << algorithm << ": the need falls and rises again";

    auto again = record::RecordReader::open(path);
    ASSERT_TRUE(again.has_value());
    const auto replayed = record::replay(*again);
    ASSERT_TRUE(replayed.has_value());
    EXPECT_FALSE(replayed->difference.has_value()) << algorithm << ": " << replayed->difference->replayed;
    EXPECT_GE(replayed->yield_changes, 2U) << algorithm;
  }
}

}  // namespace
}  // namespace dfrs::shim
