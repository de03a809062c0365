// SPDX-License-Identifier: GPL-2.0-or-later
// What a killed slurmctld leaves to the next one: runs that exist only in its records, and requeues that may or may not
// have been carried out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

using testing::IsEmpty;

constexpr const char* kConf =
    "Algorithm=GreedyPM*/per/OPT=MIN/MINVT=60\nPeriod=30\nPartitions=dfrs\nPauseBy=suspend,requeue\n"
    "LostWork=refuse\nSuspendNeedsSwap=no\nMinProgress=5\nQuotaMode=enforce\nCommentInterval=10\n";

TEST(Restart, AJobThatItsNodeKnowsNothingOfIsQueuedAgain) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  const auto id = slurm.submit(job_of(800, 10));
  slurm.run_for(3);
  slurm.restart_controller(false);
  slurm.run_for(1);
  slurm.job(id).lost = true;  // nodes have reported by now
  slurm.run_for(10);
  EXPECT_EQ(slurm.job(id).requeues_by_us, 1u);
  EXPECT_EQ(slurm.job(id).state, FakeState::running) << "Slurm's wait after a requeue, 121 s, is lifted";
  EXPECT_TRUE(slurm.run_to_end(100));
  EXPECT_EQ(slurm.job(id).end, FakeEnd::completed);
  EXPECT_EQ(slurm.job(id).restarts, 1u);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(Restart, APausedJobThatItsNodeKnowsNothingOfIsQueuedAgain) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  const auto old = slurm.submit(job_of(800, 100));
  slurm.run_for(20);
  const auto young = slurm.submit(job_of(800, 10));
  slurm.run_for(2);
  ASSERT_EQ(slurm.job(old).state, FakeState::suspended);
  slurm.job(old).lost = true;
  slurm.run_for(5);
  EXPECT_EQ(slurm.job(old).restarts, 1u);
  EXPECT_EQ(slurm.job(young).state, FakeState::running) << "it has nothing to do with that";
  EXPECT_TRUE(slurm.run_to_end(300));
  EXPECT_EQ(slurm.job(old).end, FakeEnd::completed);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

TEST(Restart, AJobThatMustNotBeRequeuedIsLeftToSlurm) {
  OneNode host(kConf);
  FakeSlurm& slurm = host.slurm;
  FakeJob job = job_of(800, 10);
  job.flags = DFRS_JOB_BATCH;
  const auto id = slurm.submit(job);
  slurm.run_for(3);
  slurm.job(id).lost = true;
  slurm.run_for(10);
  EXPECT_EQ(slurm.job(id).restarts, 0u);
  EXPECT_EQ(slurm.job(id).state, FakeState::running);
  EXPECT_EQ(slurm.asked[DFRS_OP_REQUEUE], 0);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// slurmd may have got the order to end the run although slurmctld shows it as running: the job would fail.
TEST(Restart, ARequeueInWhichSlurmctldEndedIsAskedForAgain) {
  OneNode host(std::string(kConf) + "PartitionName=dfrs PauseBy=requeue\n");
  FakeSlurm& slurm = host.slurm;
  FakeJob job = job_of(800, 100);
  job.comment = "dfrs:checkpoint";
  const auto old = slurm.submit(job);
  slurm.run_for(20);
  bool asked = false;
  std::string left_behind;
  slurm.on_operation = [&](const FakeJob&, const dfrs_operation& op) {
    if (op.kind != DFRS_OP_REQUEUE || asked) return DFRS_DONE;
    asked = true;
    host_of(*slurm.controller()).state_writer().flush();
    left_behind = sim::file_bytes(slurm.folder() / "dfrs_state");
    return DFRS_BUSY;  // slurmctld ends here
  };
  const auto young = slurm.submit(job_of(800, 10));
  while (!asked) slurm.run_for(0.01);
  slurm.stop_controller();
  slurm.jobs.erase(young);  // the reason for the pause is gone
  slurm.folder().write("dfrs_state", left_behind);
  slurm.start_controller();
  slurm.run_for(1);
  EXPECT_EQ(slurm.job(old).restarts, 1u);
  EXPECT_TRUE(slurm.run_to_end(300));
  EXPECT_EQ(slurm.job(old).end, FakeEnd::completed);
  EXPECT_EQ(slurm.job(old).restarts, 1u);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// slurmctld lists a job's nodes in the order of its table. What else it may show must not upset the controller's
// records.
TEST(Restart, NodesOfARunInAnyOrder) {
  FakeSlurm slurm(1, kConf);
  slurm.add_nodes(2, 4, 1000);
  slurm.start_controller();
  FakeJob job = job_of(800, 100);
  job.tasks = 2;
  const auto id = slurm.submit(job);
  slurm.run_for(3);
  ASSERT_EQ(slurm.job(id).at.size(), 2U);
  std::swap(slurm.job(id).at[0], slurm.job(id).at[1]);
  slurm.restart_controller(true);
  slurm.run_for(3);
  const auto sound = host_of(*slurm.controller()).controller().check();
  EXPECT_TRUE(sound) << sound.error();
  EXPECT_TRUE(slurm.run_to_end(200));
  EXPECT_EQ(slurm.job(id).restarts, 0U);
  EXPECT_THAT(slurm.violations, IsEmpty());
}

}  // namespace
}  // namespace dfrs::shim
