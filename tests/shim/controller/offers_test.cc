// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that are submitted when those that could be paused for them have just started.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shim/controller/timing.h"
#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

using testing::IsEmpty;

// No ticks, and no job ends: the submission is the policy's only event.
std::string conf(const std::string& algorithm, const std::string& rules) {
  return "Algorithm=" + algorithm + "\nPartitions=dfrs\nLostWork=refuse\nSuspendNeedsSwap=no\nMinProgress=5\n" + rules;
}

// Two jobs of which only one fits, the second half a second after the first: when does it run?
double start_of_second(FakeSlurm& slurm, const std::string& comment = "") {
  slurm.add_nodes(1, 4, 1000);
  slurm.start_controller();
  FakeJob first = job_of(800, 1000);
  first.comment = comment;
  const auto old = slurm.submit(first);
  slurm.run_for(0.5);
  EXPECT_EQ(slurm.job(old).state, FakeState::running);
  const auto young = slurm.submit(job_of(800, 1000));
  slurm.run_for(60);
  EXPECT_THAT(slurm.violations, IsEmpty());
  return slurm.job(young).first_start == 0 ? 0 : slurm.job(young).first_start - slurm.job(old).first_start;
}

TEST(Offers, AJobThatCameTooEarlyIsStartedWhenTheOtherCanBeSuspended) {
  FakeSlurm slurm(1, conf("GreedyPM*/OPT=MIN", "PauseBy=suspend\n"));
  const double after = start_of_second(slurm);
  EXPECT_GE(after, kSuspendAfterStart);
  EXPECT_LE(after, kSuspendAfterStart + 0.5);
}

TEST(Offers, AndWhenItCanBeRequeued) {
  FakeSlurm slurm(1, conf("GreedyP*/OPT=MIN", "PauseBy=requeue\n"));
  const double after = start_of_second(slurm, "dfrs:checkpoint");
  EXPECT_GE(after, 5) << "MinProgress";
  EXPECT_LE(after, 6.5);
}

TEST(Offers, NotWhereThePolicyPausesNobody) {
  FakeSlurm slurm(1, conf("Greedy*/OPT=MIN", "PauseBy=suspend\n"));
  EXPECT_EQ(start_of_second(slurm), 0);
  EXPECT_EQ(slurm.job(2).state, FakeState::pending);
}

TEST(Offers, NorWhereNobodyMayBePaused) {
  FakeSlurm slurm(1, conf("GreedyPM*/OPT=MIN", "PauseBy=none\n"));
  EXPECT_EQ(start_of_second(slurm), 0);
  EXPECT_EQ(slurm.job(2).state, FakeState::pending);
}

}  // namespace
}  // namespace dfrs::shim
