// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that request more CPU than they use, and jobs of different weights: schedules by hand.
#include <gtest/gtest.h>

#include <map>

#include "sim/errors.h"
#include "sim/host/simulation.h"
#include "sim/workload/job_weights.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

Job make(JobId id, double asked, double need, Seconds run_time) {
  Job job;
  job.id = id;
  job.cpu_need = need;
  job.cpu_asked = asked;
  job.run_time = job.estimate = run_time;
  return job;
}

class Needs : public ::testing::Test {
 protected:
  Needs() {
    instance_.name = "by-hand";
    instance_.platform = Platform::homogeneous(1, 100);
    instance_.jobs = {make(1, 1, 0.25, 40), make(2, 1, 1, 1000)};
    options_.need_rule.memory = 10;
    options_.need_interval = 10;
  }
  RunResult run(const char* algorithm = "Greedy*") {
    return or_throw(simulate(instance_, *parse_algorithm(algorithm), options_));
  }

  Instance instance_;
  SimOptions options_;
};

// Half a node each: the first needs only a quarter, and so runs at full speed.
TEST_F(Needs, AJobIsAtFullSpeedWithWhatItUses) {
  const RunResult r = run();
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 40);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 40 + 1000 - 20);
  EXPECT_DOUBLE_EQ(r.demand, 40 + (1020 - 40));  // of what they use, 1.25 and then 1 of one node
}

// Each 10 s half of the way from what is thought to 1.25 x 0.25 = 0.3125: 1, 0.65625, 0.484375, 0.3984375.
TEST_F(Needs, WhatItDoesNotUseGoesToTheOther) {
  options_.discover_needs = true;
  const RunResult r = run();
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 40);
  const double done = 10 * (1 / 2.0 + 1 / 1.65625 + 1 / 1.484375 + 1 / 1.3984375);
  EXPECT_NEAR(r.jobs[1].end, 40 + 1000 - done, 1e-6);
}

TEST_F(Needs, BatchPoliciesTakeWhatWasAskedFor) {
  options_.discover_needs = true;
  const RunResult r = run("EASY");
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 40);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 1040);
}

TEST_F(Needs, WhereAllNeedWhatTheyAskForNothingChanges) {
  instance_.jobs = {make(1, 0, 1, 40), make(2, 1, 1, 1000)};
  const RunResult plain = run("Triage");
  options_.discover_needs = true;
  const RunResult looked_at = run("Triage");
  EXPECT_EQ(plain.jobs[0].end, looked_at.jobs[0].end);
  EXPECT_EQ(plain.jobs[1].end, looked_at.jobs[1].end);
  EXPECT_EQ(plain.steps, looked_at.steps);
}

// A pause and its penalty do not count as low CPU use.
TEST_F(Needs, APenaltyIsNotMeasured) {
  instance_.platform = Platform::homogeneous(1, 100);
  instance_.jobs = {make(1, 1, 0.999, 1000), make(2, 1, 1, 100)};
  instance_.jobs[0].rigid[kMemory] = instance_.jobs[1].rigid[kMemory] = 60;
  instance_.jobs[1].submit = 500;
  options_.penalty = 300;
  const RunResult plain = run("GreedyP*");
  options_.discover_needs = true;
  const RunResult looked_at = run("GreedyP*");
  EXPECT_EQ(plain.jobs[0].pauses, 1U);
  EXPECT_NEAR(plain.jobs[0].end, 600 + 300 + 500, 1);
  EXPECT_EQ(plain.jobs[0].end, looked_at.jobs[0].end);
}

struct FirstYields final : StepObserver {
  std::map<JobSlot, double> yields;
  void on_step(const ClusterView&, std::span<const Event>, const Decisions& decisions) override {
    for (const YieldChange& change : decisions.yields) yields.emplace(change.job, change.yield);
  }
};

TEST(Weights, ShareOneNodeByTheirWeights) {
  Instance instance;
  instance.name = "by-hand";
  instance.platform = Platform::homogeneous(1, 100);
  instance.jobs = {make(1, 0, 1, 100), make(2, 0, 1, 100)};
  instance.jobs[1].weight = 3;
  FirstYields first;
  const RunResult r = or_throw(simulate(instance, *parse_algorithm("Triage"), {}, &first));
  // As the cubes of the weights, 1 to 27 (policy/triage/weights.h).
  EXPECT_NEAR(first.yields.at(0), 1.0 / 28, 1e-9);
  EXPECT_NEAR(first.yields.at(1), 27.0 / 28, 1e-9);
  EXPECT_LT(r.jobs[1].end, r.jobs[0].end);
  EXPECT_NEAR(r.jobs[0].end, 200, 1e-6);
}

TEST(Weights, AreParsed) {
  const auto rules = or_throw(parse_weights("user=7:2,queue=1:0.5,random=0.25:4"));
  ASSERT_EQ(rules.size(), 3U);
  EXPECT_EQ(weight_of(rules, 7, 1), 2);
  EXPECT_EQ(weight_of(rules, 8, 1), 0.5);
  EXPECT_EQ(weight_of(rules, -1, -1), 1);
  for (const char* wrong : {"", "user=7", "user:7=2", "user=x:2", "group=1:2", "random=2:2", "user=1:0", "user=1:2,"}) {
    EXPECT_EQ(code_of(parse_weights(wrong)), kExitUsage) << wrong;
  }
}

TEST(Weights, AtRandomAreTheSameEachTimeAndOfTheirShare) {
  Instance instance;
  for (JobId id = 1; id <= 4000; ++id) instance.jobs.push_back(make(id, 0, 1, 1));
  const auto rules = or_throw(parse_weights("random=0.25:4"));
  weigh_at_random(instance, rules);
  std::size_t heavy = 0;
  for (const Job& job : instance.jobs) heavy += job.weight == 4 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(heavy), 1000, 120);
  Instance again = instance;
  for (Job& job : again.jobs) job.weight = 1;
  weigh_at_random(again, rules);
  EXPECT_EQ(again.jobs, instance.jobs);
}

TEST(RealNeeds, AreParsedAndDrawn) {
  EXPECT_EQ(or_throw(parse_real_needs("0.5")).low, 0.5);
  EXPECT_EQ(or_throw(parse_real_needs("0.2-0.8")).high, 0.8);
  for (const char* wrong : {"", "0", "1.5", "0.8-0.2", "0.2-", "x"})
    EXPECT_EQ(code_of(parse_real_needs(wrong)), kExitUsage) << wrong;
  Instance instance;
  for (JobId id = 1; id <= 4000; ++id) instance.jobs.push_back(make(id, 0, 0.5, 1));
  set_real_needs(instance, {0.2, 0.8});
  double sum = 0;
  for (const Job& job : instance.jobs) {
    EXPECT_EQ(job.asked(), 0.5);
    EXPECT_GE(job.cpu_need, 0.1);
    EXPECT_LT(job.cpu_need, 0.4);
    sum += job.cpu_need;
  }
  EXPECT_NEAR(sum / 4000, 0.25, 0.01);
}

}  // namespace
}  // namespace dfrs::sim
