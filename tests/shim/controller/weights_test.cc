// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/shim/one_node.h"

namespace dfrs::shim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Weights : public testing::Test {
 protected:
  Job& add(std::uint32_t id, std::uint32_t priority, std::uint32_t qos, double fair_share) {
    Job& job = jobs_.add(id);
    job.facts.phase = DFRS_JOB_PENDING;
    job.facts.priority = priority;
    job.facts.qos_priority = qos;
    job.facts.fair_share = fair_share;
    return job;
  }
  void set(WeightRule rule) {
    changes_ = {};
    set_weights(jobs_, rule, changes_);
  }
  JobTable jobs_;
  Changes changes_;
};

TEST_F(Weights, EqualOnesAreOne) {
  const Job& a = add(1, 5000, 7, 0.3);
  const Job& b = add(2, 5000, 7, 0.3);
  for (const WeightRule rule : {WeightRule::none, WeightRule::priority, WeightRule::qos, WeightRule::fair_share}) {
    set(rule);
    EXPECT_EQ(a.policy.weight, 1);
    EXPECT_EQ(b.policy.weight, 1);
  }
}

TEST_F(Weights, AreRelativeToTheMean) {
  const Job& a = add(1, 1000, 0, 0.2);
  const Job& b = add(2, 3000, 3, 0.6);
  set(WeightRule::priority);  // mean 2000
  EXPECT_DOUBLE_EQ(a.policy.weight, 0.5);
  EXPECT_DOUBLE_EQ(b.policy.weight, 1.5);
  set(WeightRule::qos);  // 1 and 4, mean 2.5
  EXPECT_DOUBLE_EQ(a.policy.weight, 0.4);
  EXPECT_DOUBLE_EQ(b.policy.weight, 1.6);
  set(WeightRule::fair_share);  // mean 0.4
  EXPECT_DOUBLE_EQ(a.policy.weight, 0.5);
  EXPECT_DOUBLE_EQ(b.policy.weight, 1.5);
  set(WeightRule::none);
  EXPECT_EQ(b.policy.weight, 1);
}

TEST_F(Weights, HaveBounds) {
  const Job& least = add(1, 1, 0, 0);
  for (std::uint32_t id = 2; id < 40; ++id) add(id, 1000, 0, 0.01);
  const Job& most = add(40, 4'000'000, 0, 1);
  set(WeightRule::priority);
  EXPECT_DOUBLE_EQ(least.policy.weight, 0.1);
  EXPECT_DOUBLE_EQ(most.policy.weight, 10);
  // 0 counts as 0.01: the mean is (39 x 0.01 + 1) / 40 = 0.03475.
  set(WeightRule::fair_share);
  EXPECT_DOUBLE_EQ(least.policy.weight, 0.29);
  EXPECT_DOUBLE_EQ(most.policy.weight, 10);
}

TEST_F(Weights, WhoHasNoValueHasOne) {
  const Job& held = add(1, 0, 0, -1);
  const Job& a = add(2, 1000, 0, 0.2);
  Job& ending = add(3, 9000, 0, 0.9);
  ending.facts.phase = DFRS_JOB_ENDING;
  for (const WeightRule rule : {WeightRule::priority, WeightRule::fair_share}) {
    set(rule);
    EXPECT_EQ(held.policy.weight, 1);
    EXPECT_EQ(a.policy.weight, 1);  // alone it is the mean
  }
}

// Jobs that come or go change the mean: that is no change of the others.
TEST_F(Weights, ThoseThatChangeAreNamed) {
  Job& a = add(1, 1000, 0, 0.2);
  Job& b = add(2, 3000, 3, -1);
  set(WeightRule::priority);
  EXPECT_THAT(changes_.changed, ElementsAre(&a, &b));
  set(WeightRule::priority);
  EXPECT_THAT(changes_.changed, IsEmpty());
  Job& c = add(3, 8000, 3, 0.2);
  set(WeightRule::priority);
  EXPECT_THAT(changes_.changed, ElementsAre(&c));
  EXPECT_DOUBLE_EQ(a.policy.weight, 0.25);  // mean 4000
  b.facts.priority = 9000;
  set(WeightRule::priority);
  EXPECT_THAT(changes_.changed, ElementsAre(&b));
  set(WeightRule::fair_share);
  EXPECT_THAT(changes_.changed, ElementsAre(&a, &b, &c));
  b.facts.fair_share = std::numeric_limits<double>::quiet_NaN();  // no valid value, and no change each time either
  set(WeightRule::fair_share);
  EXPECT_THAT(changes_.changed, IsEmpty());
  EXPECT_EQ(b.policy.weight, 1);
  c.facts.phase = DFRS_JOB_ENDING;
  set(WeightRule::none);
  EXPECT_THAT(changes_.changed, ElementsAre(&a, &c));
}

