// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "sim/errors.h"
#include "tests/sim/bound/deadline_flow.h"
#include "tests/sim/bound/random_instance.h"
#include "tests/sim/bound/stretch_lp.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

Job make_job(Seconds submit, Seconds run_time, int tasks = 1, double cpu_need = 1) {
  Job job;
  job.submit = submit;
  job.run_time = run_time;
  job.estimate = run_time;
  job.tasks = tasks;
  job.cpu_need = cpu_need;
  return job;
}

Instance make_instance(std::size_t nodes, std::vector<Job> jobs) {
  Instance instance;
  instance.platform = Platform::homogeneous(nodes, 1024);
  instance.jobs = std::move(jobs);
  return instance;
}

void expect_bounds(const Instance& instance, double divisible, double ls1, const BoundOptions& options = {}) {
  EXPECT_NEAR(or_throw(stretch_lower_bound(instance, BoundKind::divisible, options)), divisible, 1e-12 * divisible);
  EXPECT_NEAR(or_throw(stretch_lower_bound(instance, BoundKind::ls1, options)), ls1, 1e-12 * ls1);
}

TEST(Bound, OfNoWorkIsOne) {
  expect_bounds(make_instance(3, {}), 1, 1);
  expect_bounds(make_instance(3, {make_job(0, 0), make_job(5, 0, 100)}), 1, 1);
  expect_bounds(make_instance(0, {make_job(0, 0)}), 1, 1);
}

TEST(Bound, OfOneJobIsOne) {
  expect_bounds(make_instance(3, {make_job(7, 1234.5, 3)}), 1, 1);
  expect_bounds(make_instance(3, {make_job(7, 0.001)}), 1, 1);
  expect_bounds(make_instance(3, {make_job(7, 0.001)}), 1, 1, {.stretch_floor = 0});
}

TEST(Bound, OfOneJobLargerThanThePlatform) {
  // Five tasks of 100 s on two nodes take 250 s.
  expect_bounds(make_instance(2, {make_job(7, 100, 5)}), 2.5, 2.5);
}

// n equal jobs at once on one node: the last ends at n p.
TEST(Bound, OfEqualJobsReleasedTogether) {
  for (const int n : {2, 3, 50})
    expect_bounds(make_instance(1, std::vector<Job>(static_cast<std::size_t>(n), make_job(3, 60))), n, n);
}

// Jobs of 60 and 30 s at once: 30 s after 30 s, stretch 1, then the other at 90 s, stretch 1.5. The other way round 3.
TEST(Bound, RunsTheShorterJobFirst) { expect_bounds(make_instance(1, {make_job(0, 60), make_job(0, 30)}), 1.5, 1.5); }

// A job of 12 s arriving 90 s into one of 100 s, on one node: S with 112 <= max(100 S, 90 + 12 S) is 1.12 (the new job
// first). Of 40 s: 140 <= max(100 S, 90 + 40 S) is 1.25 (the old job first, until 100 s; the new one from there to 140
// s).
TEST(Bound, WeighsAJobArrivingLate) {
  expect_bounds(make_instance(1, {make_job(0, 100), make_job(90, 12)}), 1.12, 1.12);
  expect_bounds(make_instance(1, {make_job(0, 100), make_job(90, 40)}), 1.25, 1.25);
}

// Two nodes, jobs of one task: 100 s and 100 s, and 100 s. Fluid shares: 3 jobs of rate 1 on 2 nodes end at 150 s.
TEST(Bound, SharesNodesAmongFluidTasks) {
  expect_bounds(make_instance(2, {make_job(0, 100), make_job(0, 100), make_job(0, 100)}), 1.5, 1.5);
}

// Two nodes; tasks of 4 x 100 s and 1 x 50 s, or 2 x 100 s and 1 x 100 s: the wide job can use whatever the other
// leaves, so that the work, 450 and 300 core-seconds, ends by 225 and 150 s.
TEST(Bound, WideJobsFillThePlatform) {
  expect_bounds(make_instance(2, {make_job(0, 100, 4), make_job(0, 50)}), 2.25, 2.25);
  expect_bounds(make_instance(2, {make_job(0, 100, 2), make_job(0, 100)}), 1.5, 1.5);
}

