// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrs::shim {
namespace {

using testing::HasSubstr;

// Runs where the policy wants it.
Job running() {
  Job job;
  job.id = 7;
  job.facts.phase = DFRS_JOB_RUNNING;
  job.facts.nodes = {0, 0, 2};
  job.desired.run_on(job.facts.nodes);
  job.desired.yield = job.progress.granted_yield = job.progress.clock.rate = 0.5;
  job.policy.slot = 3;
  return job;
}

std::string broken(const Job& job) {
  const auto checked = check_job(job);
  return checked ? "nothing" : checked.error();
}

TEST(JobCheck, SoundRecordsPass) {
  EXPECT_EQ(broken(Job()), "nothing");
  Job job = running();
  EXPECT_EQ(broken(job), "nothing");
  job.desired.nodes = {1, 1, 1};  // to run elsewhere
  EXPECT_EQ(broken(job), "nothing");
  job.facts.phase = DFRS_JOB_SUSPENDED;
  job.progress.clock.rate = 0;
  job.desire_pause(PauseWay::suspend);
  EXPECT_EQ(broken(job), "nothing");
}

TEST(JobCheck, ASlotGoesWithADesiredState) {
  Job job = running();
  job.policy.slot = kNoSlot;
  EXPECT_THAT(broken(job), HasSubstr("job 7: slot and desired state disagree"));
  job = running();
  job.desired.clear();
  EXPECT_THAT(broken(job), HasSubstr("slot and desired state disagree"));
}

TEST(JobCheck, OnlyADesiredRunHasDesiredNodes) {
  Job job = running();
  job.desired.state = DesiredState::waiting;
  EXPECT_THAT(broken(job), HasSubstr("not desired to run"));
  job = running();
  job.desired.nodes = {2, 0};
  EXPECT_THAT(broken(job), HasSubstr("desired nodes are not in order"));
}

TEST(JobCheck, OnlyARunHasNodesAndATickingClock) {
  Job job = running();
  job.facts.phase = DFRS_JOB_PENDING;
  EXPECT_THAT(broken(job), HasSubstr("neither runs nor is suspended"));
  job.facts.nodes.clear();
  EXPECT_THAT(broken(job), HasSubstr("its clock runs"));
  job = running();
  job.facts.nodes = {2, 0, 0};
  EXPECT_THAT(broken(job), HasSubstr("its nodes are not in order"));
}

TEST(JobCheck, YieldsAreShares) {
  Job job = running();
  job.desired.yield = 1.5;
  EXPECT_THAT(broken(job), HasSubstr("yield"));
  job = running();
  job.progress.granted_yield = -0.1;
  EXPECT_THAT(broken(job), HasSubstr("yield"));
}

}  // namespace
}  // namespace dfrs::shim
