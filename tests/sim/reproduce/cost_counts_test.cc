// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/cost_counts.h"

#include "sim/reproduce/assumptions.h"
#include "tests/sim/host/by_hand.h"

namespace dfrs::sim {
namespace {

class CostCounts : public ByHand {
 protected:
  void count(const char* algorithm) {
    result_ = or_throw(simulate(instance_, parse_algorithm(algorithm).value(), options_, &counter_));
    counter_.finish();
  }
  CostCounter counter_;
  RunResult result_;
};

// The first job has two tasks on one node and one on another; the second pauses it and lets it resume at its end.
TEST_F(CostCounts, APauseOfThreeTasksOnTwoNodes) {
  nodes(2);
  job(0, 3, 0.1, 40, 1000);
  job(100, 2, 0.1, 90, 50);
  count("GreedyP*");
  EXPECT_EQ(result_.jobs[0].pauses, 1u);
  const auto pauses = [&](Counting counting) { return counter_.count(counting).pauses; };
  EXPECT_EQ(pauses(Counting::job), 1);
  EXPECT_EQ(pauses(Counting::task), 3);
  EXPECT_EQ(pauses(Counting::node), 2);
  EXPECT_EQ(pauses(Counting::resumes), 2);
  EXPECT_EQ(pauses(Counting::instant), 1);
  EXPECT_EQ(pauses(Counting::moves_are_pauses), 1);
  EXPECT_EQ(pauses(Counting::held), 1);
  EXPECT_EQ(counter_.count(Counting::job).paused_mib, 120);
  EXPECT_EQ(counter_.count(Counting::resumes).paused_mib, 240);
}

// The second job needs all of a node; the first has a task on each and moves to the other.
TEST_F(CostCounts, AMoveOfOneOfTwoTasks) {
  nodes(2);
  job(0, 2, 0.1, 40, 1000);
  job(100, 1, 0.1, 90, 50);
  count("GreedyPM*");
  EXPECT_EQ(result_.jobs[0].moves, 1u);
  EXPECT_EQ(counter_.count(Counting::job).moves, 1);
  EXPECT_EQ(counter_.count(Counting::job).pauses, 0);
  EXPECT_EQ(counter_.count(Counting::task).moves, 1);
  EXPECT_EQ(counter_.count(Counting::node).moves, 0) << "it was on that node before";
  EXPECT_EQ(counter_.count(Counting::instant).moves, 1);
  EXPECT_EQ(counter_.count(Counting::moves_are_pauses).pauses, 1);
  EXPECT_EQ(counter_.count(Counting::job).moved_mib, 40);
  EXPECT_EQ(counter_.count(Counting::whole_job).moved_mib, 80);
  EXPECT_EQ(counter_.count(Counting::job).moved_mib, result_.moved_mib);
}

// Two submissions of one instant: the second pauses what the first has just started. The instant paused one job, not
// two.
TEST_F(CostCounts, AnInstantCountsItsOutcome) {
  nodes(1);
  job(0, 1, 0.1, 60, 1000);
  job(100, 1, 0.1, 30, 400);
  job(100, 1, 0.1, 90, 50);
  count("GreedyP*");
  EXPECT_EQ(counter_.count(Counting::job).pauses, 2);
  EXPECT_EQ(counter_.count(Counting::instant).pauses, 1);
}

TEST_F(CostCounts, AgreesWithTheSimulation) {
  nodes(3);
  for (int k = 0; k < 30; ++k) job(40.0 * k, 1 + k % 4, 0.5, 20 + 7 * (k % 5), 200 + 90 * (k % 7));
  count("MCB8*/per/OPT=MIN");
  double pauses = 0;
  double moves = 0;
  for (const JobRecord& record : result_.jobs) pauses += record.pauses, moves += record.moves;
  EXPECT_GT(moves, 0);
  EXPECT_EQ(counter_.count(Counting::job).pauses, pauses);
  EXPECT_EQ(counter_.count(Counting::job).moves, moves);
  EXPECT_EQ(counter_.count(Counting::job).paused_mib, result_.paused_mib);
  EXPECT_EQ(counter_.count(Counting::job).moved_mib, result_.moved_mib);
  EXPECT_EQ(counter_.count(Counting::moves_are_pauses).pauses, pauses + moves);
}

TEST(CostAssumptions, HaveARowEachAndACellForEachAlgorithm) {
  CostStudy study;
  study.part = "table3-assumptions";
  study.instances = 1;
  study.targets = {{"GreedyPM*/OPT=MIN", {0.03, 0.02, 2.25, 3.69, 0.23, 0.36}}};
  ReproduceOptions options;
  options.threads = 2;
  ReproductionReport report;
  or_throw(test_cost_assumptions(study, options, report));
  std::size_t rows = 0;
  std::size_t cells = 0;
  double plain = 0;
  double smaller = 0;
  for (const Comparison& cell : report.cells()) {
    rows += cell.table == "table3-assumptions" && cell.column == "typical factor" ? 1 : 0;
    cells += cell.table == "table3-assumptions-cells" ? 1 : 0;
    if (cell.row == "none: GreedyPM*/OPT=MIN" && cell.column == "mig GB/s") plain = cell.measured;
    if (cell.row == "8GB: GreedyPM*/OPT=MIN" && cell.column == "mig GB/s") smaller = cell.measured;
  }
  EXPECT_EQ(cells, 6 * rows);
  EXPECT_GE(rows, 15u);
  EXPECT_GT(plain, 0);
  EXPECT_DOUBLE_EQ(smaller, 0.8 * plain);
}

}  // namespace
}  // namespace dfrs::sim