// Two nodes. At 0 a one-task job of 100 s; at 50 s a two-task job of 50 s. Divisible: the first uses both nodes and
// ends at 50 s, then the second ends at 100 s. With rates, 150 core-seconds are left at 50 s; until the wide job's
// deadline there are two nodes for them, then one until 100 S: 2 (50 S) + (100 S - 50 - 50 S) = 150 for S = 4/3.
TEST(Bound, RateLimitMatters) {
  const Instance instance = make_instance(2, {make_job(0, 100), make_job(50, 50, 2)});
  expect_bounds(instance, 1, 4.0 / 3);
  // Need 0.25 in place of 1, with four times the tasks, is the same rate.
  expect_bounds(make_instance(2, {make_job(0, 100, 4, 0.25), make_job(50, 50, 8, 0.25)}), 1, 4.0 / 3);
}

// Floor 10 s: fifteen jobs of 1 s at once on one node end by 15 s, a stretch of 1.5; 15 without a floor, 1 with one
// of 30.
TEST(Bound, FloorsShortJobs) {
  const Instance instance = make_instance(1, std::vector<Job>(15, make_job(0, 1)));
  expect_bounds(instance, 1.5, 1.5);
  expect_bounds(instance, 15, 15, {.stretch_floor = 0});
  expect_bounds(instance, 1, 1, {.stretch_floor = 30});
}

TEST(Bound, CountsEveryNodesCapacity) {
  Instance instance = make_instance(1, {make_job(0, 100), make_job(0, 100), make_job(0, 100)});
  NodeSpec fast;
  fast.cpu = 1.5;
  instance.platform.nodes.push_back(fast);
  expect_bounds(instance, 1.2, 1.2);
}

TEST(Bound, IgnoresTheOrderOfJobs) {
  Instance instance = make_instance(2, {make_job(50, 50, 2), make_job(0, 100)});
  expect_bounds(instance, 1, 4.0 / 3);
}

TEST(Bound, BothAtOnceAreTheSame) {
  const Instance instance = make_instance(2, {make_job(0, 100), make_job(50, 50, 2)});
  const StretchBounds bounds = or_throw(stretch_lower_bounds(instance));
  EXPECT_EQ(bounds.divisible, or_throw(stretch_lower_bound(instance, BoundKind::divisible)));
  EXPECT_EQ(bounds.ls1, or_throw(stretch_lower_bound(instance, BoundKind::ls1)));
}

TEST(Bound, RejectsWhatHasNoBound) {
  const auto bound = [](const Instance& instance, Seconds floor = 10) {
    return stretch_lower_bound(instance, BoundKind::ls1, {.stretch_floor = floor});
  };
  EXPECT_EQ(code_of(bound(make_instance(0, {make_job(0, 1)}))), kExitInput);
  EXPECT_EQ(code_of(bound(make_instance(1, {make_job(std::nan(""), 1)}))), kExitInput);
  EXPECT_EQ(code_of(bound(make_instance(1, {make_job(0, -1)}))), kExitInput);
  EXPECT_EQ(code_of(bound(make_instance(1, {make_job(0, std::numeric_limits<double>::infinity())}))), kExitInput);
  EXPECT_EQ(code_of(bound(make_instance(1, {make_job(0, 1, 0)}))), kExitInput);
  EXPECT_EQ(code_of(bound(make_instance(1, {make_job(0, 1, 1, 0)}))), kExitInput);
  EXPECT_EQ(code_of(bound(make_instance(1, {make_job(0, 1)}), -1)), kExitUsage);
  EXPECT_EQ(code_of(bound(make_instance(1, {make_job(0, 1)}), std::nan(""))), kExitUsage);
}

TEST(Bound, Names) {
  EXPECT_EQ(bound_kind_name(BoundKind::divisible), "divisible");
  EXPECT_EQ(bound_kind_name(BoundKind::ls1), "ls1");
}

// Linear System (1), written down as in the paper and solved by GLPK, with bisection on the stretch.
TEST(Bound, AgreesWithTheLinearProgram) {
  int above_one = 0;
  int rates_matter = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Instance instance = random_instance(random, 2 + seed % 8);
    const BoundOptions options{.stretch_floor = seed % 3 * 5.0};
    const StretchBounds bounds = or_throw(stretch_lower_bounds(instance, options));
    const double divisible = solve_stretch_lp(instance, BoundKind::divisible, options);
    const double ls1 = solve_stretch_lp(instance, BoundKind::ls1, options);
    EXPECT_NEAR(bounds.divisible, divisible, 1e-6 * divisible);
    EXPECT_NEAR(bounds.ls1, ls1, 1e-6 * ls1);
    above_one += bounds.divisible > 1;
    rates_matter += bounds.ls1 > bounds.divisible * 1.001;
  }
  // The instances are not all easy.
  EXPECT_GT(above_one, 100);
  EXPECT_GT(rates_matter, 50);
}

