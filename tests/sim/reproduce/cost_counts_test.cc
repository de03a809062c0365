// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/cost_counts.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>

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

const Comparison& cell_of(const ReproductionReport& report, std::string_view table, std::string_view row,
                          std::string_view column) {
  for (const Comparison& cell : report.cells()) {
    if (cell.table == table && cell.row == row && cell.column == column) return cell;
  }
  throw std::out_of_range(std::string(row));
}

// One algorithm with one published figure, GB/s of pauses, on four traces.
ReproductionReport with_published(double gb_per_s) {
  const double nan = std::nan("");
  CostStudy study;
  study.part = "t";
  study.instances = 4;
  study.targets = {{"GreedyP*/OPT=MIN", {gb_per_s, nan, nan, nan, nan, nan}}};
  ReproduceOptions options;
  options.threads = 2;
  ReproductionReport report;
  or_throw(test_cost_assumptions(study, options, report));
  return report;
}

TEST(CostAssumptions, IntervalsAreOfTraces) {
  const ReproductionReport report = with_published(0.03);
  const Comparison& ours = cell_of(report, "t-cells", "none: GreedyP*/OPT=MIN", "pmtn GB/s");
  const Comparison& ratio = cell_of(report, "t", "none", "pmtn GB/s");
  const Comparison& factor = cell_of(report, "t", "none", "typical factor");
  ASSERT_TRUE(ours.spread && ratio.spread && factor.spread);
  EXPECT_NEAR(ratio.measured, ours.measured / 0.03, 1e-9);
  EXPECT_NEAR(factor.measured, std::max(ratio.measured, 1 / ratio.measured), 1e-9);
  EXPECT_LT(ratio.spread->interval.low, ratio.measured);
  EXPECT_GT(ratio.spread->interval.high, ratio.measured);
  // The same draws, by percentiles here and corrected for bias there.
  EXPECT_NEAR(ratio.spread->interval.low * 0.03, ours.spread->interval.low, 0.3 * ours.measured);
  EXPECT_NEAR(ratio.spread->interval.high * 0.03, ours.spread->interval.high, 0.3 * ours.measured);
}

TEST(CostAssumptions, ArePairedWithNone) {
  const auto nearer = [](const ReproductionReport& report, std::string_view row) {
    return cell_of(report, "t", row, "nearer than none, % of draws").measured;
  };
  const ReproductionReport far_too_high = with_published(1e-4);
  const ReproductionReport far_too_low = with_published(100);
  // Memory is the same however pauses are counted; on nodes of 8 GB it is four fifths.
  EXPECT_EQ(nearer(far_too_high, "task"), 50);
  EXPECT_EQ(nearer(far_too_high, "8GB"), 100);
  EXPECT_EQ(nearer(far_too_low, "8GB"), 50) << "a hundredth is the least ratio that counts";
  EXPECT_EQ(nearer(with_published(1), "8GB"), 0);
  EXPECT_THROW(nearer(far_too_high, "none"), std::out_of_range);
}

}  // namespace
}  // namespace dfrs::sim
