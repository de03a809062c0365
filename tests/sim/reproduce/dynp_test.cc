// SPDX-License-Identifier: GPL-2.0-or-later
// Readings of Streit's paper, on job sets that need no log.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "sim/errors.h"
#include "sim/reproduce/reproduction.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

std::vector<Comparison> cells_of(ReproduceOptions options) {
  const TemporaryFolder without_logs;
  options.traces = without_logs.path().string();
  ReproductionReport report;
  or_throw(or_throw(find_reproduction("dynp"))->run(options, report));
  return {report.cells().begin(), report.cells().end()};
}

// Rows of PC2's column in tables 5 and 6, of one job set.
std::map<std::string, double> pc2(std::vector<std::string> assume) {
  ReproduceOptions options;
  options.parts = {"table5", "table6"};
  options.assume = std::move(assume);
  options.instances = 1;
  std::map<std::string, double> rows;
  for (const Comparison& cell : cells_of(options)) {
    if (cell.column == "PC2_syn") rows[cell.row] = cell.measured;
  }
  return rows;
}

TEST(DynpReadings, ReachDecisionsAndJobSets) {
  const std::map<std::string, double> plain = pc2({});
  EXPECT_LT(plain.at("case 6b"), 0.2 * plain.at("total"));
  // The paper has 74 %.
  const std::map<std::string, double> queue = pc2({"queue"});
  EXPECT_GT(queue.at("case 6b"), 0.6 * queue.at("total"));
  EXPECT_EQ(queue.at("average actual runtime [s]"), plain.at("average actual runtime [s]"));
  // The paper's 42.49 % is what the jobs offer; they end some time after the last submission.
  const std::map<std::string, double> load = pc2({"load"});
  EXPECT_NEAR(load.at("utilization [%]"), 42.49, 3);
  EXPECT_NE(load.at("total"), plain.at("total"));
}

TEST(DynpSets, EachIsShownAndTheirMeanIsTable5s) {
  ReproduceOptions options;
  options.parts = {"table5", "table5-sets"};
  options.instances = 2;
  options.seed = 5;
  std::map<std::string, double> wait;  // of PC2, by the seed of the set
  double mean = 0;
  for (const Comparison& cell : cells_of(options)) {
    if (cell.table == "table5-sets" && cell.column == "PC2_syn wait [s]") wait[cell.row] = cell.measured;
    if (cell.table == "table5" && cell.column == "PC2_syn" && cell.row == "average wait time [s]") mean = cell.measured;
  }
  ASSERT_EQ(wait.size(), 2u);
  EXPECT_NE(wait.at("5"), wait.at("6"));
  EXPECT_DOUBLE_EQ(mean, (wait.at("5") + wait.at("6")) / 2);
}

}  // namespace
}  // namespace dfrs::sim
