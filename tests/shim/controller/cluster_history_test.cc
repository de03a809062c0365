// SPDX-License-Identifier: GPL-2.0-or-later
// What the controller remembers of the last hours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

using timeline::Stay;
using timeline::StayBegin;
using timeline::StayEnd;

constexpr const char* kConf =
    "Algorithm=GreedyP*/OPT=MIN\nPartitions=dfrs\nPauseBy=suspend\nSuspendNeedsSwap=no\nMinProgress=5\n";

std::vector<Stay> stays_of(const timeline::Schedule& all, JobId job) {
  std::vector<Stay> found;
  for (const Stay& stay : all.stays) {
    if (all.jobs[stay.job].id == job) found.push_back(stay);
  }
  return found;
}

TEST(ClusterHistory, HasStartsPausesAndEndsOfJobs) {
  OneNode host(kConf, 1000);
  FakeSlurm& slurm = host.slurm;
  const auto first = slurm.submit(job_of(900, 60));
  slurm.run_for(30);
  const auto second = slurm.submit(job_of(900, 20));
  slurm.run_for(1);
  ASSERT_EQ(slurm.job(first).state, FakeState::suspended);
  EXPECT_TRUE(slurm.run_to_end(1000));
  slurm.run_for(5);
  const timeline::Schedule past = slurm.past().schedule;
  ASSERT_EQ(past.jobs.size(), 2U);
  const auto of_first = stays_of(past, first);
  ASSERT_EQ(of_first.size(), 2U);
  EXPECT_EQ(of_first[0].end, StayEnd::paused);
  EXPECT_NEAR(of_first[0].to - of_first[0].from, 30, 3);
  EXPECT_EQ(of_first[1].begin, StayBegin::resume);
  EXPECT_EQ(of_first[1].end, StayEnd::completed);
  const auto of_second = stays_of(past, second);
  ASSERT_EQ(of_second.size(), 1U);
  EXPECT_EQ(of_second[0].begin, StayBegin::start);
  EXPECT_NEAR(of_second[0].to - of_second[0].from, 20, 3);
  EXPECT_GE(of_first[1].from, of_second[0].to - 3);
  EXPECT_EQ(past.node_names, std::vector<std::string>{slurm.status().nodes[0].name});
}

TEST(ClusterHistory, BeginsAgainWithSlurmctldAndSaysSince) {
  OneNode host(kConf, 1000);
  FakeSlurm& slurm = host.slurm;
  const auto job = slurm.submit(job_of(100, 500));
  slurm.run_for(100);
  const double before = slurm.past().schedule.begin;
  slurm.restart_controller(true);
  slurm.run_for(10);
  const timeline::Schedule past = slurm.past().schedule;
  EXPECT_GE(past.begin, before + 100);
  ASSERT_EQ(stays_of(past, job).size(), 1U);
  EXPECT_EQ(stays_of(past, job)[0].begin, StayBegin::already);
}

}  // namespace
}  // namespace dfrs::shim
