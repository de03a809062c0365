// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/host/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "sim/errors.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim::divisible {
namespace {

TEST(DivisibleGenerator, HasThe162Configurations) {
  const std::vector<GeneratorOptions> all = rr5724_configurations();
  std::set<std::tuple<int, int, double, double>> distinct;
  for (const GeneratorOptions& c : all) {
    EXPECT_TRUE(c.clusters == 3 || c.clusters == 10 || c.clusters == 20);
    EXPECT_TRUE(c.databanks == 3 || c.databanks == 10 || c.databanks == 20);
    EXPECT_TRUE(c.availability == 0.3 || c.availability == 0.6 || c.availability == 0.9);
    EXPECT_GE(c.density, 0.75);
    EXPECT_LE(c.density, 3);
    distinct.insert({c.clusters, c.databanks, c.availability, c.density});
  }
  EXPECT_EQ(all.size(), 162U);
  EXPECT_EQ(distinct.size(), 162U);
}

TEST(DivisibleGenerator, StaysWithinThePapersRanges) {
  std::set<double> speeds;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    GeneratorOptions options;
    options.seed = seed;
    options.clusters = 10;
    options.databanks = 10;
    options.availability = 0.3;
    const Instance instance = or_throw(generate(options));
    EXPECT_TRUE(check(instance));
    EXPECT_EQ(instance.clusters.size(), 10U);
    for (const auto& cluster : instance.clusters) {
      EXPECT_EQ(cluster.processors, 10);
      speeds.insert(cluster.speed);
    }
    std::vector<double> size(instance.databanks, 0);
    EXPECT_FALSE(instance.jobs.empty());
    for (const Job& job : instance.jobs) {
      EXPECT_GE(job.release, 0);
      EXPECT_LT(job.release, 900);
      EXPECT_GE(job.size, 10);
      EXPECT_LE(job.size, 1000);
      if (size[job.databank] == 0) size[job.databank] = job.size;
      EXPECT_EQ(job.size, size[job.databank]);  // a request reads its whole databank
    }
  }
  EXPECT_EQ(std::vector<double>(speeds.begin(), speeds.end()),
            std::vector<double>(kReferenceSpeeds.begin(), kReferenceSpeeds.end()));
}

TEST(DivisibleGenerator, HasTheAvailabilityAndTheLoadAskedFor) {
  double held = 0;
  double places = 0;
  double load[3] = {0, 0, 0};
  constexpr int kSeeds = 60;
  for (const auto reading : {DensityReading::shared, DensityReading::processor, DensityReading::alone}) {
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      GeneratorOptions options;
      options.seed = seed;
      options.clusters = 10;
      options.databanks = 10;
      options.availability = 0.6;
      options.density = 1.5;
      options.reading = reading;
      const Instance instance = or_throw(generate(options));
      double power = 0;
      double work = 0;
      for (const auto& cluster : instance.clusters) {
        held += static_cast<double>(cluster.databanks.size());
        places += 10;
        power += cluster.power();
      }
      for (const Job& job : instance.jobs) work += job.size;
      load[static_cast<int>(reading)] += work / (power * 900) / kSeeds;
    }
  }
  EXPECT_NEAR(held / places, 0.6, 0.02);  // 6000 draws: SD 0.006
  EXPECT_NEAR(load[0], 1.5, 0.075);
  EXPECT_NEAR(load[1], 0.15, 0.015);
  EXPECT_NEAR(load[2], 9, 0.45);  // 1.5 x 10 x 0.6
}

TEST(DivisibleGenerator, InterarrivalByHand) {
  // Requests of 100 MB, 20 MB/s available: at density 0.5 one in 10 s.
  EXPECT_DOUBLE_EQ(mean_interarrival(100, 20, 0.5), 10);
}

TEST(DivisibleGenerator, IsReproducibleAndItsStreamsAreIndependent) {
  GeneratorOptions options;
  EXPECT_EQ(or_throw(generate(options)), or_throw(generate(options)));
  GeneratorOptions more = options;
  more.databanks = 20;
  const Instance a = or_throw(generate(options));
  const Instance b = or_throw(generate(more));
  for (std::size_t c = 0; c < a.clusters.size(); ++c) EXPECT_EQ(a.clusters[c].speed, b.clusters[c].speed);
  GeneratorOptions other = options;
  other.seed = 2;
  EXPECT_NE(or_throw(generate(options)).jobs, or_throw(generate(other)).jobs);
}

TEST(DivisibleGenerator, PutsEveryDatabankSomewhere) {
  GeneratorOptions options;
  options.availability = 0;
  const Instance instance = or_throw(generate(options));
  std::size_t held = 0;
  for (const auto& cluster : instance.clusters) held += cluster.databanks.size();
  EXPECT_EQ(held, 3U);
  EXPECT_TRUE(check(instance));
}

// Each of three databanks with 0.3, none with 0.343: a site that must hold one has 0.9 / 0.657 of them on average.
TEST(DivisibleGenerator, DrawsEmptySitesAgain) {
  double held = 0;
  double held_if_kept = 0;
  constexpr int kSeeds = 400;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    GeneratorOptions options;
    options.seed = seed;
    options.clusters = 20;
    options.availability = 0.3;
    const Instance kept = or_throw(generate(options));
    options.empty_sites = EmptySites::drawn;
    const Instance drawn = or_throw(generate(options));
    EXPECT_TRUE(check(drawn));
    for (std::size_t c = 0; c < 20; ++c) {
      held += static_cast<double>(drawn.clusters[c].databanks.size()) / (20 * kSeeds);
      held_if_kept += static_cast<double>(kept.clusters[c].databanks.size()) / (20 * kSeeds);
      EXPECT_FALSE(drawn.clusters[c].databanks.empty());
      if (!kept.clusters[c].databanks.empty()) {
        EXPECT_EQ(drawn.clusters[c].databanks, kept.clusters[c].databanks);
      }
    }
  }
  EXPECT_NEAR(held, 0.9 / 0.657, 0.03);  // 8000 draws: SD 0.007
  EXPECT_NEAR(held_if_kept, 0.9, 0.03);
  GeneratorOptions nowhere;
  nowhere.availability = 0;
  nowhere.empty_sites = EmptySites::drawn;
  for (const auto& cluster : or_throw(generate(nowhere)).clusters) EXPECT_FALSE(cluster.databanks.empty());
}

TEST(DivisibleGenerator, RefusesWhatIsOutOfRange) {
  GeneratorOptions options;
  options.clusters = 0;
  EXPECT_EQ(code_of(generate(options)), kExitUsage);
  options = {};
  options.availability = 1.5;
  EXPECT_EQ(code_of(generate(options)), kExitUsage);
  options = {};
  options.density = 0;
  EXPECT_EQ(code_of(generate(options)), kExitUsage);
}

}  // namespace
}  // namespace dfrs::sim::divisible
