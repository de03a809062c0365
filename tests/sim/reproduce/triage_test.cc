// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of the evaluation of Triage. tests/cli/reproduce_test.cc runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "policy/core/algorithm.h"
#include "sim/reproduce/triage/losses.h"
#include "sim/reproduce/triage/parts.h"

namespace dfrs::sim::triage_study {
namespace {

using ::testing::ElementsAre;

Job make(JobId id, Seconds submit, Seconds run_time, int tasks, RigidAmount memory, double cpu = 1) {
  Job job;
  job.id = id;
  job.submit = submit;
  job.tasks = tasks;
  job.cpu_need = cpu;
  job.run_time = job.estimate = run_time;
  job.rigid[kMemory] = memory;
  return job;
}

Instance four_nodes(std::vector<Job> jobs) { return {"four", Platform::homogeneous(4, 1000), std::move(jobs)}; }

// FCFS: the second waits 90 s for 10 s of work.
TEST(TriageLosses, OfTheWorstJobByHand) {
  const Losses losses =
      or_throw(losses_of(four_nodes({make(1, 0, 100, 4, 100), make(2, 10, 10, 1, 600, 0.25)}), "FCFS", SimOptions{}));
  EXPECT_EQ(losses.instance, "four");
  ASSERT_EQ(losses.worst.size(), 1U);
  const Loser& worst = losses.worst.front();
  EXPECT_EQ(worst.job.id, 2U);
  EXPECT_NEAR(worst.stretch, 10, 1e-9);
  EXPECT_NEAR(worst.times.to_start, 90, 1e-9);
  EXPECT_EQ(worst.cause, Cause::to_start);
  EXPECT_NEAR(worst.memory, 0.6, 1e-12);
  EXPECT_THAT(worst.classes, ElementsAre(2, 0, 0));
  EXPECT_THAT(losses.jobs[0], ElementsAre(1, 0, 1));  // memory: 10 %, 60 %
  EXPECT_THAT(losses.jobs[1], ElementsAre(1, 1, 0));  // tasks: 1, 4
  EXPECT_THAT(losses.jobs[2], ElementsAre(1, 1, 0));  // 10 s, 100 s
}

// 200 equal jobs, one after the other: those that came last wait longest.
TEST(TriageLosses, TheWorstInAHundred) {
  std::vector<Job> jobs;
  for (JobId id = 1; id <= 200; ++id) jobs.push_back(make(id, 0, 10, 4, 100));
  const Losses losses = or_throw(losses_of(four_nodes(std::move(jobs)), "FCFS", SimOptions{}));
  ASSERT_EQ(losses.worst.size(), 2U);
  EXPECT_EQ(losses.worst[0].job.id, 200U);
  EXPECT_EQ(losses.worst[1].job.id, 199U);
  EXPECT_NEAR(losses.worst[0].stretch, 200, 1e-9);
}

TEST(TriageLosses, TheMainCauseIsTheLargestLoss) {
  EXPECT_EQ(main_cause({1, 2, 3, 4, 100}), Cause::shared);
  EXPECT_EQ(main_cause({1, 2, 3, 1, 100}), Cause::penalty);
  EXPECT_EQ(main_cause({1, 2, 1, 1, 100}), Cause::paused);
  EXPECT_EQ(main_cause({2, 2, 2, 2, 100}), Cause::to_start);
}

TEST(TriageSets, AFloodIsAddedInOrder) {
  Instance instance = four_nodes({make(1, 0, 50, 1, 100), make(2, 100, 50, 1, 100), make(9, 2000, 50, 1, 100)});
  flood(instance, 0.5);
  ASSERT_EQ(instance.jobs.size(), 2003U);
  EXPECT_TRUE(std::is_sorted(instance.jobs.begin(), instance.jobs.end(),
                             [](const Job& a, const Job& b) { return a.submit < b.submit; }));
  EXPECT_EQ(instance.jobs[1].id, 2U);  // the middle one, with which the flood begins
  EXPECT_EQ(instance.jobs[2].id, 10U);
  EXPECT_EQ(instance.jobs[2].submit, 100);
  EXPECT_EQ(instance.jobs[2].run_time, 600);
  EXPECT_EQ(instance.jobs[2].user, 1U);
  EXPECT_EQ(instance.jobs[1].user, 0U);
  EXPECT_EQ(instance.jobs[2].rigid[kMemory], 500);
  EXPECT_NEAR(instance.jobs.back().submit, 100 + 3600 - 1.8, 1e-9);
  EXPECT_EQ(instance.jobs.back().id, 2009U);
}

TEST(TriageSets, MixesKeepJobsThatFit) {
  Instance instance = four_nodes({make(1, 0, 50, 1, 300, 0.25), make(2, 0, 50, 4, 600), make(3, 0, 50, 8, 400, 0.5)});
  multiply_memory(instance, 2);
  EXPECT_EQ(instance.jobs[0].rigid[kMemory], 600);
  EXPECT_EQ(instance.jobs[1].rigid[kMemory], 1000);
  EXPECT_EQ(instance.jobs[2].rigid[kMemory], 500);  // two on each node
  multiply_memory(instance, 0.5);
  EXPECT_EQ(instance.jobs[1].rigid[kMemory], 500);
  multiply_needs(instance, 4);
  EXPECT_EQ(instance.jobs[0].cpu_need, 1);
  EXPECT_EQ(instance.jobs[2].cpu_need, 1);
  multiply_needs(instance, 0.5);
  EXPECT_EQ(instance.jobs[1].cpu_need, 0.5);
}

TEST(TriageSets, GeneratedOnes) {
  ReproduceOptions options;
  options.instances = 2;
  const Sets sets(options);
  const std::vector<Instance> usual = or_throw(sets.lublin(100).make());
  ASSERT_EQ(usual.size(), 2U);
  EXPECT_EQ(usual[1].name, "lublin-2");
  EXPECT_EQ(or_throw(sets.lublin(100, 0.5, kTrainingSeed).make())[0].name, "lublin-1001-load-0.5");
  const std::vector<Instance> wide = or_throw(sets.lublin(100, 0, 0, 64).make());
  for (std::size_t k = 0; k < wide[0].jobs.size(); ++k) {
    const Job& job = wide[0].jobs[k];
    EXPECT_EQ(job.cpu_need, job.tasks == 1 ? 1.0 / 64 : 1);
    EXPECT_EQ(job.submit, usual[0].jobs[k].submit);
  }
  EXPECT_NE(sets.lublin(100).name, sets.lublin(100, 0.5).name);
  EXPECT_NE(sets.lublin(100).name, sets.lublin(100, 0, 0, 64).name);
}

TEST(TriageStudy, ComparesAlgorithmsByTheirCanonicalNames) {
  for (const std::string_view name : all_compared()) {
    const auto algorithm = parse_algorithm(name);
    ASSERT_TRUE(algorithm) << name;
    EXPECT_EQ(algorithm_name(*algorithm), name);
  }
  EXPECT_EQ(all_compared().size(), 3U + 2U + 20U);
  for (const std::string_view name : kBestPublished) EXPECT_TRUE(parse_algorithm(name)) << name;
}

// Four instances of one job each: nothing is lost, and settings that change nothing are one simulation.
TEST(TriageStudy, RunsWhatIsNeeded) {
  InstanceSet set;
  set.name = "alone";
  set.size = 4;
  set.make = [] { return std::vector<Instance>(4, four_nodes({make(1, 0, 50, 1, 100)})); };
  ReproduceOptions options;
  options.threads = 1;
  std::size_t simulations = 0;
  options.progress = [&](std::size_t done, std::size_t total) {
    EXPECT_LE(done, total);
    simulations = total;
  };
  Study study(options);
  Setting period;
  period.period = 1200;
  study.need(set, "EASY");
  study.need(set, "EASY", period);
  study.need(set, "Triage", period);
  study.need_losses(set);
  or_throw(study.run());
  EXPECT_EQ(simulations, 12U);
  ASSERT_EQ(study.rows(set, "EASY").size(), 4U);
  EXPECT_EQ(study.rows(set, "EASY", period).data(), study.rows(set, "EASY").data());
  for (const ResultRow& row : study.rows(set, "Triage")) EXPECT_NEAR(row.degradation(), 1, 1e-9);
  ASSERT_EQ(study.losses(set).size(), 4U);
  EXPECT_NEAR(study.losses(set)[3].worst.front().times.lost(), 0, 1e-9);
}

}  // namespace
}  // namespace dfrs::sim::triage_study
