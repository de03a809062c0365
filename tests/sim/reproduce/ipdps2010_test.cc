// SPDX-License-Identifier: GPL-2.0-or-later
// The reproduction of IPDPS 2010 on one workload: every cell is there, and what holds on any workload holds.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sim/campaign/sqlite.h"
#include "sim/reproduce/reproduction.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

ReproductionReport run_on_one(std::vector<std::string> parts, std::size_t& last, std::size_t& total,
                              const std::string& folder = {}, std::size_t instances = 1) {
  const Reproduction& reproduction = *or_throw(find_reproduction("ipdps2010"));
  ReproduceOptions options;
  options.parts = std::move(parts);
  options.instances = instances;
  options.threads = 2;
  options.output = folder;
  std::size_t calls = 0;
  options.progress = [&](std::size_t done, std::size_t of) {
    EXPECT_EQ(done, ++calls);
    last = done;
    total = of;
  };
  ReproductionReport report;
  or_throw(reproduction.run(options, report));
  return report;
}

double measured(const ReproductionReport& report, std::string_view table, std::string_view row,
                std::string_view column) {
  for (const Comparison& cell : report.cells()) {
    if (cell.table == table && cell.row == row && cell.column == column) return cell.measured;
  }
  ADD_FAILURE() << "no cell " << table << " / " << row << " / " << column;
  return 0;
}

TEST(ReproduceIpdps2010, WithoutPenaltyDynmcb8IsNearlyAlwaysBest) {
  std::size_t done = 0, total = 0;
  const ReproductionReport report = run_on_one({"figure1a", "figure1a-text"}, done, total);
  EXPECT_EQ(total, 9u * 9u);
  EXPECT_EQ(done, total);
  EXPECT_EQ(report.cells().size(), 9u * 9u + 3u);
  ASSERT_EQ(report.plots().size(), 1u);
  EXPECT_EQ(report.plots()[0].part, "figure1a");
  for (const char* load : {"0.1", "0.5", "0.9"}) {
    double best = HUGE_VAL;
    for (const Comparison& cell : report.cells()) {
      if (cell.table == "figure1a" && cell.row == load) best = std::min(best, cell.measured);
    }
    EXPECT_DOUBLE_EQ(best, 1) << load;  // one workload: the best of its algorithms is the best on average
  }
  EXPECT_LT(measured(report, "figure1a-text", "DYNMCB8", "value"), 2);
  EXPECT_GT(measured(report, "figure1a-text", "EASY / GREEDY-PMTN", "value"), 2);
}

TEST(ReproduceIpdps2010, QuotientsAreOfAllLoadsAndTraces) {
  std::size_t done = 0, total = 0;
  const ReproductionReport report = run_on_one({"figure1a", "figure1a-text"}, done, total, {}, 2);
  const auto sum = [&](const char* algorithm) {
    double all = 0;
    for (const Comparison& cell : report.cells()) {
      if (cell.table == "figure1a" && cell.column == algorithm) all += cell.measured;
    }
    return all;
  };
  EXPECT_NEAR(measured(report, "figure1a-text", "DYNMCB8", "value"), sum("DYNMCB8") / 9, 1e-9);
  EXPECT_NEAR(measured(report, "figure1a-text", "EASY / GREEDY-PMTN", "value"), sum("EASY") / sum("GREEDY-PMTN"), 1e-9);
  for (const Comparison& cell : report.cells()) {
    if (cell.table != "figure1a-text") continue;
    ASSERT_TRUE(cell.spread) << cell.row;
    EXPECT_EQ(cell.spread->count, cell.row == "DYNMCB8" ? 18u : 2u);
    EXPECT_LE(cell.spread->interval.low, cell.measured);
    EXPECT_GE(cell.spread->interval.high, cell.measured);
  }
}

TEST(ReproduceIpdps2010, CostsAreOfThoseThatPauseAndMove) {
  std::size_t done = 0, total = 0;
  const ReproductionReport report = run_on_one({"table2"}, done, total);
  EXPECT_EQ(total, 3u * 9u);  // loads 0.7, 0.8 and 0.9
  EXPECT_EQ(report.cells().size(), 6u * 12u);
  std::set<std::string> rows;
  for (const Comparison& cell : report.cells()) {
    rows.insert(cell.row);
    EXPECT_EQ(cell.table, "table2");
    ASSERT_TRUE(cell.published) << cell.row << " " << cell.column;
    EXPECT_TRUE(std::isfinite(cell.measured) && cell.measured >= 0) << cell.row << " " << cell.column;
  }
  EXPECT_EQ(rows.size(), 6u);
  for (const char* column : {"moves per job avg", "moves per job max", "moves GB/s avg"}) {
    EXPECT_EQ(measured(report, "table2", "GREEDY-PMTN", column), 0) << column;
    EXPECT_GT(measured(report, "table2", "GREEDY-PMTN-MIGR", column), 0) << column;
    EXPECT_GT(measured(report, "table2", "DYNMCB8", column), measured(report, "table2", "DYNMCB8-PER", column));
  }
  EXPECT_GT(measured(report, "table2", "GREEDY-PMTN", "pauses per job avg"), 0);
}

// Table II's simulations are among those of figure 1 (b). Equal CPU times show that they did not run again.
TEST(ReproduceIpdps2010, GoesOnFromItsStore) {
  const TemporaryFolder folder;
  std::size_t done = 0, total = 0;
  run_on_one({"table2"}, done, total, folder.path().string());
  const auto times = [&](const char* of) {
    return or_throw(
        or_throw(Database::open(folder / "ipdps2010.db"))
            .integer(std::string("SELECT ") + of + "(cpu_seconds * 1e9) FROM results WHERE instance LIKE '%load-0.9'"));
  };
  const std::int64_t before = times("sum");
  EXPECT_GT(times("min"), 0);
  run_on_one({"figure1b"}, done, total, folder.path().string());
  EXPECT_EQ(total, 9u * 9u);
  EXPECT_EQ(done, total);
  EXPECT_EQ(times("sum"), before);
}

}  // namespace
}  // namespace dfrs::sim
