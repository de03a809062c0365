// SPDX-License-Identifier: GPL-2.0-or-later
// Batch scheduling on shared nodes: schedules by hand, and where it must be the same as on whole nodes.
#include <gtest/gtest.h>

#include <cmath>

#include "policy/batch/options.h"
#include "sim/host/simulation.h"
#include "tests/oracle/decision_checker.h"
#include "tests/oracle/random_instance.h"
#include "tests/oracle/shared.h"
#include "tests/sim/host/by_hand.h"

namespace dfrs::sim {
namespace {

class SharedNodes : public ByHand {
 protected:
  std::vector<Seconds> starts(const char* algorithm) {
    run_ = run(algorithm);
    std::vector<Seconds> out;
    for (const JobRecord& record : run_.jobs) out.push_back(record.start);
    return out;
  }

  RunResult run_;
};

using Starts = std::vector<Seconds>;

TEST_F(SharedNodes, JobsShareANodeButNoCpu) {
  nodes(1);
  job(0, 1, 0.5, 10, 100);
  job(0, 1, 0.5, 10, 50);
  job(0, 1, 0.5, 10, 10);
  EXPECT_EQ(starts("FCFS/shared"), (Starts{0, 0, 50}));
  EXPECT_EQ(run_.jobs[0].end, 100);  // at full speed
  EXPECT_EQ(run_.jobs[2].end, 60);
}

TEST_F(SharedNodes, MemoryIsALimitAsCpuIs) {
  nodes(2);
  job(0, 1, 0.25, 60, 100);
  job(0, 1, 0.25, 60, 80);
  job(0, 1, 0.25, 60, 10);  // no node has 60 left until 80
  job(0, 2, 0.25, 20, 10);  // but has 20: FCFS still lets it wait
  EXPECT_EQ(starts("FCFS/shared"), (Starts{0, 0, 80, 80}));
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 0, 80, 0}));
}

TEST_F(SharedNodes, AJobThatEndsByTheShadowTimeJumpsAhead) {
  nodes(1);
  job(0, 1, 0.5, 10, 100);
  job(1, 1, 1, 10, 10);    // shadow time 100
  job(2, 1, 0.5, 10, 98);  // ends at 100
  job(3, 1, 0.5, 10, 5);
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 100, 2, 110}));
  instance_.jobs[2].run_time = instance_.jobs[2].estimate = 99;
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 100, 110, 3}));
}

// The head needs memory of node 0 at 100; only jobs that leave it that memory may start and stay.
TEST_F(SharedNodes, AJobBesideTheReservationJumpsAhead) {
  nodes(2);
  job(0, 1, 0.5, 60, 100);   // node 0
  job(0, 1, 0.5, 60, 200);   // node 1
  job(1, 1, 0.5, 80, 10);    // the head: node 0 at 100, and leaves 20 there
  job(2, 1, 0.5, 30, 1000);  // not on node 0, but on node 1
  job(3, 1, 0.4, 40, 1000);  // fits node 0 now, but not beside the head
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 0, 100, 2, 110}));
}

TEST_F(SharedNodes, TasksOfAJobFillNodesOneAfterTheOther) {
  nodes(2);
  job(0, 3, 0.5, 10, 100);  // two on node 0, one on node 1
  job(0, 1, 0.5, 10, 100);
  job(0, 1, 0.5, 10, 100);
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 0, 100}));
}

// The shortest jumps ahead; at the head, too, it goes first.
TEST_F(SharedNodes, OtherOrders) {
  nodes(1);
  job(0, 1, 0.6, 10, 100);
  job(1, 1, 1, 10, 10);  // the head
  job(2, 1, 0.4, 10, 80);
  job(3, 1, 0.4, 10, 20);
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 100, 2, 110}));
  instance_.jobs[2].submit = 3;
  EXPECT_EQ(starts("EASY/shared/backfill=SJF"), (Starts{0, 100, 110, 3}));
  instance_.jobs[1].run_time = instance_.jobs[1].estimate = 30;
  instance_.jobs[3].submit = 200;
  instance_.jobs[2].cpu_need = 1;
  EXPECT_EQ(starts("FCFS/shared/head=LJF"), (Starts{0, 180, 100, 210}));
}

// With a pass per event, a job that comes first is placed before those of the same instant are known: also at the
// start.
TEST_F(SharedNodes, APassPerEventFromTheFirstInstantOn) {
  nodes(1);
  job(0, 1, 0.6, 10, 100);
  job(0, 1, 0.6, 10, 20);
  EXPECT_EQ(starts("EASY/shared/head=SJF/backfill=SJF"), (Starts{20, 0}));
  options_.engine.of<BatchOptions>().pass_per_event = true;
  EXPECT_EQ(starts("EASY/shared/head=SJF/backfill=SJF"), (Starts{0, 100}));
  job(100, 1, 0.6, 10, 50);  // as the first ends
  job(100, 1, 0.6, 10, 5);
  EXPECT_EQ(starts("EASY/shared/head=SJF/backfill=SJF"), (Starts{0, 100, 125, 120}));
}

