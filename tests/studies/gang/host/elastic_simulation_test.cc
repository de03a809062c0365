// SPDX-License-Identifier: GPL-2.0-or-later
// Runs of gang scheduling on leased machines: by hand, against a plain second implementation, and against queueing
// theory.
#include "studies/gang/host/elastic_simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/errors.h"
#include "sim/metrics/confidence.h"
#include "studies/gang/host/experiment.h"
#include "tests/sim/failure_message.h"
#include "tests/studies/gang/oracle/gang.h"
#include "tests/studies/gang/oracle/gang_checker.h"

namespace dfrs::sim {
namespace {

class Listed final : public GangSource {
 public:
  explicit Listed(std::vector<GangJob> jobs) : jobs_(std::move(jobs)) {}
  std::optional<GangJob> next() override { return at_ < jobs_.size() ? std::optional(jobs_[at_++]) : std::nullopt; }

 private:
  std::vector<GangJob> jobs_;
  std::size_t at_ = 0;
};

struct Half final : SetupDelays {
  Seconds next() override { return 0.5; }
};

TEST(ElasticSimulation, MetricsByHand) {
  ElasticOptions options;
  options.policy.machine_limit = 4;
  options.policy.release_pause = 0;
  // 0: leases 0 and 1, runs from 0.5 to 2.5. 1: waits on 0, runs from 2.5 to 3. 1 is released at 2.5, 0 at 3.
  Listed gangs({{0, 2, 2}, {1, 1, 0.5}});
  Half setups;
  const GangMetrics m = or_throw(simulate_gangs(gangs, setups, options));
  EXPECT_EQ(m.finished, 2U);
  EXPECT_DOUBLE_EQ(m.mean_response, (2.5 + 2) / 2);
  EXPECT_DOUBLE_EQ(m.response_rise, (2 - 2.5) / m.mean_response);
  EXPECT_DOUBLE_EQ(m.mean_wait, (0.5 + 1.5) / 2);
  EXPECT_DOUBLE_EQ(m.mean_bounded_slowdown, (1.25 + 4) / 2);
  EXPECT_DOUBLE_EQ(m.lease_time, 2.5 + 3);
  EXPECT_DOUBLE_EQ(m.busy_time, 4.5);
  EXPECT_DOUBLE_EQ(m.utilization(), 4.5 / 5.5);
  EXPECT_DOUBLE_EQ(m.end, 3);
  EXPECT_DOUBLE_EQ(m.mean_machines(), 5.5 / 3);
  EXPECT_EQ(m.leases, 2U);
  EXPECT_EQ(m.held, 1U);
  EXPECT_EQ(m.most_machines, 2U);
  EXPECT_EQ(m.migrations, 0U);
}

// One machine, a gang of one time unit each half: the k-th waits k/2 longer than the first, and response is a straight
// line over time. With a gang each two units it does not change.
TEST(ElasticSimulation, ResponseRisesWhereMachinesCannotKeepUp) {
  const auto rise = [](double between) {
    ElasticOptions options;
    options.policy.machine_limit = options.policy.machine_minimum = 1;
    std::vector<GangJob> jobs;
    for (int k = 0; k < 101; ++k) jobs.push_back({k * between, 1, 1});
    Listed gangs(std::move(jobs));
    Half setups;
    return or_throw(simulate_gangs(gangs, setups, options));
  };
  const GangMetrics over = rise(0.5);
  EXPECT_NEAR(over.response_rise, 100 * 0.5 / over.mean_response, 1e-9);
  EXPECT_NEAR(rise(2).response_rise, 0, 1e-9);
}

TEST(ElasticSimulation, MigrationsAreCounted) {
  ElasticOptions options;
  options.policy.machine_limit = options.policy.machine_minimum = 4;
  options.policy.migration_interval = 0;
  options.policy.starvation_threshold = 3;
  // 0 on machines 0 and 1, 1 on 2 and 3. 2 has two tasks on 0 and 1, 3 two tasks on 2 and 3; 2 starts at 2 and ends
  // at 3. 3 migrates then with both tasks, in its 3rd time unit of waiting and 1 long: starved. It starts at the next
  // event, the arrival of 4 at 3.5.
  Listed gangs({{0, 2, 2}, {0, 2, 10}, {0, 2, 1}, {0, 2, 1}, {3.5, 1, 1}});
  Half setups;
  const GangMetrics m = or_throw(simulate_gangs(gangs, setups, options));
  EXPECT_EQ(m.migrations, 1U);
  EXPECT_EQ(m.starved_migrations, 1U);
  EXPECT_EQ(m.migrated_tasks, 2U);
  EXPECT_EQ(m.starved_starts, 1U) << "2, whose X-factor is 3 when it can start";
  EXPECT_DOUBLE_EQ(m.mean_response, (2 + 10 + 3 + 4.5 + 2) / 5);
  EXPECT_DOUBLE_EQ(m.lease_time, 40) << "four machines from 0 to 10";
}

TEST(ElasticSimulation, EndsWithTheGangAskedFor) {
  ElasticOptions options;
  options.policy.machine_limit = options.policy.machine_minimum = 2;
  options.jobs = 1;
  Listed gangs({{0, 1, 1}, {0.25, 1, 8}, {0.5, 1, 8}});
  Half setups;
  const GangMetrics m = or_throw(simulate_gangs(gangs, setups, options));
  EXPECT_EQ(m.finished, 1U);
  EXPECT_DOUBLE_EQ(m.end, 1);
  EXPECT_DOUBLE_EQ(m.lease_time, 2);
  EXPECT_DOUBLE_EQ(m.busy_time, 1.75) << "with what the others did until then";
}

TEST(ElasticSimulation, ImpossibleGangsAndOptionsAreRefused) {
  ElasticOptions options;
  options.policy.machine_limit = 4;
  Listed gangs({{0, 5, 1}});
  Half setups;
  EXPECT_EQ(message_of(kExitUsage, simulate_gangs(gangs, setups, options)),
            "a gang of 5 tasks needs as many machines, but 4 may be leased");
  options.policy.machine_minimum = 9;
  EXPECT_NE(message_of(kExitUsage, simulate_gangs(gangs, setups, options)).find("limit is 4"), std::string::npos);
}

TEST(ElasticSimulation, BoundedSlowdown) {
  EXPECT_DOUBLE_EQ(gang_bounded_slowdown(6, 2, 1e-3), 3);
  EXPECT_DOUBLE_EQ(gang_bounded_slowdown(1, 1e-6, 1e-3), 1000);
  EXPECT_DOUBLE_EQ(gang_bounded_slowdown(1e-4, 1e-6, 1e-3), 1);
}

// Event by event, with every option, and invariants of every run.
TEST(ElasticSimulation, RunsAsThePlainReference) {
  std::size_t moves = 0, starved = 0, releases = 0, setups = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(1500); ++seed) {
    oracle::Dice dice(seed);
    const oracle::GangCase random = oracle::random_gang_case(dice);
    oracle::GangChecker checker(random.options);
    const oracle::GangStory got = oracle::run_product(random, &checker);
    const oracle::GangStory want = oracle::run_plainly(random);
    for (std::size_t k = 0; k < std::min(got.lines.size(), want.lines.size()); ++k) {
      ASSERT_EQ(got.lines[k], want.lines[k]) << "seed " << seed << ", line " << k;
    }
    ASSERT_EQ(got.lines.size(), want.lines.size()) << "seed " << seed;
    ASSERT_NEAR(got.lease_time, want.lease_time, 1e-9 * (1 + want.lease_time)) << "seed " << seed;
    ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << "seed " << seed;
    moves += checker.moves();
    starved += checker.starved_moves();
    releases += checker.releases();
    setups += checker.setups();
  }
  // The cases reach the rules.
  EXPECT_GT(moves, starved + 1000);
  EXPECT_GT(starved, 1000U);
  EXPECT_GT(releases, 1000U);
  EXPECT_GT(setups, 1000U);
}

// A cluster of `machines` of fixed size.
GangExperiment fixed(std::uint32_t machines, double arrival_rate) {
  GangExperiment e;
  e.workload.arrival_rate = arrival_rate;
  e.options.policy.machine_limit = e.options.policy.machine_minimum = machines;
  e.options.policy.migration = gang::Migration::none;
  e.options.policy.starvation_threshold = kNever;
  return e;
}

// Mean response times of 20 replications with about 250,000 gangs together, at 99.9 %.
void expect_response(const GangExperiment& experiment, double expected) {
  GangExperiment e = experiment;
  e.options.jobs = oracle::cases(12'500);
  ReplicationOptions options;
  options.replications = 20;
  options.threads = 1;
  const auto runs = or_throw(replicate(std::span(&e, 1), options));
  std::vector<double> responses;
  for (const GangMetrics& m : runs[0]) responses.push_back(m.mean_response);
  const ConfidenceInterval i = confidence_interval(responses, 0.999);
  EXPECT_NEAR(i.mean, expected, i.half_width);
  EXPECT_LT(i.relative(), 0.15) << "too wide to tell anything";
}

// Gangs as large as the cluster run one after the other: M/M/1.
TEST(ElasticSimulation, GangsOfAllMachinesAreASingleServer) {
  GangExperiment e = fixed(5, 0.7);
  e.workload.small_probability = 0;
  e.workload.small_most = 4;
  e.workload.large_most = 5;
  expect_response(e, 1 / (1 - 0.7));
}

// Single tasks that migrate at once to whatever machine is idle have one queue for all: M/M/c, Erlang's C formula.
TEST(ElasticSimulation, SingleTasksThatMigrateFreelyFollowErlang) {
  constexpr int kMachines = 4;
  constexpr double kLoad = 3;
  GangExperiment e = fixed(kMachines, kLoad);
  e.workload.small_probability = 1;
  e.workload.small_most = 1;
  e.options.policy.migration = gang::Migration::first_fit;
  e.options.policy.migration_interval = 0;
  e.options.policy.migrated_start = gang::MigratedStart::at_once;
  double term = 1;
  double sum = 0;
  for (int k = 0; k < kMachines; ++k) {
    sum += term;
    term *= kLoad / (k + 1);
  }
  const double waits = term * kMachines / (kMachines - kLoad);
  expect_response(e, 1 + waits / (sum + waits) / (kMachines - kLoad));
}

// Single tasks on two machines, each joining the shorter queue permanently: the Markov chain, solved numerically.
TEST(ElasticSimulation, TwoMachinesAreJoinTheShortestQueue) {
  constexpr double kRate = 1.4;
  constexpr int kMost = 50;
  std::vector<double> p(kMost * kMost, 1.0);
  const auto at = [&](int a, int b) -> double& { return p[static_cast<std::size_t>(a * kMost + b)]; };
  for (int round = 0; round < 600; ++round) {
    double total = 0;
    for (int a = 0; a < kMost; ++a) {
      for (int b = 0; b < kMost; ++b) {
        double in = 0;
        if (a > 0 && a - 1 <= b) in += kRate * at(a - 1, b);  // equal queues: the first machine
        if (b > 0 && b - 1 < a) in += kRate * at(a, b - 1);
        if (a + 1 < kMost) in += at(a + 1, b);
        if (b + 1 < kMost) in += at(a, b + 1);
        const bool full = a <= b ? a + 1 == kMost : b + 1 == kMost;
        const double out = (full ? 0 : kRate) + (a > 0 ? 1 : 0) + (b > 0 ? 1 : 0);
        at(a, b) = in / out;
        total += at(a, b);
      }
    }
    for (double& v : p) v /= total;
  }
  double present = 0;
  for (int a = 0; a < kMost; ++a) {
    for (int b = 0; b < kMost; ++b) present += (a + b) * at(a, b);
  }
  GangExperiment e = fixed(2, kRate);
  e.workload.small_probability = 1;
  e.workload.small_most = 1;
  expect_response(e, present / kRate);
}

}  // namespace
}  // namespace dfrs::sim
