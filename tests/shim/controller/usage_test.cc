// SPDX-License-Identifier: GPL-2.0-or-later
// What jobs were given: the ledger by itself, and as a controller fills it.
#include "shim/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shim/controller/usage.h"
#include "shim/controller/usage_ledger.h"
#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

using testing::IsEmpty;

constexpr RunId kRun{7, 0};
constexpr const char* kConf =
    "Algorithm=GreedyPM*/per/OPT=MIN/MINVT=60\nPeriod=30\nPartitions=dfrs\nPauseBy=suspend\nSuspendNeedsSwap=no\n";

TEST(UsageLedger, IsTheMeanOverAnyPeriod) {
  UsageLedger ledger;
  ledger.set(kRun, 100, 1);
  ledger.set(kRun, 110, 0.25);
  ledger.set(kRun, 130, 0);
  EXPECT_DOUBLE_EQ(ledger.mean(kRun, 100, 110).value(), 1);
  EXPECT_DOUBLE_EQ(ledger.mean(kRun, 105, 115).value(), 0.625);
  EXPECT_DOUBLE_EQ(ledger.mean(kRun, 100, 150).value(), 0.3);
  EXPECT_DOUBLE_EQ(ledger.mean(kRun, 140, 1000).value(), 0) << "the last decision holds";
  EXPECT_DOUBLE_EQ(ledger.mean(kRun, 99, 101).value(), 1)
      << "Slurm's start is a whole second, before the first decision";
  EXPECT_FALSE(ledger.mean(kRun, 110, 110).has_value());
  EXPECT_FALSE(ledger.mean(kRun, 110, 100).has_value());
}

TEST(UsageLedger, RunsOfAJobAreSeparate) {
  UsageLedger ledger;
  ledger.set(kRun, 100, 0.5);
  EXPECT_FALSE(ledger.mean({7, 1}, 100, 110).has_value());
  ledger.set({7, 1}, 200, 0.1);
  EXPECT_DOUBLE_EQ(ledger.mean({7, 1}, 200, 210).value(), 0.1);
  EXPECT_DOUBLE_EQ(ledger.mean(kRun, 100, 110).value(), 0.5);
  ledger.drop_old(100 + UsageLedger::kKeep + 1);
  EXPECT_FALSE(ledger.mean(kRun, 100, 110).has_value());
  EXPECT_TRUE(ledger.mean({7, 1}, 200, 210).has_value());
  ledger.clear();
  EXPECT_FALSE(ledger.mean({7, 1}, 200, 210).has_value());
}

TEST(UsageLedger, ManyChangesKeepTheirSum) {
  UsageLedger ledger;
  double sum = 0;
  constexpr int kChanges = 5000;
  for (int i = 0; i < kChanges; ++i) {
    const double share = (i * 37 % 100) / 100.0;
    ledger.set(kRun, i, share);
    sum += share;
  }
  EXPECT_NEAR(ledger.mean(kRun, 0, kChanges).value() * kChanges, sum, 1e-6);
  // The latest are kept as they were.
  EXPECT_NEAR(ledger.mean(kRun, kChanges - 50, kChanges - 49).value(), ((kChanges - 50) * 37 % 100) / 100.0, 1e-9);
  double pieces = 0;
  for (int i = 0; i < kChanges; i += 100) pieces += ledger.mean(kRun, i, i + 100).value() * 100;
  EXPECT_NEAR(pieces, sum, 1e-6);
}

TEST(UsageLedger, AClockThatIsSetBackDoesNoHarm) {
  UsageLedger ledger;
  ledger.set(kRun, 100, 1);
  ledger.set(kRun, 50, 0.5);
  ledger.set(kRun, 120, 2);  // no share is above 1
  EXPECT_DOUBLE_EQ(ledger.mean(kRun, 100, 120).value(), 0.5);
  EXPECT_DOUBLE_EQ(ledger.mean(kRun, 120, 130).value(), 1);
}

