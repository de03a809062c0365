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

// Rows of PC2's column in tables 5 and 6, of one job set.
std::map<std::string, double> pc2(std::vector<std::string> assume) {
  const TemporaryFolder without_logs;
  ReproduceOptions options;
  options.parts = {"table5", "table6"};
  options.assume = std::move(assume);
  options.instances = 1;
  options.traces = without_logs.path().string();
  ReproductionReport report;
  or_throw(or_throw(find_reproduction("dynp"))->run(options, report));
  std::map<std::string, double> rows;
  for (const Comparison& cell : report.cells()) {
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

}  // namespace
}  // namespace dfrs::sim
