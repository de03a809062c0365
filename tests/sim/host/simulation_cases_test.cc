// SPDX-License-Identifier: GPL-2.0-or-later
// Whole simulations of random instances under every algorithm, against the plain reference simulator, and with every
// decision checked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include <algorithm>
#include <cmath>

#include "policy/batch/algorithm.h"
#include "policy/batch/options.h"
#include "policy/core/registry.h"
#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/options.h"
#include "sim/host/simulation.h"
#include "sim/workload/load.h"
#include "tests/oracle/decision_checker.h"
#include "tests/oracle/lockstep.h"
#include "tests/oracle/random_instance.h"
#include "tests/oracle/simulator.h"
#include "tests/sim/traces.h"

namespace dfrs::sim {
namespace {

constexpr double kTolerance = 1e-6;  // relative, of times that are sums of some hundred terms

// Several observers of one run.
class Observers final : public StepObserver {
 public:
  explicit Observers(std::vector<StepObserver*> all) : all_(std::move(all)) {}
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    for (StepObserver* one : all_) one->on_step(view, events, decisions);
  }

 private:
  std::vector<StepObserver*> all_;
};

// The first difference, or nothing.
std::string difference(const RunResult& run, const oracle::Simulated& expected) {
  const auto near = [](double a, double b) { return std::abs(a - b) <= kTolerance * (1 + b); };
  for (std::size_t k = 0; k < run.jobs.size(); ++k) {
    const JobRecord& got = run.jobs[k];
    const oracle::SimulatedJob& want = expected.jobs[k];
    if (!near(got.start, want.start) || !near(got.end, want.end) || got.pauses != want.pauses ||
        got.moves != want.moves) {
      return fmt::format("job {}: start {} end {} pauses {} moves {}, reference {} {} {} {}", k, got.start, got.end,
                         got.pauses, got.moves, want.start, want.end, want.pauses, want.moves);
    }
  }
  return {};
}

TEST(SimulationCases, DfrsRunsAsTheReference) {
  std::uint64_t seed = 0;
  std::uint64_t pauses = 0, moves = 0;
  int own_yields = 0, last_bits = 0;
  for (const Algorithm& listed : rr7659_algorithms()) {
    std::optional<DfrsAlgorithm> dfrs = dfrs_algorithm(listed);
    if (!dfrs) continue;
    // No round bound: 450 s at a yield of 2/3 are 300 s of virtual time but for the last bit of the yield.
    dfrs->limit.bound += 0.7371;
    const Algorithm algorithm = named(*dfrs);
    for (std::uint64_t k = 0; k < oracle::cases(25); ++k) {
      oracle::Dice dice(++seed);
      const Instance instance = oracle::random_instance(dice, {});
      SimOptions options;
      options.penalty = dice.pick<Seconds>({300, 300, 0, 450});
      options.engine.of<DfrsOptions>().period = dice.pick<Seconds>({600, 600, 1200});
      options.events_apart = !dice.chance(30);
      options.engine.of<DfrsOptions>().ticks_apart = options.events_apart;
      options.engine.of<DfrsOptions>().priority_floor = dice.chance(30) ? 30 : 0;
      const std::string where = algorithm_name(algorithm) + ", seed " + std::to_string(seed);

      oracle::DecisionChecker checker;
      oracle::Lockstep lockstep(*dfrs, options.engine.of<DfrsOptions>());
      oracle::YieldLog log;
      Observers all({&checker, &lockstep, &log});
      const RunResult run = or_throw(simulate(instance, algorithm, options, &all));
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << where;
      ASSERT_EQ(lockstep.difference(), "") << where;

      const oracle::SimulatorOptions plain{options.penalty, options.engine.of<DfrsOptions>().period,
                                           options.events_apart, options.engine.of<DfrsOptions>().priority_floor,
                                           false};
      // Max-min yields are the reference's own. Where their last bits break a tie of priorities in another way, and for
      // other objectives, it takes the product's yields, which Lockstep has checked.
      const bool max_min = dfrs->objective == DfrsAlgorithm::Objective::min_yield;
      oracle::Simulated expected;
      if (max_min) expected = oracle::simulate_plainly(instance, *dfrs, plain, nullptr);
      own_yields += max_min ? 1 : 0;
      if (!max_min || !difference(run, expected).empty()) {
        expected = oracle::simulate_plainly(instance, *dfrs, plain, &log);
        last_bits += max_min ? 1 : 0;
      }
      ASSERT_EQ(difference(run, expected), "") << where;
      ASSERT_NEAR(run.demand, expected.demand, kTolerance * (1 + expected.demand)) << where;
      for (const JobRecord& job : run.jobs) pauses += job.pauses, moves += job.moves;
    }
  }
  EXPECT_LE(last_bits, 1 + own_yields / 100);
  EXPECT_GT(pauses, 50u);
  EXPECT_GT(moves, 50u);
}

TEST(SimulationCases, BatchRunsAsTheReference) {
  using Backfill = BatchAlgorithm::Backfill;
  int differ = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(2000); ++seed) {
    oracle::Dice dice(seed);
    const Instance instance = oracle::random_instance(dice, {.max_nodes = 12, .max_jobs = 30, .whole_nodes = true});
    std::vector<Seconds> ends;
    for (const Backfill backfill : {Backfill::none, Backfill::easy, Backfill::extra_only}) {
      const BatchAlgorithm rule{backfill};
      const Algorithm algorithm = named(rule);
      SimOptions options;
      options.engine.of<BatchOptions>().pass_per_event = dice.chance(30);
      const std::string where = algorithm_name(algorithm) + ", seed " + std::to_string(seed);
      oracle::DecisionChecker checker;
      const RunResult run = or_throw(simulate(instance, algorithm, options, &checker));
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << where;
      oracle::SimulatorOptions plain;
      plain.pass_per_event = options.engine.of<BatchOptions>().pass_per_event;
      ASSERT_EQ(difference(run, oracle::simulate_plainly(instance, rule, plain)), "") << where;
      ends.push_back(run.jobs.back().end);
    }
    differ += ends[0] != ends[1] || ends[1] != ends[2] ? 1 : 0;
  }
  EXPECT_GT(differ, 10);
}