// What a user's jobs took counts, not what the user says: the third would end too late by its request.
TEST_F(SharedNodes, PredictedRunTimes) {
  nodes(1);
  job(0, 1, 0.2, 10, 5);
  job(0, 1, 0.2, 10, 5);
  job(6, 1, 0.6, 10, 100);
  job(7, 1, 1, 10, 10);  // the head
  job(8, 1, 0.4, 10, 5);
  for (Job& job : instance_.jobs) job.user = 1;
  instance_.jobs[2].user = instance_.jobs[3].user = 2;
  instance_.jobs[4].estimate = 1000;
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 0, 6, 106, 116}));
  EXPECT_EQ(starts("EASY/shared/predict=tsafrir"), (Starts{0, 0, 6, 106, 8}));
}

TEST(SharedNames, PartsInAnyOrder) {
  EXPECT_EQ(algorithm_name(*parse_algorithm("easy/shared/predict=tsafrir/backfill=sjf/correct=steps/jobs=2")),
            "EASY/shared/jobs=2/backfill=SJF/predict=tsafrir/correct=steps");
  EXPECT_EQ(algorithm_name(*parse_algorithm("EASY/shared/jobs=1/head=FCFS")), "EASY/shared");
  for (const char* wrong : {"EASY/shared/jobs=0", "EASY/shared/head=X", "FCFS/shared/backfill=SJF",
                            "FCFS/shared/predict=tsafrir", "EASY/shared/correct=steps", "EASY/shared/order=SJF"}) {
    EXPECT_FALSE(parse_algorithm(wrong)) << wrong;
  }
}

// The first difference, or nothing.
std::string difference(const RunResult& run, const oracle::Simulated& expected) {
  for (std::size_t k = 0; k < run.jobs.size(); ++k) {
    const JobRecord& is = run.jobs[k];
    const oracle::SimulatedJob& should = expected.jobs[k];
    if (std::abs(is.start - should.start) < 1e-4 && std::abs(is.end - should.end) < 1e-4 && is.pauses + is.moves == 0) {
      continue;
    }
    return "job " + std::to_string(k) + ": " + std::to_string(is.start) + " to " + std::to_string(is.end) + ", not " +
           std::to_string(should.start) + " to " + std::to_string(should.end);
  }
  return "";
}

// Jobs that fit the empty cluster with all of their CPU.
Instance random_parts(oracle::Dice& dice) {
  Instance instance = oracle::random_instance(dice, {.max_nodes = 6, .max_jobs = 40});
  const auto nodes = static_cast<int>(instance.platform.nodes.size());
  for (Job& job : instance.jobs) {
    const int by_cpu = static_cast<int>(1 / job.cpu_need);
    const auto by_memory = static_cast<int>(instance.platform.nodes[0].rigid[kMemory] / job.rigid[kMemory]);
    job.tasks = std::min(job.tasks, nodes * std::min(by_cpu, by_memory));
    job.user = static_cast<std::uint32_t>(dice.between(1, 2));
    if (dice.chance(50)) job.estimate = dice.chance(50) ? 400 : 4000;
  }
  return instance;
}