// More jobs than a linear program could handle, checked with a general maximum flow code. Just above the bound every
// job can meet its deadline, just below not.
TEST(Bound, AgreesWithAMaximumFlow) {
  int above_one = 0;
  int rates_matter = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Instance instance = random_instance(random, 10 + seed % 120);
    if (seed % 2 == 0) {
      // Neither whole seconds nor needs that add up to whole nodes, and run times over orders of magnitude.
      for (Job& job : instance.jobs) {
        job.run_time *= std::exp(static_cast<double>(random() % 1000) / 250);
        job.cpu_need *= static_cast<double>(1 + random() % 997) / 997;
        job.submit *= 6.1;
      }
    }
    const StretchBounds bounds = or_throw(stretch_lower_bounds(instance));
    for (const auto& [kind, bound] :
         {std::pair{BoundKind::divisible, bounds.divisible}, {BoundKind::ls1, bounds.ls1}}) {
      EXPECT_TRUE(meets_deadlines(instance, kind, {}, bound * (1 + 1e-9))) << bound_kind_name(kind) << ' ' << bound;
      if (bound > 1) {
        EXPECT_FALSE(meets_deadlines(instance, kind, {}, bound * (1 - 1e-9))) << bound_kind_name(kind) << ' ' << bound;
      }
    }
    above_one += bounds.divisible > 1;
    rates_matter += bounds.ls1 > bounds.divisible * 1.001;
  }
  EXPECT_GT(above_one, 100);
  EXPECT_GT(rates_matter, 50);
}

TEST(Bound, HoldsItsOrder) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const StretchBounds bounds = or_throw(stretch_lower_bounds(random_instance(random, 150)));
    EXPECT_GE(bounds.divisible, 1);
    EXPECT_GE(bounds.ls1, bounds.divisible);
  }
}

// Time in other units, or later, is the same problem; so is CPU in other units.
TEST(Bound, DoesNotDependOnUnits) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Instance instance = random_instance(random, 60);
    const StretchBounds bounds = or_throw(stretch_lower_bounds(instance));
    Instance scaled = instance;
    for (Job& job : scaled.jobs) {
      job.submit = 3 * job.submit + 1e6;
      job.run_time *= 3;
      job.cpu_need *= 0.7;
    }
    for (NodeSpec& node : scaled.platform.nodes) node.cpu *= 0.7;
    const StretchBounds again = or_throw(stretch_lower_bounds(scaled, {.stretch_floor = 30}));
    EXPECT_NEAR(again.divisible, bounds.divisible, 1e-9 * bounds.divisible);
    EXPECT_NEAR(again.ls1, bounds.ls1, 1e-9 * bounds.ls1);
  }
}

// Removing a job cannot make the others worse off.
TEST(Bound, DoesNotGrowWithFewerJobs) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Instance instance = random_instance(random, 40);
    double last = std::numeric_limits<double>::infinity();
    while (!instance.jobs.empty()) {
      const double bound = or_throw(stretch_lower_bound(instance, BoundKind::ls1));
      EXPECT_LE(bound, last * (1 + 1e-9));
      last = bound;
      instance.jobs.erase(instance.jobs.begin() + static_cast<std::ptrdiff_t>(random() % instance.jobs.size()));
    }
  }
}

/// Maximum stretch of a simple feasible schedule: first come, first served, a node per task, no sharing.
double fcfs_stretch(const Instance& instance, Seconds floor) {
  std::vector<Seconds> free_at(instance.platform.nodes.size(), 0);
  double worst = 1;
  Seconds last_start = 0;
  for (const Job& job : instance.jobs) {
    std::sort(free_at.begin(), free_at.end());
    const auto tasks = static_cast<std::size_t>(job.tasks);
    const Seconds start = std::max({job.submit, last_start, free_at[tasks - 1]});
    std::fill_n(free_at.begin(), tasks, start + job.run_time);
    last_start = start;
    const Seconds turnaround = start + job.run_time - job.submit;
    worst = std::max(worst, std::max(turnaround, floor) / std::max(job.run_time, floor));
  }
  return worst;
}

TEST(Bound, IsBelowAnActualSchedule) {
  int congested = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Instance instance = random_instance(random, 1 + seed % 60);
    const auto nodes = static_cast<int>(instance.platform.nodes.size());
    for (Job& job : instance.jobs) job.tasks = std::min(job.tasks, nodes);
    const double reached = fcfs_stretch(instance, 10);
    EXPECT_LE(or_throw(stretch_lower_bound(instance, BoundKind::ls1)), reached * (1 + 1e-9));
    congested += reached > 1;
  }
  EXPECT_GT(congested, 100);
}

}  // namespace
}  // namespace dfrs::sim
