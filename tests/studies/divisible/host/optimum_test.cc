// SPDX-License-Identifier: GPL-2.0-or-later
// The optimal maximum stretch against the paper's own search by linear programs, against every subset of jobs, and
// against every algorithm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "studies/divisible/host/lemon_flow.h"
#include "studies/divisible/host/simulation.h"
#include "studies/divisible/rules/optimal.h"
#include "tests/studies/divisible/host/random_instance.h"
#include "tests/studies/divisible/host/schedule_checker.h"
#include "tests/studies/divisible/host/stretch_lp.h"

namespace dfrs::sim::divisible {
namespace {

using dfrs::divisible::Algorithm;
using dfrs::divisible::JobView;
using dfrs::divisible::Platform;

/// No schedule has a maximum stretch below the optimum by more than this, relative; Offline is above by no more.
constexpr double kStretchTolerance = 1e-8;

double optimum(const Instance& instance, StretchBasis basis) {
  const Platform platform(instance.clusters, instance.databanks);
  std::vector<JobView> jobs;
  for (const Job& job : instance.jobs) {
    jobs.push_back({job.release, job.size, stretch_weight(platform, job, basis), job.databank, job.size, kNever});
  }
  LemonFlow solver;
  return optimal_max_stretch(platform, jobs, solver);
}

/// Work that clusters can do for the jobs of `set` (bits) until deadlines, cluster by cluster.
double room(const Instance& instance, const std::vector<double>& weight, unsigned set, double stretch) {
  double total = 0;
  for (const dfrs::divisible::Cluster& cluster : instance.clusters) {
    std::vector<std::pair<double, double>> windows;
    for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
      const Job& job = instance.jobs[j];
      const bool here = std::binary_search(cluster.databanks.begin(), cluster.databanks.end(), job.databank);
      if ((set >> j & 1U) != 0 && here) windows.push_back({job.release, job.release + stretch / weight[j]});
    }
    std::sort(windows.begin(), windows.end());
    double until = -1;
    for (const auto& [begin, end] : windows) {
      total += cluster.power() * std::max(0.0, end - std::max(begin, until));
      until = std::max(until, end);
    }
  }
  return total;
}

/// By the theorem of Hall: every set of jobs must have room for its work. The least stretch for each, by bisection.
double optimum_by_subsets(const Instance& instance) {
  const Platform platform(instance.clusters, instance.databanks);
  std::vector<double> weight;
  for (const Job& job : instance.jobs) weight.push_back(stretch_weight(platform, job, StretchBasis::platform));
  double stretch = 0;
  for (unsigned set = 1; set < 1U << instance.jobs.size(); ++set) {
    double work = 0;
    for (std::size_t j = 0; j < instance.jobs.size(); ++j) work += (set >> j & 1U) != 0 ? instance.jobs[j].size : 0.0;
    work *= 1 - 1e-14;
    if (room(instance, weight, set, stretch) >= work) continue;
    double low = stretch;
    double high = stretch + 1;
    while (room(instance, weight, set, high) < work) high *= 2;
    while (low + (high - low) / 2 > low && low + (high - low) / 2 < high) {
      const double middle = low + (high - low) / 2;
      (room(instance, weight, set, middle) >= work ? high : low) = middle;
    }
    stretch = high;
  }
  return stretch;
}

TEST(DivisibleOptimum, EqualsWhatEverySetOfJobsNeeds) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Instance instance = random_instance(seed, 7);
    const double expected = optimum_by_subsets(instance);
    EXPECT_NEAR(optimum(instance, StretchBasis::platform), expected, 1e-11 * expected) << instance.name;
  }
}

TEST(DivisibleOptimum, EqualsThePapersSearchOfMilestonesByGlpk) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    if (seed % 3 == 1) continue;  // milestones that nearly coincide are beyond the tolerances of GLPK
    const Instance instance = random_instance(seed, 5);
    const double expected = optimum_by_milestones(instance, StretchBasis::platform);
    EXPECT_NEAR(optimum(instance, StretchBasis::platform), expected, 1e-7 * expected) << instance.name;
  }
}

