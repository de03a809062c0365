// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/campaign_plan.h"
#include "policy/rr7659/options.h"
#include "policy/triage/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kPeriodic = "GreedyPM*/per/OPT=MIN";

// One node; jobs of `run_time` seconds that need all of it, both there at 0.
Instance two_jobs(const std::string& name, Seconds run_time) {
  Instance instance{name, Platform::homogeneous(1, 1000), {}};
  for (JobId id = 1; id <= 2; ++id) {
    Job job;
    job.id = id;
    job.run_time = job.estimate = run_time;
    job.rigid[kMemory] = 600;
    instance.jobs.push_back(job);
  }
  return instance;
}

PlannedSet set_of(const std::string& name, std::vector<Seconds> run_times) {
  return {name, run_times.size(), [name, run_times] {
            std::vector<Instance> instances;
            for (const Seconds time : run_times) {
              instances.push_back(two_jobs(name + "-" + std::to_string(instances.size()), time));
            }
            return instances;
          }};
}

CampaignOptions with_period(Seconds period) {
  CampaignOptions options;
  options.sim.engine.of<DfrsOptions>().period = period;
  return options;
}

CampaignOptions expecting(Seconds penalty) {
  CampaignOptions options;
  options.sim.engine.of<TriageOptions>().penalty = penalty;
  return options;
}

TEST(CampaignPlan, WhatMakesNoDifferenceIsOneSimulation) {
  const ReproduceOptions options;
  CampaignPlan plan(options, "test");
  const PlannedSet set = set_of("a", {100, 200});
  plan.need(set, "FCFS");
  plan.need(set, "FCFS");
  plan.need(set, "FCFS", with_period(1200));
  plan.need(set, "FCFS", expecting(60));
  plan.need(set, "Triage", with_period(1200));
  plan.need(set, "Triage");
  EXPECT_EQ(plan.size(), 4U);
  plan.need(set, "Triage", expecting(60));
  EXPECT_EQ(plan.size(), 6U);
  plan.need(set, kPeriodic);
  plan.need(set, kPeriodic, with_period(1200));
  plan.need(set, kPeriodic, expecting(60));
  EXPECT_EQ(plan.size(), 10U);
}

// FCFS runs the second job after the first: it waits as long as it runs, and its stretch is 2. With a bound of 1000 s
// it is 1 where both are done by then, 1800 / 1000 where they take 900 s each.
TEST(CampaignPlan, ResultsAreOfTheirSetAlgorithmAndOptions) {
  ReproduceOptions options;
  options.threads = 1;
  std::vector<std::size_t> seen;
  options.progress = [&](std::size_t done, std::size_t total) {
    seen.push_back(done);
    EXPECT_EQ(total, 2U + 1 + 2 + 5);
  };
  CampaignPlan plan(options, "test");
  const PlannedSet z = set_of("z", {100, 900});
  const PlannedSet a = set_of("a", {50});
  CampaignOptions bounded;
  bounded.stretch_floor = 1000;
  plan.need(z, "FCFS");
  plan.need(a, "FCFS");
  plan.need(z, "FCFS", bounded);
  or_throw(plan.run(5));
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5));
  const auto stretches = [&](std::string_view set, const CampaignOptions& with) {
    std::vector<double> all;
    for (const ResultRow& row : plan.rows(set, "FCFS", with)) all.push_back(row.metrics.max_stretch);
    return all;
  };
  EXPECT_THAT(stretches("z", {}), ElementsAre(2, 2));
  EXPECT_THAT(stretches("a", {}), ElementsAre(2));
  EXPECT_THAT(stretches("z", bounded), ElementsAre(1, 1.8));
  EXPECT_EQ(plan.rows("z", "FCFS")[1].instance, "z-1");
  EXPECT_EQ(plan.rows("z", "FCFS", with_period(1200)).data(), plan.rows("z", "FCFS").data());
  EXPECT_THROW(plan.rows("b", "FCFS"), std::out_of_range);
  EXPECT_THROW(plan.rows("a", "EASY"), std::out_of_range);
  EXPECT_THROW(plan.rows("a", "FCFS", bounded), std::out_of_range);
  EXPECT_THROW(plan.need(a, "no algorithm"), tl::bad_expected_access<dfrs::Error>);
}

// An equal CPU time shows that the result came from the store.
TEST(CampaignPlan, GoesOnFromItsStore) {
  const TemporaryFolder folder;
  ReproduceOptions options;
  options.output = folder.path().string();
  const PlannedSet set = set_of("a", {100, 200});
  std::vector<double> times;
  for (int run = 0; run < 2; ++run) {
    CampaignPlan plan(options, "test");
    plan.need(set, "EASY");
    if (run == 1) plan.need(set, "FCFS");
    or_throw(plan.run());
    for (const ResultRow& row : plan.rows("a", "EASY")) times.push_back(row.cpu_seconds);
    EXPECT_EQ(plan.rows("a", "EASY").size(), 2U);
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "test.db"));
  ASSERT_EQ(times.size(), 4U);
  EXPECT_EQ(times[0], times[2]);
  EXPECT_EQ(times[1], times[3]);
}

}  // namespace
}  // namespace dfrs::sim
