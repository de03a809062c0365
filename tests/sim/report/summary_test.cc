// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "sim/errors.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/report/rows.h"

namespace dfrs::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const CampaignSummary& summary) {
  std::vector<std::string> out;
  for (const AlgorithmSummary& a : summary.algorithms) out.push_back(a.algorithm);
  return out;
}

TEST(ReportSummary, AveragesOverInstances) {
  const CampaignSummary s = or_throw(summarize_campaign(two_by_two()));
  EXPECT_EQ(s.instances, 2U);
  EXPECT_EQ(s.jobs, 200U);
  ASSERT_EQ(s.algorithms.size(), 2U);
  const AlgorithmSummary& pm = s.algorithms[1];
  EXPECT_DOUBLE_EQ(pm.degradation.mean, 4);                // of 2 and 6
  EXPECT_NEAR(pm.degradation.stddev, 2.8284271247, 1e-9);  // sqrt((4 + 4) / 1)
  EXPECT_DOUBLE_EQ(pm.degradation.max, 6);
  EXPECT_DOUBLE_EQ(pm.bound, 1.5);
  EXPECT_DOUBLE_EQ(pm.mean.max_stretch, 5);
  EXPECT_DOUBLE_EQ(pm.mean.underutilization, 0.375);
  EXPECT_DOUBLE_EQ(pm.mean.pauses_per_job, 1.5);
  EXPECT_DOUBLE_EQ(pm.mean.moves_per_job, 0.75);
  EXPECT_DOUBLE_EQ(pm.traffic_gb_per_s, 0.375);
  EXPECT_TRUE(s.is_best(pm));
  EXPECT_FALSE(s.is_best(s.algorithms[0]));
}

TEST(ReportSummary, EveryAverageHasItsMedianAndInterval) {
  std::vector<ResultRow> rows;
  for (int k = 0; k < 9; ++k) {
    rows.push_back(result(std::to_string(k), "X", 2));
    rows.back().metrics.mean_wait = k == 8 ? 800 : k;
  }
  const CampaignSummary s = or_throw(summarize_campaign(rows));
  const AlgorithmSummary& a = s.algorithms[0];
  ASSERT_EQ(a.spreads.size(), averaged_figures().size());
  const AverageSpread& wait = a.spread("mean_wait_s");
  EXPECT_DOUBLE_EQ(wait.median, 4);
  ASSERT_TRUE(wait.interval);
  EXPECT_LT(wait.interval->low, a.mean.mean_wait);
  EXPECT_GT(wait.interval->high, a.mean.mean_wait);
  EXPECT_DOUBLE_EQ(a.spread("max_stretch").interval->low, 2);  // all are equal
  EXPECT_THROW(a.spread("no such"), std::out_of_range);
}

TEST(ReportSummary, AnAverageWithAnUnknownValueHasNoInterval) {
  std::vector<ResultRow> rows{result("a", "X", 2), result("b", "X", 3)};
  rows[0].metrics.stretch_p50 = std::numeric_limits<double>::quiet_NaN();
  const AverageSpread spread = or_throw(summarize_campaign(rows)).algorithms[0].spread("stretch_p50");
  EXPECT_TRUE(std::isnan(spread.median));
  EXPECT_FALSE(spread.interval);
}

TEST(ReportSummary, OrderIsTheFilesTheGivenOrTheBestFirst) {
  const std::vector<ResultRow> rows{result("a", "X", 3), result("a", "Y", 1), result("a", "Z", 2)};
  EXPECT_THAT(names(or_throw(summarize_campaign(rows))), ElementsAre("X", "Y", "Z"));
  EXPECT_THAT(names(or_throw(summarize_campaign(rows, {SummaryOrder::as_given, {"Z", "absent", "X", "Z"}}))),
              ElementsAre("Z", "X", "Y"));
  EXPECT_THAT(names(or_throw(summarize_campaign(rows, {SummaryOrder::by_degradation, {}}))),
              ElementsAre("Y", "Z", "X"));
}

TEST(ReportSummary, AnAlgorithmThatLacksAnInstanceIsNotRanked) {
  const std::vector<ResultRow> rows{result("a", "X", 3), result("b", "X", 3), result("a", "Y", 1)};
  const CampaignSummary s = or_throw(summarize_campaign(rows, {SummaryOrder::by_degradation, {}}));
  EXPECT_THAT(names(s), ElementsAre("X", "Y"));
  EXPECT_TRUE(s.is_best(s.algorithms[0]));
  EXPECT_FALSE(s.algorithms[1].complete);
  EXPECT_FALSE(s.is_best(s.algorithms[1]));
}

TEST(ReportSummary, RefusesWhatCannotBeCompared) {
  EXPECT_THAT(message_of(kExitInput, summarize_campaign({})), HasSubstr("no results"));
  EXPECT_THAT(message_of(kExitInput, summarize_campaign({result("a", "X", 3), result("a", "X", 4)})),
              HasSubstr("two results of X on instance a"));
  EXPECT_THAT(message_of(kExitInput, summarize_campaign({result("a", "X", 3, 2), result("a", "Y", 4, 3)})),
              HasSubstr("instance a has 100 jobs and bound 2 in the results of X, but 100 and 3 in those of Y"));
  EXPECT_THAT(message_of(kExitInput, summarize_campaign({result("a", "X", 3, 0)})),
              HasSubstr("results of X on instance a: bound_divisible is 0, expected a number above 0"));
  EXPECT_THAT(message_of(kExitInput, summarize_campaign({result("a", "X", std::numeric_limits<double>::infinity())})),
              HasSubstr("max_stretch is inf"));
  ResultRow row = result("a", "X", 2);
  row.metrics.moves_per_job = -1;
  EXPECT_THAT(message_of(kExitInput, summarize_campaign({row})),
              HasSubstr("moves_per_job is -1, expected a number, at least 0"));
}

TEST(ReportLoadGroups, ScaledTracesByTheirLoadOthersByTenths) {
  std::vector<ResultRow> rows;
  const auto add = [&](const char* instance, double load) {
    rows.push_back(result(instance, "X", 2));
    rows.back().load = load;
  };
  add("a", 0.2999999);
  add("b", 0.9);
  add("c", 0.3000001);
  add("d", 0.9);
  double width = 0;
  std::vector<LoadGroup> groups = load_groups(rows, &width);
  EXPECT_DOUBLE_EQ(width, 0.01);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_NEAR(groups[0].load, 0.3, 1e-12);
  EXPECT_THAT(groups[0].instances, ElementsAre("a", "c"));
  EXPECT_THAT(groups[1].instances, ElementsAre("b", "d"));

  rows.clear();
  add("a", 0.31);
  add("b", 0.34);
  add("c", 0.44);
  groups = load_groups(rows, &width);
  EXPECT_DOUBLE_EQ(width, 0.1);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].instances, ElementsAre("a", "b"));
  EXPECT_NEAR(groups[1].load, 0.4, 1e-12);
}

}  // namespace
}  // namespace dfrs::sim
