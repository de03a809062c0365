// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/host/experiment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace dfrs::sim {
namespace {

TEST(GangWorkload, HasTheMomentsOfThePaper) {
  for (const auto& [q, mean] : {std::pair{0.25, 20.5}, {0.5, 16.5}, {0.75, 12.5}}) {
    GangWorkloadOptions options;
    options.small_probability = q;
    options.arrival_rate = 2.5;
    options.service_rate = 0.5;
    EXPECT_DOUBLE_EQ(options.mean_tasks(), mean);
    RandomGangs gangs(options, 3, 0);
    constexpr int kJobs = 40'000;
    double tasks = 0, execution = 0, square = 0;
    int small = 0;
    Seconds last = 0;
    std::set<std::uint32_t> sizes;
    for (int k = 0; k < kJobs; ++k) {
      const GangJob job = gangs.next().value();
      ASSERT_GE(job.arrival, last);
      last = job.arrival;
      tasks += job.tasks;
      execution += job.execution;
      square += job.execution * job.execution;
      if (job.tasks <= 16) ++small;
      sizes.insert(job.tasks);
    }
    // Within five standard deviations of a mean.
    EXPECT_NEAR(tasks / kJobs, mean, 5 * 9.3 / std::sqrt(kJobs));
    EXPECT_NEAR(small / double{kJobs}, q, 5 * 0.5 / std::sqrt(kJobs));
    EXPECT_NEAR(last / kJobs, 1 / 2.5, 5 * 0.4 / std::sqrt(kJobs));
    EXPECT_NEAR(execution / kJobs, 2, 5 * 2 / std::sqrt(kJobs));
    EXPECT_NEAR(square / kJobs, 8, 5 * 18 / std::sqrt(kJobs)) << "exponential: E[X^2] = 2 E[X]^2";
    EXPECT_EQ(sizes.size(), 32U);
    EXPECT_EQ(*sizes.rbegin(), 32U);
  }
}

TEST(GangWorkload, SetupDelaysAreUniform) {
  RandomSetupDelays setups({}, 5, 2);
  double sum = 0, most = 0;
  for (int k = 0; k < 10'000; ++k) {
    const double delay = setups.next();
    ASSERT_GE(delay, 0);
    ASSERT_LT(delay, 0.2);
    sum += delay;
    most = std::max(most, delay);
  }
  EXPECT_NEAR(sum / 10'000, 0.1, 5 * 0.0578 / 100);
  EXPECT_GT(most, 0.199);
}

TEST(GangWorkload, ReplicationsDifferAndSeedsRepeat) {
  const auto first = [](std::uint64_t seed, std::uint64_t replication) {
    return RandomGangs({}, seed, replication).next()->arrival;
  };
  EXPECT_EQ(first(1, 0), first(1, 0));
  EXPECT_NE(first(1, 0), first(1, 1));
  EXPECT_NE(first(1, 0), first(2, 0));
  // Rates and sizes do not shift one another's streams.
  GangWorkloadOptions other;
  other.small_probability = 0.9;
  EXPECT_EQ(RandomGangs(other, 1, 0).next()->arrival, first(1, 0));
}

std::vector<GangExperiment> two_schedulers() {
  std::vector<GangExperiment> experiments(2);
  experiments[1].options.policy.scheduler = gang::Scheduler::ljfs;
  for (GangExperiment& e : experiments) e.options.jobs = 500;
  return experiments;
}

TEST(GangExperiment, IsTheSameOnAnyNumberOfThreads) {
  const auto experiments = two_schedulers();
  ReplicationOptions options;
  options.replications = 3;
  options.threads = 1;
  std::vector<std::size_t> told;
  options.progress = [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 6U);
    told.push_back(done);
  };
  const auto one = or_throw(replicate(experiments, options));
  EXPECT_EQ(told, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
  ASSERT_EQ(one.size(), 2U);
  ASSERT_EQ(one[0].size(), 3U);
  options.progress = {};
  options.threads = 3;
  const auto again = or_throw(replicate(experiments, options));
  for (std::size_t e = 0; e < 2; ++e) {
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_EQ(one[e][r].mean_response, again[e][r].mean_response);
      EXPECT_EQ(one[e][r].lease_time, again[e][r].lease_time);
      EXPECT_EQ(one[e][r].migrated_tasks, again[e][r].migrated_tasks);
      EXPECT_EQ(one[e][r].finished, 500U);
    }
  }
  EXPECT_NE(one[0][0].mean_response, one[0][1].mean_response);
  EXPECT_NE(one[0][0].mean_response, one[1][0].mean_response);
  options.seed = 2;
  EXPECT_NE(or_throw(replicate(experiments, options))[0][0].mean_response, one[0][0].mean_response);
}

TEST(GangExperiment, CostPerformanceIsNegativeWhereTheBaseIsBetter) {
  EXPECT_NEAR(cost_performance(10, 2, 11, 2.1), -0.15, 1e-12);
  EXPECT_NEAR(cost_performance(10, 2, 9, 2.1), 0.05, 1e-12);
  EXPECT_DOUBLE_EQ(cost_performance(10, 2, 10, 2), 0);
}

TEST(GangExperiment, CostPerformanceOfReplications) {
  const auto run = [](double lease, double response) {
    GangMetrics m;
    m.lease_time = lease;
    m.mean_response = response;
    return m;
  };
  // Of the means: (15 - 16.5) / 15 + 0. Paired: -0.1 and -0.1.
  const std::vector<GangMetrics> base{run(10, 2), run(20, 2)};
  const std::vector<GangMetrics> other{run(11, 2), run(22, 2)};
  const ConfidenceInterval i = cost_performance(base, other);
  EXPECT_DOUBLE_EQ(i.mean, -0.1);
  EXPECT_NEAR(i.half_width, 0, 1e-12);
  // Of the means, not the mean of ratios: 16 and 15 are the means of lease times.
  const ConfidenceInterval j = cost_performance(base, std::vector<GangMetrics>{run(12, 2), run(20, 2)});
  EXPECT_DOUBLE_EQ(j.mean, -1.0 / 15);
  EXPECT_NEAR(j.half_width, 12.7062 * 0.1414214 / std::sqrt(2.0), 1e-4);
}

}  // namespace
}  // namespace dfrs::sim