TEST(SimulationCases, OtherOrdersOfTheQueueRunAsTheReference) {
  using Backfill = BatchAlgorithm::Backfill;
  constexpr auto kRanks = static_cast<int>(kQueueRankNames.size());
  std::vector<int> differ(kQueueRankNames.size());
  for (std::uint64_t seed = 1; seed <= oracle::cases(1000); ++seed) {
    oracle::Dice dice(seed);
    const Instance instance = oracle::random_instance(dice, {.max_nodes = 12, .max_jobs = 30, .whole_nodes = true});
    oracle::SimulatorOptions plain;
    plain.pass_per_event = dice.chance(30);
    SimOptions options;
    options.engine.of<BatchOptions>().pass_per_event = plain.pass_per_event;
    const auto head = static_cast<QueueRank>(dice.between(0, kRanks - 1));
    const auto others = static_cast<QueueRank>(dice.between(0, kRanks - 1));
    for (const BatchAlgorithm& rule :
         {BatchAlgorithm{Backfill::easy, QueueRank::fcfs, others}, BatchAlgorithm{Backfill::easy, head, others},
          BatchAlgorithm{Backfill::none, head}}) {
      const Algorithm algorithm = named(rule);
      const std::string where = algorithm_name(algorithm) + ", seed " + std::to_string(seed);
      oracle::DecisionChecker checker;
      const RunResult run = or_throw(simulate(instance, algorithm, options, &checker));
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << where;
      ASSERT_EQ(difference(run, oracle::simulate_plainly(instance, rule, plain)), "") << where;
      const BatchAlgorithm in_order{rule.backfill};
      if (difference(run, oracle::simulate_plainly(instance, in_order, plain)).empty()) continue;
      ++differ[static_cast<std::size_t>(rule.backfill == Backfill::easy && rule.head == QueueRank::fcfs ? others
                                                                                                        : head)];
    }
  }
  for (std::size_t k = 1; k < differ.size(); ++k) EXPECT_GT(differ[k], 3) << kQueueRankNames[k];
}

