// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/gang_cloud_readings.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

namespace dfrs::sim {
namespace {

GangMetrics metrics(double lease, double response) {
  GangMetrics m;
  m.lease_time = lease;
  m.mean_response = response;
  return m;
}

TEST(GangCloudReadings, CostPerformanceByHand) {
  const std::array afcfs{metrics(100, 2)};
  const std::array ljfs{metrics(80, 2.5)};
  const auto cpe = [&](CpeReading reading) { return cost_performance(afcfs, ljfs, reading).mean; };
  CpeReading reading;
  EXPECT_DOUBLE_EQ(cpe(reading), 0.2 - 0.25);
  EXPECT_DOUBLE_EQ(cpe(reading), cost_performance(afcfs, ljfs).mean);
  reading.growth = true;
  EXPECT_DOUBLE_EQ(cpe(reading), -0.2 + 0.25);
  reading.of_ljfs = true;
  EXPECT_DOUBLE_EQ(cpe(reading), -20.0 / 80 + 0.5 / 2.5);
}

// Gangs and setups from lists.
class Listed final : public GangSource {
 public:
  explicit Listed(std::vector<GangJob> gangs) : gangs_(std::move(gangs)) {}
  std::optional<GangJob> next() override {
    if (at_ == gangs_.size()) return std::nullopt;
    return gangs_[at_++];
  }

 private:
  std::vector<GangJob> gangs_;
  std::size_t at_ = 0;
};
class FixedSetup final : public SetupDelays {
 public:
  Seconds next() override { return 0.25; }
};

TEST(GangCloudReadings, LeasesAndResponsesByHand) {
  // Two machines from 0, ready at 0.25, for a gang of 2 that runs until 1.25. The second, of one task, comes at 0.5,
  // waits in a queue and runs from 1.25 to 3.25. The pause keeps both machines until the end.
  Listed gangs({{0, 2, 1}, {0.5, 1, 2}});
  FixedSetup setups;
  const GangMetrics m = or_throw(simulate_gangs(gangs, setups, {}));
  EXPECT_DOUBLE_EQ(m.end, 3.25);
  EXPECT_DOUBLE_EQ(m.lease_time, 2 * 3.25);
  EXPECT_DOUBLE_EQ(m.lease_from_ready, 2 * 3);
  EXPECT_DOUBLE_EQ(m.lease_whole_units, 2 * 4);
  EXPECT_DOUBLE_EQ(m.mean_response, (1.25 + 2.75) / 2);
  EXPECT_DOUBLE_EQ(m.response_by_tasks, (2 * 1.25 + 2.75) / 3);
}

TEST(GangCloudReadings, EveryReadingChangesTheCell) {
  const auto cpe = [](const std::vector<std::string>& names) {
    const GangCloudAssumed assumed = or_throw(gang_cloud_assumed(names));
    std::vector<GangExperiment> experiments;
    for (const gang::Scheduler scheduler : {gang::Scheduler::afcfs, gang::Scheduler::ljfs}) {
      experiments.push_back(assumed.of(0.25, 2.5, scheduler, gang::Migration::first_fit, 5));
      experiments.back().options.jobs = 2000;
    }
    ReplicationOptions replication;
    replication.replications = 1;
    replication.threads = 1;
    const auto results = or_throw(replicate(experiments, replication));
    return cost_performance(results[0], results[1], assumed.cpe).mean;
  };
  const double ours = cpe({});
  ASSERT_FALSE(gang_cloud_readings().empty());
  for (const ReproductionPart& reading : gang_cloud_readings()) {
    EXPECT_NE(cpe({std::string(reading.name)}), ours) << reading.name;
  }
}

TEST(GangCloudReadings, MigratedGangsRunLongerByTheCost) {
  RandomGangs free_gangs({}, 1, 0);
  RandomGangs costly_gangs({}, 1, 0);
  RandomSetupDelays free_setups({}, 1, 0);
  RandomSetupDelays costly_setups({}, 1, 0);
  ElasticOptions options;
  options.jobs = 3000;
  const GangMetrics without = or_throw(simulate_gangs(free_gangs, free_setups, options));
  options.migration_cost = 0.1;
  const GangMetrics with = or_throw(simulate_gangs(costly_gangs, costly_setups, options));
  ASSERT_GT(without.migrations, 0U);
  EXPECT_GT(with.mean_response, without.mean_response);
  EXPECT_LT(with.mean_response, 1.5 * without.mean_response);
}

}  // namespace
}  // namespace dfrs::sim
