// SPDX-License-Identifier: GPL-2.0-or-later
// reproduce gang-cloud: a replication of the paper's experiments with q = 0.5, and what the paper says about them.
#include <gtest/gtest.h>

#include <map>

#include "sim/reproduce/reproduction.h"
#include "studies/gang/gang_cloud_published.h"

namespace dfrs::sim {
namespace {

TEST(GangCloud, MigrationsAndResponseTimesOfMediumGangs) {
  ReproduceOptions options;
  options.parts = {"figure2a-q50", "figure3-q50"};
  options.instances = 2;
  options.threads = 1;
  std::size_t runs = 0;
  options.progress = [&](std::size_t, std::size_t total) {
    ++runs;
    EXPECT_EQ(total, 64U) << "q = 0.5 alone";
  };
  ReproductionReport report;
  or_throw(or_throw(find_reproduction("gang-cloud"))->run(options, report));
  EXPECT_EQ(runs, 64U);
  ASSERT_EQ(report.cells().size(), 64U);
  EXPECT_EQ(report.plots().size(), 2U);
  std::map<std::string, std::map<std::string, std::map<std::string, double>>> figure;
  for (const Comparison& cell : report.cells()) {
    EXPECT_FALSE(cell.published.has_value());
    ASSERT_TRUE(cell.spread.has_value());
    EXPECT_EQ(cell.spread->count, 2U);
    EXPECT_LE(cell.spread->interval.low, cell.measured);
    EXPECT_GE(cell.spread->interval.high, cell.measured);
    figure[cell.table][cell.row][cell.column] = cell.measured;
  }
  for (const char* scheduler : {"AFCFS", "LJFS"}) {
    for (const char* fit : {"FF", "BF"}) {
      double last = 0;
      for (const char* lambda : {"2", "2.25", "2.5", "2.75"}) {
        const auto of = [&](const char* part, const char* x) {
          return figure[part][lambda][std::string(scheduler) + " " + fit + "-" + x];
        };
        // Section V.D.1: up to 40 % fewer migrations with X-factor 20, at response times that are still good.
        EXPECT_LT(of("figure3-q50", "20"), 0.9 * of("figure3-q50", "10")) << scheduler << fit << lambda;
        EXPECT_GT(of("figure3-q50", "20"), 0.5 * of("figure3-q50", "10")) << scheduler << fit << lambda;
        EXPECT_LT(of("figure2a-q50", "20"), 1.05 * of("figure2a-q50", "10")) << scheduler << fit << lambda;
        EXPECT_GT(of("figure2a-q50", "10"), last) << "it rises with the arrival rate";
        last = of("figure2a-q50", "10");
        // Values of this model, so that a change does not go unnoticed.
        EXPECT_NEAR(last, 1.74, 0.11) << scheduler << fit << lambda;
      }
    }
  }
}

TEST(GangCloud, PublishedTable) {
  double sum = 0;
  for (const GangCloudLine& line : kGangCloudTable1) {
    for (double cell : {line.ff10, line.bf10, line.ff20, line.bf20}) sum += cell;
  }
  EXPECT_NEAR(sum, -2.06529, 1e-9);
  EXPECT_EQ(kGangCloudTable1[2].bf20, -0.20242);
  EXPECT_EQ(kGangCloudTable1[11].lambda, 4);
}

}  // namespace
}  // namespace dfrs::sim