TEST(SimulationCases, PredictedRunTimesAsTheReference) {
  using Backfill = BatchAlgorithm::Backfill;
  using Rule = PredictionRule;
  std::map<std::string, int> differ;
  for (std::uint64_t seed = 1; seed <= oracle::cases(400); ++seed) {
    oracle::Dice dice(seed);
    Instance instance = oracle::random_instance(dice, {.max_nodes = 12, .max_jobs = 60, .whole_nodes = true});
    for (Job& job : instance.jobs) {
      job.user = static_cast<std::uint32_t>(dice.between(1, 2));
      job.estimate = dice.chance(50) ? 400 : 4000;
    }
    oracle::SimulatorOptions plain;
    plain.pass_per_event = dice.chance(30);
    SimOptions options;
    options.engine.of<BatchOptions>().pass_per_event = plain.pass_per_event;
    const auto correct = static_cast<Rule::Correct>(dice.between(0, 2));
    const auto percent = static_cast<std::uint32_t>(dice.between(1, 99));
    for (const Rule::By by : {Rule::By::twice, Rule::By::tsafrir, Rule::By::mean, Rule::By::quantile}) {
      const BatchAlgorithm rule{Backfill::easy, QueueRank::fcfs, dice.chance(50) ? QueueRank::fcfs : QueueRank::sjf,
                                Rule{by, percent, correct}};
      const std::string where = algorithm_name(named(rule)) + ", seed " + std::to_string(seed);
      oracle::DecisionChecker checker;
      const RunResult run = or_throw(simulate(instance, named(rule), options, &checker));
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << where;
      ASSERT_EQ(difference(run, oracle::simulate_plainly(instance, rule, plain)), "") << where;
      BatchAlgorithm requests = rule;
      requests.prediction = {};
      if (difference(run, oracle::simulate_plainly(instance, requests, plain)).empty()) continue;
      ++differ[std::to_string(static_cast<int>(by)) + std::string(correction_name(rule.prediction))];
    }
  }
  EXPECT_EQ(differ.size(), 12u);
}

// The same run twice gives the same decisions, bit by bit; and other estimates change nothing for DFRS.
class Stream final : public StepObserver {
 public:
  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
    add(view.now);
    for (const Event& e : events) add(static_cast<int>(e.kind)), add(e.job);
    for (const Decision& d : decisions.placements) add(static_cast<int>(d.kind)), add(d.job), add(d.count);
    for (NodeIndex n : decisions.nodes) add(n);
    for (const YieldChange& y : decisions.yields) add(y.job), add(y.yield);
    add(decisions.wake_at);
  }
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  void add(double number) { numbers_.push_back(number); }
  std::vector<double> numbers_;
};

TEST(SimulationCases, DecisionsRepeatAndDoNotHangOnEstimates) {
  std::uint64_t seed = 0;
  bool batch_differs = false;
  for (const Algorithm& algorithm : registered_algorithms()) {
    for (std::uint64_t k = 0; k < oracle::cases(5); ++k) {
      oracle::Dice dice(++seed);
      const Instance instance = oracle::random_instance(dice, {.whole_nodes = true});
      Instance other = instance;
      for (Job& job : other.jobs) job.estimate = dice.uniform() * 5000;
      SimOptions options;
      Stream first, again, with_others;
      or_throw(simulate(instance, algorithm, options, &first));
      or_throw(simulate(instance, algorithm, options, &again));
      or_throw(simulate(other, algorithm, options, &with_others));
      ASSERT_EQ(first.numbers(), again.numbers()) << algorithm_name(algorithm) << ", seed " << seed;
      if (!needs_estimates(algorithm)) {
        ASSERT_EQ(first.numbers(), with_others.numbers()) << algorithm_name(algorithm) << ", seed " << seed;
      } else {
        batch_differs = batch_differs || first.numbers() != with_others.numbers();
      }
    }
  }
  // The comparison can fail: EASY does use estimates.
  for (std::uint64_t k = 1; k <= 200 && !batch_differs; ++k) {
    oracle::Dice dice(k);
    const Instance instance = oracle::random_instance(dice, {.max_jobs = 30, .whole_nodes = true});
    Instance other = instance;
    for (Job& job : other.jobs) job.estimate = dice.uniform() * 5000;
    Stream first, second;
    const Algorithm easy = named(BatchAlgorithm{BatchAlgorithm::Backfill::easy});
    or_throw(simulate(instance, easy, {}, &first));
    or_throw(simulate(other, easy, {}, &second));
    batch_differs = first.numbers() != second.numbers();
  }
  EXPECT_TRUE(batch_differs);
}