TEST(DivisibleOptimum, NoAlgorithmBeatsItAndOfflineHasIt) {
  for (std::uint64_t seed = 1; seed <= 240; ++seed) {
    const Instance instance = random_instance(1000 + seed, 14);
    const StretchBasis basis = seed % 4 == 0 ? StretchBasis::reach : StretchBasis::platform;
    const double best = optimum(instance, basis);
    for (const Algorithm algorithm : dfrs::divisible::all_algorithms()) {
      const RunResult run = or_throw(simulate(instance, algorithm, {basis, true}));
      ASSERT_TRUE(check_schedule(instance, run)) << instance.name << ", " << algorithm_name(algorithm);
      const double stretch = measure(instance, run, basis).max_stretch;
      EXPECT_GE(stretch, best * (1 - kStretchTolerance)) << instance.name << ", " << algorithm_name(algorithm);
      if (algorithm != Algorithm::offline) continue;
      EXPECT_LE(stretch, best * (1 + kStretchTolerance)) << instance.name;
    }
  }
}

// What RR-5724's section 5.3 suspects: milestones closer than rounding.
TEST(DivisibleOptimum, LiesBetweenMilestonesThatAllButCoincide) {
  for (const double gap : {0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-9}) {
    // On one machine of speed 1 the two small jobs need [1, 3]; the later of them may end at 1 + gap + F.
    const Instance instance{"close", 1, {{1, 1.0, {0}}}, {{0, 3, 0}, {1, 1, 0}, {1 + gap, 1, 0}}};
    const double expected = 2 - gap;
    EXPECT_NEAR(optimum(instance, StretchBasis::platform), expected, 1e-13) << gap;
    const RunResult run = or_throw(simulate(instance, Algorithm::offline, {}));
    EXPECT_NEAR(measure(instance, run, StretchBasis::platform).max_stretch, expected, 1e-9) << gap;
  }
}

TEST(DivisibleOptimum, GoesWithTheUnits) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Instance instance = random_instance(2000 + seed, 10);
    const double before = optimum(instance, StretchBasis::platform);
    for (Job& job : instance.jobs) job.size *= 1e6;
    for (dfrs::divisible::Cluster& cluster : instance.clusters) cluster.speed *= 1e6;
    EXPECT_NEAR(optimum(instance, StretchBasis::platform), before, 1e-11 * before) << instance.name;
  }
}

// Without restrictions of databanks all clusters are one machine, and SRPT, SPT and so on have no idle instant.
TEST(DivisibleOptimum, ListRulesLeaveNoClusterIdleThatCouldWork) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Instance instance = random_instance(3000 + seed, 12);
    for (dfrs::divisible::Cluster& cluster : instance.clusters) {
      cluster.databanks.clear();
      for (std::uint32_t d = 0; d < instance.databanks; ++d) cluster.databanks.push_back(d);
    }
    double power = 0;
    for (const dfrs::divisible::Cluster& cluster : instance.clusters) power += cluster.power();
    double end = 0;  // of the work on one machine that is never idle while it has some
    for (const Job& job : instance.jobs) end = std::max(end, job.release) + job.size / power;
    for (const Algorithm algorithm : {Algorithm::srpt, Algorithm::swrpt, Algorithm::spt, Algorithm::bender02,
                                      Algorithm::bender98, Algorithm::mct_div, Algorithm::online_egdf}) {
      const RunResult run = or_throw(simulate(instance, algorithm, {}));
      EXPECT_NEAR(*std::max_element(run.completions.begin(), run.completions.end()), end, 1e-7)
          << instance.name << ", " << algorithm_name(algorithm);
    }
  }
}

// MCT-DIV in the paper's words: an arriving job is divided so that it ends on all its clusters at one instant, behind
// what they have.
TEST(DivisibleOptimum, MctDivFillsClustersToOneLevel) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Instance instance = random_instance(4000 + seed, 12);
    const RunResult run = or_throw(simulate(instance, Algorithm::mct_div, {}));
    std::vector<double> ready(instance.clusters.size(), 0);
    for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
      const Job& job = instance.jobs[j];
      double low = job.release;
      double high = job.release + 1e6;
      for (int step = 0; step < 100; ++step) {
        const double level = (low + high) / 2;
        double room = 0;
        for (std::size_t c = 0; c < ready.size(); ++c) {
          const auto& held = instance.clusters[c].databanks;
          if (!std::binary_search(held.begin(), held.end(), job.databank)) continue;
          room += instance.clusters[c].power() * std::max(0.0, level - std::max(job.release, ready[c]));
        }
        (room >= job.size ? high : low) = level;
      }
      for (std::size_t c = 0; c < ready.size(); ++c) {
        const auto& held = instance.clusters[c].databanks;
        if (std::binary_search(held.begin(), held.end(), job.databank)) ready[c] = std::max(ready[c], high);
      }
      EXPECT_NEAR(run.completions[j], high, 1e-7) << instance.name << ", job " << j;
    }
  }
}

}  // namespace
}  // namespace dfrs::sim::divisible
