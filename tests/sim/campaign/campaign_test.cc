// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/campaign.h"

#include <gtest/gtest.h>

#include <vector>

#include "policy/algorithm.h"
#include "sim/errors.h"
#include "sim/workload/lublin.h"

namespace dfrs::sim {
namespace {

std::vector<Instance> some_instances() {
  std::vector<Instance> instances;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    LublinOptions options;
    options.seed = seed;
    options.jobs = 60;
    options.nodes = 16;
    instances.push_back(lublin_instance(options));
  }
  return instances;
}

// OPT=AVG calls GLPK, which keeps state per thread: the solver must not be shared among them.
std::vector<Algorithm> some_algorithms() {
  std::vector<Algorithm> algorithms;
  for (const char* name : {"EASY", "GreedyPM*/per/OPT=MIN/MINVT=600", "Greedy*/OPT=AVG"})
    algorithms.push_back(parse_algorithm(name).value());
  return algorithms;
}

TEST(CampaignThreads, GiveTheResultsOfOneThread) {
  const std::vector<Instance> instances = some_instances();
  const std::vector<Algorithm> algorithms = some_algorithms();
  const auto results = [&](unsigned threads) {
    CampaignOptions options;
    options.threads = threads;
    std::vector<std::size_t> reported;
    options.progress = [&](std::size_t done, std::size_t total) {
      EXPECT_EQ(total, 12U);
      reported.push_back(done);
    };
    std::vector<ResultRow> rows = run_campaign(instances, algorithms, options);
    EXPECT_EQ(reported.size(), 12U) << "progress is told once for each simulation";
    for (ResultRow& row : rows) row.cpu_seconds = 0;  // the only value that differs from run to run
    return rows;
  };
  const std::vector<ResultRow> one = results(1);
  ASSERT_EQ(one.size(), 12U);
  EXPECT_EQ(one[0].instance, "lublin-1");
  EXPECT_EQ(one[0].algorithm, "EASY");
  EXPECT_EQ(one[2].instance, "lublin-1");
  EXPECT_EQ(one[3].instance, "lublin-2");
  EXPECT_EQ(results_csv(results(4)), results_csv(one));
}

TEST(CampaignThreads, ThrowTheFirstFailure) {
  std::vector<Instance> instances = some_instances();
  // A job that needs more memory than any node has: no algorithm can ever run it.
  for (const std::size_t broken : {1U, 3U}) {
    instances[broken].jobs.back().rigid[kMemory] = instances[broken].platform.nodes[0].rigid[kMemory] + 1;
  }
  CampaignOptions options;
  options.threads = 4;
  EXPECT_THROW(run_campaign(instances, some_algorithms(), options), Failure);
}

}  // namespace
}  // namespace dfrs::sim