// With an observer every job has its own slot; without one, slots are reused. The results must not differ.
TEST(SimulationCases, SlotsUsedAgainChangeNothing) {
  class Nobody final : public StepObserver {
    void on_step(const ClusterView& view, std::span<const Event>, const Decisions&) override {
      slots = std::max(slots, view.jobs.size());
    }

   public:
    std::size_t slots = 0;
  };
  std::uint64_t seed = 0;
  for (const Algorithm& algorithm : registered_algorithms()) {
    for (std::uint64_t k = 0; k < oracle::cases(5); ++k) {
      oracle::Dice dice(++seed);
      Instance instance = oracle::random_instance(dice, {.max_jobs = 40, .whole_nodes = true});
      if (dice.chance(30)) {
        for (Job& job : instance.jobs) job.cpu_asked = dice.chance(50) ? 1 : 0;
      }
      SimOptions options;
      options.penalty = dice.pick<Seconds>({300, 0});
      options.events_apart = !dice.chance(30);
      options.engine.of<BatchOptions>().pass_per_event = dice.chance(20);
      const std::string where = algorithm_name(algorithm) + ", seed " + std::to_string(seed);
      Nobody nobody;
      const RunResult apart = or_throw(simulate(instance, algorithm, options, &nobody));
      const RunResult again = or_throw(simulate(instance, algorithm, options));
      ASSERT_EQ(nobody.slots, instance.jobs.size()) << where;
      ASSERT_EQ(apart.steps, again.steps) << where;
      ASSERT_EQ(apart.demand, again.demand) << where;
      ASSERT_EQ(apart.paused_mib, again.paused_mib) << where;
      ASSERT_EQ(apart.moved_mib, again.moved_mib) << where;
      for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
        ASSERT_EQ(apart.jobs[j].start, again.jobs[j].start) << where << " job " << j;
        ASSERT_EQ(apart.jobs[j].end, again.jobs[j].end) << where << " job " << j;
        ASSERT_EQ(apart.jobs[j].pauses, again.jobs[j].pauses) << where << " job " << j;
        ASSERT_EQ(apart.jobs[j].moves, again.jobs[j].moves) << where << " job " << j;
      }
    }
  }
}

TEST(SimulationCases, WeeksOfHpc2nPassTheChecker) {
  DFRS_TRACE_OR_SKIP(path, "HPC2N-2002-2.1-cln.swf.gz");
  LoadOptions load;
  load.annotation = SwfAnnotation::kMemory;
  load.weeks = true;
  const Loaded loaded = or_throw(load_instances(path, load));
  ASSERT_EQ(loaded.instances.size(), 182u);
  SimOptions options;
  for (const std::size_t week : {3, 120}) {
    for (const char* name : {"EASY", "GreedyP*", "GreedyPM*/per/MINVT=600", "MCB8*/MINVT=600"}) {
      oracle::DecisionChecker checker;
      or_throw(simulate(loaded.instances[week], *parse_algorithm(name), options, &checker));
      EXPECT_EQ(checker.violations(), std::vector<std::string>{}) << name << " week " << week;
      EXPECT_GE(checker.decisions_seen(), loaded.instances[week].jobs.size());
    }
  }
}

}  // namespace
}  // namespace dfrs::sim