double given_seconds(std::uint32_t job, std::uint32_t restarts, double from, double to) {
  double fraction = -1;
  EXPECT_TRUE(dfrs_usage_fraction(job, restarts, from, to, &fraction)) << job;
  return fraction * (to - from);
}

class ControllerUsage : public testing::Test {
 protected:
  void SetUp() override { usage_ledger().clear(); }
  void TearDown() override { usage_ledger().clear(); }
};

// One job of 800 MiB has room: the younger one has the older one suspended. Pauses and changes of yield count.
TEST_F(ControllerUsage, IsTheProgressOfEachJob) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  const double begin = slurm.now();
  const auto old = slurm.submit(job_of(800, 1000));
  slurm.run_for(20);
  const auto young = slurm.submit(job_of(800, 40));
  const auto small = slurm.submit(job_of(100, 1000));
  slurm.run_for(200);
  EXPECT_GT(slurm.job(old).suspends, 0u);
  EXPECT_EQ(slurm.job(young).end, FakeEnd::completed);
  for (const auto id : {old, young, small}) {
    const FakeJob& job = slurm.job(id);
    const double from = job.first_start;
    EXPECT_NEAR(given_seconds(id, 0, from, slurm.now()), job.progress, 0.02 * job.progress + 1.5) << id;
    EXPECT_LT(job.progress, 0.9 * (slurm.now() - begin)) << id;
  }
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST_F(ControllerUsage, GoesOnAfterARestart) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  const auto a = slurm.submit(job_of(100, 1000)), b = slurm.submit(job_of(100, 1000));
  slurm.run_for(30);
  slurm.restart_controller(true);
  slurm.run_for(30);
  for (const auto id : {a, b}) {
    EXPECT_NEAR(given_seconds(id, 0, static_cast<double>(slurm.job(id).start_time), slurm.now()),
                slurm.job(id).progress, 2)
        << id;
  }
}

// slurmctld charges for the time of a restart before the controller is there.
TEST_F(ControllerUsage, WhatWasSavedIsKnownAtOnce) {
  SavedState saved;
  saved.saved_at = 1000;
  SavedJob job;
  job.id = 1;
  job.run = SavedJob::Run::running;
  job.clock = {40, 900, 0.25};  // 65 at 1000, 60 of them in this run, which began at 800
  job.run_base = 5;
  job.started = 800;
  saved.jobs[1] = job;
  job.id = 2;
  job.run = SavedJob::Run::suspended;
  job.restarts = 3;
  saved.jobs[2] = job;
  job.id = 3;
  job.run = SavedJob::Run::none;
  saved.jobs[3] = job;
  restore_usage(saved, usage_ledger());
  EXPECT_DOUBLE_EQ(given_seconds(1, 0, 1000, 1040), 10);
  EXPECT_DOUBLE_EQ(given_seconds(1, 0, 800, 1040), 70);
  EXPECT_DOUBLE_EQ(given_seconds(1, 0, 900, 1000), 30);
  saved.jobs[1].clock.rate = 1;
  restore_usage(saved, usage_ledger());
  EXPECT_DOUBLE_EQ(given_seconds(1, 0, 1000, 1040), 10) << "what is known stays";
  EXPECT_DOUBLE_EQ(given_seconds(2, 3, 960, 1040), 0);
  double fraction = 0;
  EXPECT_FALSE(dfrs_usage_fraction(3, 3, 960, 1040, &fraction));
}

TEST_F(ControllerUsage, ChargeByAllocationLeavesItToSlurm) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  const auto id = slurm.submit(job_of(100, 1000));
  slurm.run_for(10);
  double fraction = 0;
  const double now = slurm.now();
  EXPECT_TRUE(dfrs_usage_fraction(id, 0, now - 5, now, &fraction));
  ASSERT_TRUE(slurm.reconfigure(std::string(kConf) + "ChargeBy=allocation\n"));
  slurm.run_for(10);
  EXPECT_FALSE(dfrs_usage_fraction(id, 0, now - 5, now, &fraction));
}

}  // namespace
}  // namespace dfrs::shim