// Two jobs want all CPUs of a node: the one with three times the weight gets more of them, as applied by the agent.
TEST(WeightsLive, MoreCpuForTheHeavier) {
  OneNode host("Partitions=dfrs\nWeight=qos\n");
  FakeSlurm& slurm = host.slurm;
  slurm.agents.set_swap(10'000);
  FakeJob job;
  job.cpus_per_task = 4;
  job.work = 1000;
  const auto light = slurm.submit(job);
  job.qos_priority = 2;
  const auto heavy = slurm.submit(job);
  slurm.run_for(5);
  // 1 and 3, mean 2. As both have just begun, their shares are as the cubes of the weights, 1 to 27
  // (policy/triage/weights.h).
  EXPECT_DOUBLE_EQ(slurm.job_status(light).weight, 0.5);
  EXPECT_DOUBLE_EQ(slurm.job_status(heavy).weight, 1.5);
  EXPECT_NEAR(slurm.agents.applied(0, light)->cpus, 4.0 / 28, 0.01);
  EXPECT_NEAR(slurm.agents.applied(0, heavy)->cpus, 4 * 27.0 / 28, 0.01);
  EXPECT_THAT(slurm.explain(heavy), HasSubstr(" is 1.5, from a QOS of priority 2."));
  slurm.reconfigure("Partitions=dfrs\n");
  slurm.run_for(30);
  EXPECT_EQ(slurm.job_status(heavy).weight, 1);
  EXPECT_GT(slurm.agents.applied(0, light)->cpus, 1);  // it has waited longer than the other
  EXPECT_THAT(slurm.violations, IsEmpty());
}

// Without swap neither may ever be paused: shares are as the weights themselves.
TEST(WeightsLive, SharesAreAsWeightsWithoutSwap) {
  OneNode host("Partitions=dfrs\nWeight=qos\n");
  FakeJob job;
  job.cpus_per_task = 4;
  job.work = 1000;
  const auto light = host.slurm.submit(job);
  job.qos_priority = 2;
  const auto heavy = host.slurm.submit(job);
  host.slurm.run_for(5);
  EXPECT_NEAR(host.slurm.agents.applied(0, light)->cpus, 1, 0.01);
  EXPECT_NEAR(host.slurm.agents.applied(0, heavy)->cpus, 3, 0.01);
}

// Long after their start, when the policy would use the weights again only minutes later.
TEST(WeightsLive, AChangeIsFollowedAtOnce) {
  for (const char* rule : {"qos", "priority", "fairshare"}) {
    OneNode host("Partitions=dfrs\nWeight=" + std::string(rule) + "\n");
    FakeSlurm& slurm = host.slurm;
    FakeJob job = job_of(400, 100000);
    job.fair_share = 0.2;
    const auto one = slurm.submit(job), other = slurm.submit(job);
    slurm.run_for(720);
    const double before = slurm.agents.applied(0, one)->cpus;
    EXPECT_NEAR(before, 2, 0.01) << rule;
    slurm.job(one).qos_priority = 3;
    slurm.job(one).priority = 4000;
    slurm.job(one).fair_share = 0.8;
    slurm.run_for(3);
    EXPECT_DOUBLE_EQ(slurm.job_status(one).weight, 1.6) << rule;
    EXPECT_DOUBLE_EQ(slurm.job_status(other).weight, 0.4) << rule;
    EXPECT_GT(slurm.agents.applied(0, one)->cpus, 3) << rule;
    EXPECT_LT(slurm.agents.applied(0, other)->cpus, 1) << rule;
    EXPECT_THAT(slurm.violations, IsEmpty());
  }
}

// Batch policies use no weights and get no events about them.
TEST(WeightsLive, BatchPoliciesDoWithout) {
  OneNode host("Algorithm=EASY\nPartitions=dfrs\nWeight=qos\n", 4000);
  FakeSlurm& slurm = host.slurm;
  const auto one = slurm.submit(job_of(400, 1000));
  slurm.submit(job_of(400, 1000));
  slurm.run_for(10);
  slurm.job(one).qos_priority = 3;
  slurm.run_for(10);
  EXPECT_GT(slurm.job_status(one).weight, 1);
  EXPECT_EQ(slurm.status().errors, 0U);
  EXPECT_EQ(slurm.status().resyncs, 1U) << "the first step";
}

}  // namespace
}  // namespace dfrs::shim
