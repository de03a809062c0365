// SPDX-License-Identifier: GPL-2.0-or-later
// Pauses on whole nodes, time slices, and several jobs a core: by hand, and against a plain implementation.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/decision_checker.h"
#include "tests/oracle/pausing.h"
#include "tests/oracle/random_case.h"
#include "tests/oracle/random_instance.h"
#include "tests/sim/host/by_hand.h"

namespace dfrs::sim {
namespace {

class WholeNodes : public ByHand {
 protected:
  std::vector<Seconds> ends(const char* algorithm) {
    run_ = run(algorithm);
    std::vector<Seconds> out;
    for (const JobRecord& record : run_.jobs) out.push_back(record.end);
    return out;
  }
  RunResult run_;
};

using Ends = std::vector<Seconds>;

// The first job has received 2 x 60 node seconds at 60, when it drops behind the second.
TEST_F(WholeNodes, LasPausesWhoHasReceivedMore) {
  options_.penalty = 10;
  nodes(2);
  job(0, 2, 1, 10, 100);
  job(30, 1, 1, 10, 50);
  EXPECT_EQ(ends("LAS/queues=2/first=120"), (Ends{160, 110}));  // on from 110, after 10 s of penalty
  EXPECT_EQ(run_.jobs[0].pauses, 1u);
  // By time alone it drops at 120, after its end.
  EXPECT_EQ(ends("MLF/queues=2/first=120"), (Ends{100, 150}));
}

// Service 0 .. 100 in queue 0, to 200 in queue 1, to 500 in queue 2.
TEST_F(WholeNodes, LasHasSeveralQueues) {
  options_.penalty = 0;
  nodes(1);
  job(0, 1, 1, 10, 300);
  job(0, 1, 1, 10, 150);
  // 0-100 first, 100-200 second, 200-300 first (queue 1), 300-350 second, then first.
  EXPECT_EQ(ends("LAS/queues=3/first=100"), (Ends{450, 350}));
  EXPECT_EQ(ends("LAS/queues=2/first=100"), (Ends{400, 450}));  // in one last queue: submission decides
}

TEST_F(WholeNodes, YardsticksKnowRunTimesWhateverUsersSay) {
  options_.penalty = 0;
  nodes(1);
  job(0, 1, 1, 10, 100, 1);
  job(10, 1, 1, 10, 20, 5000);
  EXPECT_EQ(ends("yardstick/SRPT"), (Ends{120, 30}));
  // At 5 s: 95 s left of 100 against 97 of 97, but 95 x 100 against 97 x 97.
  instance_.jobs.clear();
  job(0, 1, 1, 10, 100);
  job(5, 1, 1, 10, 97);
  EXPECT_EQ(ends("yardstick/SRPT"), (Ends{100, 197}));
  EXPECT_EQ(ends("yardstick/SWRPT"), (Ends{197, 102}));
}

// The wide job and the two after it take turns of 30 s. The last job has no row until the first ends, then it takes the
// turn of the second job's node.
TEST_F(WholeNodes, GangsTakeTurns) {
  nodes(2);
  job(0, 2, 1, 10, 60);
  job(0, 1, 1, 10, 60);
  job(0, 1, 1, 10, 45);
  job(0, 1, 1, 10, 5);
  const Ends expected{90, 125, 105, 95};  // 0-30 and 60-90; 30-60 and 95-125; 30-60 and 90-105; 90-95
  const Ends is = ends("GANG/jobs=2");
  for (std::size_t k = 0; k < is.size(); ++k) EXPECT_NEAR(is[k], expected[k], 1e-6) << k;
  EXPECT_NEAR(run_.jobs[3].start, 90, 1e-6);
  for (const JobRecord& record : run_.jobs) EXPECT_EQ(record.pauses + record.moves, 0u);
}

TEST_F(WholeNodes, GangsKeepTheirMemory) {
  nodes(1);
  job(0, 1, 1, 60, 40);
  job(0, 1, 1, 60, 40);
  EXPECT_EQ(ends("GANG/jobs=4"), (Ends{40, 80}));  // no memory for two
  job(0, 1, 1, 30, 40);
  ends("GANG/jobs=4/slice=10");
  EXPECT_NEAR(run_.jobs[0].end, 70, 1e-6);  // in turns with the third
}

TEST_F(WholeNodes, SeveralJobsACoreShareIt) {
  nodes(2);
  job(0, 1, 1, 10, 100);
  job(0, 1, 1, 10, 100);
  job(0, 1, 1, 10, 100);
  job(0, 2, 1, 10, 10);
  // The first two find nodes of their own, and the third shares with the first. With two jobs a core the last waits for
  // the second to end and then has its two tasks on that node; with three it starts at once.
  EXPECT_EQ(ends("EASY/shared/jobs=2"), (Ends{200, 100, 200, 120}));
  EXPECT_EQ(run_.jobs[3].start, 100);
  EXPECT_EQ(ends("EASY/shared/jobs=1"), (Ends{100, 100, 200, 210}));
  ends("FCFS/shared/jobs=3");
  EXPECT_EQ(run_.jobs[3].start, 0);
  EXPECT_EQ(run_.jobs[3].end, 30);  // a third of a node
}

TEST_F(WholeNodes, TriageWithoutPausesOnlyShares) {
  nodes(1);
  job(0, 1, 1, 90, 1000);
  job(10, 1, 1, 90, 1);
  EXPECT_EQ(ends("Triage/PAUSE=NONE"), (Ends{1000, 1001}));
  ends("Triage");
  EXPECT_LT(run_.jobs[1].end, 1000);
}

// One node, jobs of 100 s every 10 s: at 100 ten are there, the first of which ends just then.
TEST_F(WholeNodes, ARunInWhichJobsPileUpEnds) {
  nodes(1);
  for (int k = 0; k < 40; ++k) job(10 * k, 1, 1, 10, 100);
  const Algorithm fcfs = parse_algorithm("FCFS").value();
  EXPECT_EQ(or_throw(simulate(instance_, fcfs, options_, Watch{.most_jobs = 40})).jobs.back().end, 4000);
  const RunOutcome away = simulate(instance_, fcfs, options_, Watch{.most_jobs = 10});
  ASSERT_FALSE(away) << "it goes on";
  EXPECT_TRUE(away.error().ran_away);
  EXPECT_EQ(away.error().code, kExitInput);
  EXPECT_EQ(away.error().message,
            "by-hand: ran away: at 110 s 11 jobs are in the system, more than the limit, after 1 have ended and 2 "
            "pauses, moves, starts and resumes. They come faster than they end; a longer period helps policies that "
            "repack");
}

std::string difference(const RunResult& run, const oracle::Simulated& expected) {
  for (std::size_t k = 0; k < run.jobs.size(); ++k) {
    const JobRecord& is = run.jobs[k];
    const oracle::SimulatedJob& should = expected.jobs[k];
    if (std::abs(is.start - should.start) < 1e-6 && std::abs(is.end - should.end) < 1e-6 &&
        is.pauses == should.pauses && is.moves == should.moves) {
      continue;
    }
    return "job " + std::to_string(k) + ": " + std::to_string(is.start) + " to " + std::to_string(is.end) + ", not " +
           std::to_string(should.start) + " to " + std::to_string(should.end);
  }
  return "";
}

TEST(PreemptCases, RunAsTheReference) {
  using Order = oracle::PlainPausing::Order;
  const std::pair<const char*, oracle::PlainPausing> rules[] = {
      {"LAS/queues=2/first=300", {Order::feedback, true, {300}}},
      {"LAS/queues=4/first=50", {Order::feedback, true, {50, 100, 250}}},
      {"MLF/queues=3/first=20", {Order::feedback, false, {20, 60}}},
      {"MLF/queues=4/first=70", {Order::feedback, false, {70, 210, 490}}},
      {"yardstick/SRPT", {Order::srpt, false, {}}},
      {"yardstick/SWRPT", {Order::swrpt, false, {}}}};
  std::uint64_t pauses = 0, moves = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(400); ++seed) {
    oracle::Dice dice(seed);
    const Instance instance = oracle::random_instance(dice, {.max_nodes = 12, .max_jobs = 30, .whole_nodes = true});
    SimOptions options;
    options.penalty = dice.chance(50) ? 7 : 300;
    for (const auto& [name, rule] : rules) {
      oracle::DecisionChecker checker;
      const RunResult run = or_throw(simulate(instance, parse_algorithm(name).value(), options, &checker));
      const std::string where = std::string(name) + ", seed " + std::to_string(seed);
      ASSERT_EQ(checker.violations(), std::vector<std::string>{}) << where;
      ASSERT_EQ(difference(run, oracle::simulate_plainly(instance, rule, options.penalty)), "") << where;
      for (const JobRecord& job : run.jobs) pauses += job.pauses, moves += job.moves;
    }
  }
  EXPECT_GT(pauses, 100u);
  EXPECT_GT(moves, 10u);
}

}  // namespace
}  // namespace dfrs::sim
