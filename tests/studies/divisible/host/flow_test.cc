// SPDX-License-Identifier: GPL-2.0-or-later
// LEMON's flows against linear programs by GLPK.
#include <gtest/gtest.h>

#include "studies/divisible/host/lemon_flow.h"
#include "studies/divisible/rules/deadlines.h"
#include "tests/studies/divisible/host/random_instance.h"
#include "tests/studies/divisible/host/stretch_lp.h"

namespace dfrs::sim::divisible {
namespace {

using dfrs::divisible::FlowNetwork;
using dfrs::divisible::Platform;
using dfrs::divisible::Task;

TEST(DivisibleFlow, ByHand) {
  // Two ways from 0 to 3, of 2 and 3 units; the first costs 5, the second 1 for a unit.
  FlowNetwork network;
  network.nodes = 4;
  network.source = 0;
  network.sink = 3;
  network.arc(0, 1, 2, 2);
  network.arc(1, 3, 9, 3);
  network.arc(0, 2, 9, 0);
  network.arc(2, 3, 3, 1);
  LemonFlow solver;
  std::vector<std::int64_t> flow;
  std::vector<char> source_side;
  EXPECT_EQ(solver.max_flow(network, flow, source_side), 5);
  EXPECT_EQ(flow, (std::vector<std::int64_t>{2, 2, 3, 3}));
  EXPECT_EQ(source_side, (std::vector<char>{1, 0, 1, 0}));
  EXPECT_TRUE(solver.min_cost_flow(network, 4, flow));
  EXPECT_EQ(flow, (std::vector<std::int64_t>{1, 1, 3, 3}));
  EXPECT_FALSE(solver.min_cost_flow(network, 6, flow));
}

// The jobs of an instance in the middle of things: all there at 7, some partly done.
TEST(DivisibleFlow, System2EqualsGlpk) {
  for (std::uint64_t seed = 1; seed <= 90; ++seed) {
    const Instance instance = random_instance(5000 + seed, 8);
    const Platform platform(instance.clusters, instance.databanks);
    Random random(seed, 99);
    std::vector<Task> tasks;
    std::vector<double> sizes;
    for (std::uint32_t j = 0; j < instance.jobs.size(); ++j) {
      const Job& job = instance.jobs[j];
      const double left = random.uniform() < 0.5 ? 1 : random.uniform(0.1, 1);
      tasks.push_back(
          {j, job.databank, 7, job.release, job.size * left, stretch_weight(platform, job, StretchBasis::platform)});
      sizes.push_back(job.size);
    }
    LemonFlow solver;
    // A little more than the least, so that GLPK's tolerances leave it a solution.
    const double objective = min_objective(platform, tasks, 0, solver) * (1 + 1e-6);
    const auto allocation = allocate_early(platform, tasks, sizes, objective, solver);
    double value = 0;
    std::vector<double> work(tasks.size(), 0);
    for (const auto& part : allocation.parts) {
      const double middle = (allocation.epochs[part.interval] + allocation.epochs[part.interval + 1]) / 2 - 7;
      value += middle * part.work / sizes[part.task];
      work[part.task] += part.work;
      EXPECT_LE(allocation.epochs[part.interval + 1], tasks[part.task].deadline(objective)) << instance.name;
    }
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      EXPECT_NEAR(work[k], tasks[k].work, 1e-9) << instance.name << ", task " << k;
    }
    const double expected = least_mean_instants(platform, tasks, sizes, objective);
    EXPECT_NEAR(value, expected, 1e-6 * expected) << instance.name;
  }
}

}  // namespace
}  // namespace dfrs::sim::divisible
