// SPDX-License-Identifier: GPL-2.0-or-later
// Readings of what RR-5724 leaves open: schedules computed by hand, and properties.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "studies/divisible/host/generator.h"
#include "studies/divisible/host/lemon_flow.h"
#include "studies/divisible/host/simulation.h"
#include "studies/divisible/rules/optimal.h"
#include "tests/studies/divisible/host/random_instance.h"
#include "tests/studies/divisible/host/schedule_checker.h"

namespace dfrs::sim::divisible {
namespace {

using dfrs::divisible::Algorithm;
using dfrs::divisible::Bender02Instants;
using dfrs::divisible::Bender02Reading;
using dfrs::divisible::JobView;
using dfrs::divisible::MctDivReading;
using dfrs::divisible::OfflineReading;
using dfrs::divisible::Platform;
using dfrs::divisible::Readings;
using Times = std::vector<double>;

Instance one_processor(std::vector<Job> jobs) { return {"one", 1, {{1, 1.0, {0}}}, std::move(jobs)}; }

// Cluster 0 of power 1 holds both databanks, cluster 1 of power 2 holds databank 1 alone.
Instance two_clusters(std::vector<Job> jobs) { return {"two", 2, {{1, 1.0, {0, 1}}, {2, 1.0, {1}}}, std::move(jobs)}; }

void expect_times(const Instance& instance, Algorithm algorithm, const Readings& readings, const Times& expected) {
  const RunResult run = or_throw(simulate(instance, algorithm, {StretchBasis::platform, true, readings}));
  EXPECT_TRUE(check_schedule(instance, run)) << algorithm_name(algorithm);
  ASSERT_EQ(run.completions.size(), expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(run.completions[j], expected[j], 1e-8) << j;
}

TEST(DivisibleReadings, MctDivByHand) {
  // The first has cluster 0 until 3; the second arrives at 1 and needs databank 1, the third at 2 needs databank 0.
  const Instance instance = two_clusters({{0, 3, 0}, {1, 7, 1}, {2, 1, 0}});
  Readings readings;
  expect_times(instance, Algorithm::mct_div, readings, {3, 4, 5});
  // The second keeps to cluster 1, which alone was idle: 7 / 2. Cluster 0 takes the third.
  readings.mct_div = MctDivReading::fixed;
  expect_times(instance, Algorithm::mct_div, readings, {3, 4.5, 4});
  // 7 / 3 on each cluster, on cluster 0 from 3 on; then the third there.
  readings.mct_div = MctDivReading::even;
  expect_times(instance, Algorithm::mct_div, readings, {3, 3 + 7.0 / 3, 4 + 7.0 / 3});
}

TEST(DivisibleReadings, Bender02SizesByHand) {
  Readings readings;
  const auto with = [&](Bender02Reading reading) {
    readings.bender02 = reading;
    return readings;
  };
  // As in the rule's own test, D = 4, and the large one of 1 and 4 waits for a small one.
  const Instance small = one_processor({{0, 4, 0}, {1, 1, 0}, {3, 1, 0}});
  expect_times(small, Algorithm::bender02, with(Bender02Reading::instance), {5, 4, 6});
  // All of them are small beside 1 GB: first come, first served.
  expect_times(small, Algorithm::bender02, with(Bender02Reading::limits), {4, 5, 6});
  // So they are if a job of 100 is known to come.
  const Instance giant = one_processor({{0, 4, 0}, {1, 1, 0}, {3, 1, 0}, {50, 100, 0}});
  expect_times(giant, Algorithm::bender02, with(Bender02Reading::seen), {5, 4, 6, 150});
  expect_times(giant, Algorithm::bender02, with(Bender02Reading::instance), {4, 5, 6, 150});
  // 10 is large beside 1 and 50, which were seen, but small beside 50 alone.
  const Instance gone = one_processor({{0, 1, 0}, {2, 50, 0}, {3, 10, 0}, {20, 10, 0}});
  expect_times(gone, Algorithm::bender02, with(Bender02Reading::seen), {1, 52, 62, 72});
  expect_times(gone, Algorithm::bender02, with(Bender02Reading::active), {1, 62, 30, 72});
}

TEST(DivisibleReadings, Bender02InstantsByHand) {
  Readings readings;
  const auto at = [&](Bender02Instants instants) {
    readings.bender02_instants = instants;
    return readings;
  };
  // The second passes the first where (t - 1) / 2 = t / 4, at 2; the third would at 6, when the first is complete.
  const Instance passing = one_processor({{0, 4, 0}, {1, 1, 0}, {3, 1, 0}});
  expect_times(passing, Algorithm::bender02, at(Bender02Instants::events), {5, 4, 6});
  expect_times(passing, Algorithm::bender02, at(Bender02Instants::always), {5, 3, 6});
  // When the first ends at 1.2, the last has waited 0.4 / 2, the large one 0.7 / 4. At the last release it was 0 to
  // 0.3 / 4.
  const Instance waiting = one_processor({{0, 1.2, 0}, {0.5, 4, 0}, {0.8, 1, 0}});
  expect_times(waiting, Algorithm::bender02, at(Bender02Instants::events), {1.2, 6.2, 2.2});
  expect_times(waiting, Algorithm::bender02, at(Bender02Instants::releases), {1.2, 5.2, 6.2});
}

// No worse than the plan in any deadline, and it never idles where it has work: not later on the whole than the plan.
TEST(DivisibleReadings, OfflineEdfMeetsTheOptimum) {
  double plan = 0;
  double early = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Instance instance = random_instance(7000 + seed, 12);
    const Platform platform(instance.clusters, instance.databanks);
    std::vector<JobView> jobs;
    for (const Job& job : instance.jobs) {
      jobs.push_back(
          {job.release, job.size, stretch_weight(platform, job, StretchBasis::platform), job.databank, job.size});
    }
    LemonFlow solver;
    const double optimum = dfrs::divisible::optimal_max_stretch(platform, jobs, solver);
    Readings readings;
    const Metrics kept =
        measure(instance, or_throw(simulate(instance, Algorithm::offline, {StretchBasis::platform, false})),
                StretchBasis::platform);
    readings.offline = OfflineReading::edf;
    const RunResult run = or_throw(simulate(instance, Algorithm::offline, {StretchBasis::platform, true, readings}));
    EXPECT_TRUE(check_schedule(instance, run)) << instance.name;
    const Metrics metrics = measure(instance, run, StretchBasis::platform);
    EXPECT_LE(metrics.max_stretch, optimum * (1 + 1e-8)) << instance.name;
    plan += kept.sum_stretch;
    early += metrics.sum_stretch;
  }
  EXPECT_LT(early, plan);
}

TEST(DivisibleReadings, GeneratedSizesSpeedsAndPace) {
  std::set<double> speeds;
  std::size_t below = 0;
  std::size_t banks = 0;
  std::size_t slow_jobs = 0;
  std::size_t fast_jobs = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    GeneratorOptions options;
    options.seed = seed;
    options.clusters = 10;
    options.databanks = 10;
    options.reading = DensityReading::processor;
    options.sizes = SizeReading::log_uniform;
    options.speeds = SpeedReading::close;
    const Instance instance = or_throw(generate(options));
    for (const auto& cluster : instance.clusters) speeds.insert(cluster.speed);
    std::set<double> sizes;
    for (const Job& job : instance.jobs) sizes.insert(job.size);
    for (const double size : sizes) {
      EXPECT_GE(size, kLeastDatabank);
      EXPECT_LE(size, kMostDatabank);
      below += size < 100 ? 1 : 0;
      ++banks;
    }
    slow_jobs += instance.jobs.size();
    options.pace = 10;
    const Instance fast = or_throw(generate(options));
    fast_jobs += fast.jobs.size();
    for (std::size_t c = 0; c < fast.clusters.size(); ++c) {
      EXPECT_NEAR(fast.clusters[c].speed, 10 * instance.clusters[c].speed, 1e-12);
    }
  }
  // Half of the range of logarithms; banks without a request are the large ones.
  EXPECT_NEAR(static_cast<double>(below) / static_cast<double>(banks), 0.5, 0.08);
  EXPECT_EQ(std::vector<double>(speeds.begin(), speeds.end()),
            std::vector<double>(kCloseSpeeds.begin(), kCloseSpeeds.end()));
  EXPECT_NEAR(*speeds.rbegin() / *speeds.begin(), 2, 1e-12);
  EXPECT_NEAR(static_cast<double>(fast_jobs) / static_cast<double>(slow_jobs), 10, 0.5);
}

TEST(DivisibleReadings, EqualSharesOfRequests) {
  // Work per databank is the same wherever it is; with DensityReading::processor it follows the clusters that hold it.
  GeneratorOptions options;
  options.clusters = 10;
  options.databanks = 2;
  options.availability = 0.3;
  options.density = 3;
  options.duration = 1e6;
  options.reading = DensityReading::equal;
  const Instance instance = or_throw(generate(options));
  double processors = 0;
  for (const auto& cluster : instance.clusters) processors += cluster.speed;
  Times work(instance.databanks, 0);
  for (const Job& job : instance.jobs) work[job.databank] += job.size;
  for (const double w : work) EXPECT_NEAR(w / (options.duration * 3 * processors / 2), 1, 0.05);
}

}  // namespace
}  // namespace dfrs::sim::divisible
