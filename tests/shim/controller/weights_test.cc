// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shim/fake_slurm.h"

namespace dfrs::shim {
namespace {

using testing::HasSubstr;

class Weights : public testing::Test {
 protected:
  Job& add(std::uint32_t id, std::uint32_t priority, std::uint32_t qos, double fair_share) {
    Job& job = books_.add(id);
    job.phase = DFRS_JOB_PENDING;
    job.priority = priority;
    job.qos_priority = qos;
    job.fair_share = fair_share;
    return job;
  }
  Books books_;
};

TEST_F(Weights, EqualOnesAreOne) {
  const Job& a = add(1, 5000, 7, 0.3);
  const Job& b = add(2, 5000, 7, 0.3);
  for (const WeightRule rule : {WeightRule::none, WeightRule::priority, WeightRule::qos, WeightRule::fair_share}) {
    set_weights(books_, rule);
    EXPECT_EQ(a.weight, 1);
    EXPECT_EQ(b.weight, 1);
  }
}

TEST_F(Weights, AreRelativeToTheMean) {
  const Job& a = add(1, 1000, 0, 0.2);
  const Job& b = add(2, 3000, 3, 0.6);
  set_weights(books_, WeightRule::priority);  // mean 2000
  EXPECT_DOUBLE_EQ(a.weight, 0.5);
  EXPECT_DOUBLE_EQ(b.weight, 1.5);
  set_weights(books_, WeightRule::qos);  // 1 and 4, mean 2.5
  EXPECT_DOUBLE_EQ(a.weight, 0.4);
  EXPECT_DOUBLE_EQ(b.weight, 1.6);
  set_weights(books_, WeightRule::fair_share);  // mean 0.4
  EXPECT_DOUBLE_EQ(a.weight, 0.5);
  EXPECT_DOUBLE_EQ(b.weight, 1.5);
  set_weights(books_, WeightRule::none);
  EXPECT_EQ(b.weight, 1);
}

TEST_F(Weights, HaveBounds) {
  const Job& least = add(1, 1, 0, 0);
  for (std::uint32_t id = 2; id < 40; ++id) add(id, 1000, 0, 0.01);
  const Job& most = add(40, 4'000'000, 0, 1);
  set_weights(books_, WeightRule::priority);
  EXPECT_DOUBLE_EQ(least.weight, 0.1);
  EXPECT_DOUBLE_EQ(most.weight, 10);
  // 0 counts as 0.01: the mean is (39 x 0.01 + 1) / 40 = 0.03475.
  set_weights(books_, WeightRule::fair_share);
  EXPECT_DOUBLE_EQ(least.weight, 0.29);
  EXPECT_DOUBLE_EQ(most.weight, 10);
}

TEST_F(Weights, WhoHasNoValueHasOne) {
  const Job& held = add(1, 0, 0, -1);
  const Job& a = add(2, 1000, 0, 0.2);
  Job& ending = add(3, 9000, 0, 0.9);
  ending.phase = DFRS_JOB_ENDING;
  for (const WeightRule rule : {WeightRule::priority, WeightRule::fair_share}) {
    set_weights(books_, rule);
    EXPECT_EQ(held.weight, 1);
    EXPECT_EQ(a.weight, 1);  // alone it is the mean
  }
}

// Two jobs that want the whole node's CPUs: one of three times the weight gets more of them, in force at the agent.
TEST(WeightsLive, MoreCpuForTheHeavier) {
  FakeSlurm slurm(1, "Partitions=dfrs\nWeight=qos\n");
  slurm.add_nodes(1, 4, 1000);
  slurm.start_controller();
  FakeJob job;
  job.cpus_per_task = 4;
  job.work = 1000;
  const auto light = slurm.submit(job);
  job.qos_priority = 2;
  const auto heavy = slurm.submit(job);
  slurm.run_for(5);
  // 1 and 3, mean 2. As both have just begun, their shares are as the cubes of the weights, 1 to 27 (policy/triage/weights.h).
  EXPECT_DOUBLE_EQ(slurm.job_status(light).weight, 0.5);
  EXPECT_DOUBLE_EQ(slurm.job_status(heavy).weight, 1.5);
  EXPECT_NEAR(slurm.agents.applied(0, light)->cpus, 4.0 / 28, 0.01);
  EXPECT_NEAR(slurm.agents.applied(0, heavy)->cpus, 4 * 27.0 / 28, 0.01);
  EXPECT_THAT(slurm.explain(heavy), HasSubstr("Its weight is 1.5, from a QOS of priority 2."));
  slurm.reconfigure("Partitions=dfrs\n");
  slurm.run_for(30);
  EXPECT_EQ(slurm.job_status(heavy).weight, 1);
  EXPECT_GT(slurm.agents.applied(0, light)->cpus, 1);  // it has waited for more than the other
  EXPECT_THAT(slurm.violations, testing::IsEmpty());
}

}  // namespace
}  // namespace dfrs::shim