TEST(SharedNodesRandom, RunsAsTheReference) {
  using Rule = PredictionRule;
  constexpr auto kRanks = static_cast<int>(kQueueRankNames.size());
  int by_rank = 0, by_prediction = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(1000); ++seed) {
    oracle::Dice dice(seed);
    const Instance instance = random_parts(dice);
    oracle::SimulatorOptions plain;
    plain.pass_per_event = dice.chance(30);
    SimOptions options;
    options.engine.of<BatchOptions>().pass_per_event = plain.pass_per_event;
    const BatchAlgorithm in_order{BatchAlgorithm::Backfill::easy};
    BatchAlgorithm ranked = in_order;
    ranked.head = dice.chance(50) ? QueueRank::fcfs : static_cast<QueueRank>(dice.between(0, kRanks - 1));
    ranked.others = static_cast<QueueRank>(dice.between(0, kRanks - 1));
    BatchAlgorithm predicting = ranked;
    predicting.prediction = Rule{dice.pick<Rule::By>({Rule::By::twice, Rule::By::tsafrir, Rule::By::mean}), 50,
                                 static_cast<Rule::Correct>(dice.between(0, 2))};
    for (const BatchAlgorithm& rule : {BatchAlgorithm{BatchAlgorithm::Backfill::none}, in_order, ranked, predicting}) {
      std::string name = algorithm_name(named(rule));
      name.insert(4, "/shared");
      oracle::DecisionChecker checker;
      const RunResult run = or_throw(simulate(instance, *parse_algorithm(name), options, &checker));
      const std::string where = name + ", seed " + std::to_string(seed);
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << where;
      ASSERT_EQ(difference(run, oracle::simulate_shared_plainly(instance, rule, plain)), "") << where;
      BatchAlgorithm other = rule;
      other.prediction = {};
      if (rule.prediction.predicts()) {
        by_prediction += difference(run, oracle::simulate_shared_plainly(instance, other, plain)).empty() ? 0 : 1;
      } else if (rule.ranked()) {
        by_rank += difference(run, oracle::simulate_shared_plainly(instance, in_order, plain)).empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(by_rank, 5);
  EXPECT_GT(by_prediction, 3);
}

TEST(GangRandom, RunsAsTheReference) {
  int suspended = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(400); ++seed) {
    oracle::Dice dice(seed);
    const Instance instance = random_parts(dice);
    for (const std::size_t rows : {2, 3}) {
      const std::string name = "GANG/jobs=" + std::to_string(rows) + "/slice=37";
      oracle::DecisionChecker checker;
      const RunResult run = or_throw(simulate(instance, *parse_algorithm(name), {}, &checker));
      const std::string where = name + ", seed " + std::to_string(seed);
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << where;
      ASSERT_EQ(difference(run, oracle::simulate_gang_plainly(instance, rows, 37)), "") << where;
      for (std::size_t k = 0; k < run.jobs.size(); ++k) {
        suspended += run.jobs[k].end - run.jobs[k].start > instance.jobs[k].run_time + 1 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(suspended, 10);
}

// Where a task takes a whole node there is nothing to share: the same as the papers' batch policies.
TEST(SharedNodesRandom, SeveralJobsACoreRunAsTheReference) {
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(600); ++seed) {
    oracle::Dice dice(seed);
    Instance instance = random_parts(dice);
    for (Job& job : instance.jobs) job.run_time += dice.uniform();  // no two end together
    const int jobs_a_core = dice.between(2, 4);
    BatchAlgorithm ranked{BatchAlgorithm::Backfill::easy};
    ranked.head = dice.chance(50) ? QueueRank::fcfs : QueueRank::saf;
    ranked.others = dice.pick<QueueRank>({QueueRank::sjf, QueueRank::saf, QueueRank::ljf});
    for (const BatchAlgorithm& rule :
         {BatchAlgorithm{BatchAlgorithm::Backfill::none}, BatchAlgorithm{BatchAlgorithm::Backfill::easy}, ranked}) {
      std::string name = algorithm_name(named(rule));
      name.insert(4, "/shared/jobs=" + std::to_string(jobs_a_core));
      oracle::DecisionChecker checker;
      const RunResult run = or_throw(simulate(instance, *parse_algorithm(name), SimOptions{}, &checker));
      const std::string where = name + ", seed " + std::to_string(seed);
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << where;
      ASSERT_EQ(difference(run, oracle::simulate_shared_plainly(instance, rule, {}, jobs_a_core)), "") << where;
      shared += difference(run, oracle::simulate_shared_plainly(instance, rule, {})).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(shared, 100);
}

TEST(SharedNodesRandom, EqualsWholeNodesWhereTasksTakeWholeNodes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    oracle::Dice dice(seed);
    Instance instance;
    instance.name = "random";
    instance.platform = Platform::homogeneous(8, 100);
    Seconds now = 0;
    for (int k = 0; k < 60; ++k) {
      Job job;
      job.id = static_cast<JobId>(k + 1);
      job.submit = now;
      now += 3 * dice.between(0, 8);
      job.tasks = static_cast<int>(dice.between(1, 8));
      job.rigid[kMemory] = dice.between(1, 100);
      job.run_time = 5 * dice.between(1, 20);
      job.estimate = job.run_time * dice.between(1, 3);
      instance.jobs.push_back(job);
    }
    for (const auto& [shared, whole] : {std::pair("FCFS/shared", "FCFS"), std::pair("EASY/shared", "EASY"),
                                        std::pair("EASY/shared/head=WFP3/backfill=SJF", "EASY/head=WFP3/backfill=SJF"),
                                        std::pair("EASY/shared/backfill=SJF/predict=sc15/correct=steps",
                                                  "EASY/backfill=SJF/predict=sc15/correct=steps"),
                                        std::pair("EASY/shared/jobs=1/predict=tsafrir", "EASY/predict=tsafrir")}) {
      const RunResult a = or_throw(simulate(instance, *parse_algorithm(shared), {}));
      const RunResult b = or_throw(simulate(instance, *parse_algorithm(whole), {}));
      for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
        ASSERT_EQ(a.jobs[k].start, b.jobs[k].start) << shared << " seed " << seed << " job " << k + 1;
      }
    }
  }
}

}  // namespace
}  // namespace dfrs::sim
