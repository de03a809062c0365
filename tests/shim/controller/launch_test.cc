// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs are not suspended while their sruns launch steps (shim/controller/timing.h).
#include <gtest/gtest.h>

#include "shim/controller/timing.h"
#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

constexpr const char* kConf =
    "Algorithm=GreedyP*/"
    "OPT=MIN\nPeriod=30\nPartitions=dfrs\nCommentInterval=10\nSuspendNeedsSwap=no\nPauseBy=suspend\n";

TEST(LaunchingJobs, ARunInItsFirstSecondsIsNotSuspended) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 30));
  slurm.run_for(1);
  slurm.submit(job_of(800, 5));
  slurm.run_for(0.5);
  EXPECT_EQ(slurm.job(old).state, FakeState::running);
  slurm.run_for(2);
  slurm.submit(job_of(800, 5));
  slurm.run_for(0.5);
  EXPECT_EQ(slurm.job(old).state, FakeState::suspended);
}

// Its srun needs longer to reach slurmctld.
TEST(LaunchingJobs, ARunThatHasLittleOfItsNodeIsSparedForLonger) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  const auto first = slurm.submit(job_of(450, 60));
  const auto second = slurm.submit(job_of(450, 60));
  slurm.run_for(0.1);
  const double start = slurm.now();
  ASSERT_EQ(slurm.job(second).state, FakeState::running);
  const auto suspended = [&] {
    return slurm.job(first).state == FakeState::suspended || slurm.job(second).state == FakeState::suspended;
  };
  while (!suspended() && slurm.now() < start + 30) {
    slurm.run_for(0.1);
    slurm.submit(job_of(800, 0.1));
  }
  EXPECT_GE(slurm.now(), start + 2 * kSuspendAfterStart - 0.2);
  EXPECT_LE(slurm.now(), start + 2 * kSuspendAfterStart + 1.5);
}

// With hardly any of it, the wait has an end.
TEST(LaunchingJobs, ARunThatHardlyProgressesIsNotSparedForEver) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  for (int i = 0; i < 20; ++i) slurm.submit(job_of(40, 60));
  slurm.run_for(0.1);
  const double start = slurm.now();
  const auto suspended = [&] {
    for (std::uint32_t id = 1; id <= 20; ++id)
      if (slurm.job(id).state == FakeState::suspended) return true;
    return false;
  };
  while (!suspended() && slurm.now() < start + 60) {
    slurm.run_for(0.1);
    slurm.submit(job_of(800, 0.1));
  }
  EXPECT_GE(slurm.now(), start + kLaunchPatience - 0.2);
  EXPECT_LE(slurm.now(), start + kLaunchPatience + 4);
}

// An srun that is stopped while it launches a step loses it.
TEST(LaunchingJobs, NotSuspendedWhileAnSrunLaunchesAStep) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 60));
  slurm.run_for(10);
  slurm.job(old).steps = 1;
  const double created = slurm.now();
  slurm.submit(job_of(800, 5));
  while (slurm.job(old).state == FakeState::running && slurm.now() < created + 30) {
    slurm.run_for(0.1);
    slurm.submit(job_of(800, 0.1));
  }
  EXPECT_EQ(slurm.job(old).state, FakeState::suspended);
  EXPECT_GE(slurm.now(), created + kSuspendAfterStep);
  EXPECT_LE(slurm.now(), created + kSuspendAfterStep + 1.5);
}

TEST(LaunchingJobs, AJobOfManyStepsIsNotSparedForEver) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 200));
  const double start = slurm.now();
  while (slurm.job(old).state != FakeState::suspended && slurm.now() < start + 100) {
    slurm.run_for(1);
    ++slurm.job(old).steps;
    slurm.submit(job_of(800, 0.1));
  }
  EXPECT_EQ(slurm.job(old).state, FakeState::suspended);
  EXPECT_GE(slurm.now(), start + kLaunchPatience);
  EXPECT_LE(slurm.now(), start + kLaunchPatience + 4);
}

}  // namespace
}  // namespace dfrs::shim
