// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of the reproduction of RR-7659. tests/cli/reproduce_test.cc runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "policy/core/algorithm.h"
#include "policy/rr7659/options.h"
#include "sim/campaign/campaign.h"
#include "sim/errors.h"
#include "sim/reproduce/rr7659_experiments.h"
#include "sim/reproduce/rr7659_published.h"
#include "sim/reproduce/rr7659_readings.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim::rr7659 {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

TEST(Rr7659Weeks, AreSpreadEvenlyAndNested) {
  EXPECT_THAT(spread(1, 182), ElementsAre(0));
  EXPECT_THAT(spread(4, 182), ElementsAre(0, 45, 91, 136));  // 0, 1/2, 1/4, 3/4
  EXPECT_THAT(spread(5, 3), ElementsAre(0, 1, 2));
  std::vector<std::size_t> smaller;
  for (std::size_t count = 1; count <= 182; ++count) {
    const std::vector<std::size_t> weeks = spread(count, 182);
    ASSERT_THAT(weeks, SizeIs(count));
    EXPECT_TRUE(std::is_sorted(weeks.begin(), weeks.end()));
    EXPECT_EQ(std::set<std::size_t>(weeks.begin(), weeks.end()).size(), count);
    EXPECT_LT(weeks.back(), 182U);
    EXPECT_THAT(weeks, IsSupersetOf(smaller));
    smaller = weeks;
  }
}

std::string canonical(std::string_view name) {
  const auto algorithm = parse_algorithm(name);
  return algorithm ? algorithm_name(*algorithm) : algorithm.error().message;
}

TEST(Rr7659Published, RowsAreOurAlgorithmsByTheirCanonicalNames) {
  std::set<std::string> names;
  for (const PublishedDegradation& row : published_degradations()) {
    EXPECT_EQ(canonical(row.algorithm), row.algorithm);
    EXPECT_TRUE(names.insert(std::string(row.algorithm)).second) << row.algorithm;
  }
  EXPECT_THAT(names, SizeIs(118));
  std::set<std::string> dfrs;
  for (const PublishedCosts& row : published_costs()) {
    EXPECT_TRUE(names.contains(std::string(row.algorithm))) << row.algorithm;
    dfrs.insert(std::string(row.algorithm));
  }
  EXPECT_THAT(dfrs, SizeIs(116));
  EXPECT_FALSE(dfrs.contains("EASY"));
  for (const std::string_view row : table2_rows()) EXPECT_TRUE(names.contains(std::string(row))) << row;
  for (const std::string_view row : table3_rows()) EXPECT_TRUE(dfrs.contains(std::string(row))) << row;
  for (const PublishedUnderutilization& row : published_underutilizations()) {
    EXPECT_TRUE(names.contains(std::string(row.algorithm))) << row.algorithm;
  }
  EXPECT_THAT(table2_rows(), SizeIs(20));
  EXPECT_THAT(table3_rows(), SizeIs(17));
}

// Whatever was read must be possible: a maximum is not below its average, and the costs that only some algorithms have
// are 0 for the others. A slip of a decimal point shows here.
TEST(Rr7659Published, FiguresAreConsistent) {
  std::size_t unreadable = 0;
  for (const PublishedDegradation& row : published_degradations()) {
    for (std::size_t set = 0; set < 3; ++set) {
      const double avg = row.figures[3 * set];
      const double max = row.figures[3 * set + 2];
      EXPECT_GE(avg, 1) << row.algorithm;
      EXPECT_TRUE(std::isnan(max) || max > avg) << row.algorithm;
    }
    unreadable += static_cast<std::size_t>(
        std::count_if(row.figures.begin(), row.figures.end(), [](double figure) { return std::isnan(figure); }));
  }
  EXPECT_EQ(unreadable, 2U);
  unreadable = 0;
  for (const PublishedCosts& row : published_costs()) {
    const bool moves = row.algorithm.find("per") != std::string_view::npos || row.algorithm.starts_with("MCB8") ||
                       row.algorithm.starts_with("GreedyPM");
    for (std::size_t k = 0; k < row.figures.size(); k += 2) {
      const double avg = row.figures[k];
      const double max = row.figures[k + 1];
      if (std::isnan(avg)) continue;
      const bool of_moves = k / 2 % 2 == 1;
      const bool has = of_moves ? moves : row.algorithm.substr(0, 8) != "Greedy*/" || moves;
      EXPECT_EQ(avg > 0, has) << row.algorithm << " " << k;
      EXPECT_TRUE(std::isnan(max) || (max > avg) == has) << row.algorithm << " " << k;
    }
    unreadable += static_cast<std::size_t>(
        std::count_if(row.figures.begin(), row.figures.end(), [](double figure) { return std::isnan(figure); }));
  }
  EXPECT_EQ(unreadable, 6U * 4 + 3);
  for (const std::string_view row : table2_rows()) {
    for (std::size_t k = 0; k < 9; ++k) EXPECT_TRUE(published_degradation(row, k)) << row << " " << k;
  }
  for (const std::string_view row : table3_rows()) {
    for (std::size_t k = 0; k < 12; ++k) EXPECT_TRUE(published_cost(row, k)) << row << " " << k;
  }
}

TEST(Rr7659Published, SingleFigures) {
  EXPECT_EQ(published_degradation("EASY", 0), 3041.9);
  EXPECT_EQ(published_degradation("GreedyPM*/per/OPT=MIN/MINVT=600", 8), 90.2);
  EXPECT_EQ(published_degradation("GreedyP*/OPT=AVG", 8), std::nullopt) << "its text is damaged";
  EXPECT_EQ(published_degradation("EASY/extra-only", 0), std::nullopt);
  EXPECT_EQ(published_cost("MCB8*/OPT=MIN", 7), 1005.48);
  EXPECT_EQ(published_cost("MCB8*/OPT=AVG/MINVT=300", 0), std::nullopt) << "lost between two pages";
  EXPECT_EQ(published_cost("FCFS", 5), 0);
}

TEST(Rr7659Readings, ConcernTheAlgorithmsThatTheyCan) {
  const Assumed ties = or_throw(assumed(std::vector<std::string>{"ties"}));
  EXPECT_EQ(ties.algorithm("GreedyPM*/per/OPT=MIN/MINVT=600"), "GreedyPM*/per/OPT=MIN/MINVT=600/TIES=PRIORITY");
  for (const char* without_mcb8 : {"EASY", "GreedyP/OPT=MIN"}) EXPECT_EQ(ties.algorithm(without_mcb8), without_mcb8);
  const Assumed fill = or_throw(assumed(std::vector<std::string>{"fill"}));
  EXPECT_EQ(fill.algorithm("GreedyP*/per/OPT=MIN"), "GreedyP*/per/OPT=MIN/TIES=PRIORITY/FILL");
  EXPECT_EQ(fill.algorithm("MCB8*/OPT=MIN"), "MCB8*/OPT=MIN/TIES=PRIORITY");
  const Assumed newest = or_throw(assumed(std::vector<std::string>{"newest"}));
  EXPECT_EQ(newest.algorithm("GreedyPM*/per/OPT=MIN"), "GreedyPM*/per/OPT=MIN/TIES=NEWEST/PLACE=FIRST");
  EXPECT_EQ(newest.algorithm("MCB8*/OPT=MIN"), "MCB8*/OPT=MIN/TIES=NEWEST");
  const Assumed fit = or_throw(assumed(std::vector<std::string>{"fit"}));
  EXPECT_EQ(fit.algorithm("GreedyP/per/OPT=MIN"), "GreedyP/per/OPT=MIN/TIES=NEWEST/PLACE=FIRST");
  EXPECT_EQ(fit.algorithm("/stretch-per/OPT=AVG/MINVT=600"), "/stretch-per/OPT=AVG/MINVT=600/TIES=NEWEST/FINE");
  EXPECT_TRUE(fit.resumes_count);
  EXPECT_EQ(fit.algorithm("GreedyP*/per/OPT=MIN"), "GreedyP*/per/OPT=MIN/TIES=NEWEST/FILL/PLACE=FIRST");
  EXPECT_EQ(fit.algorithm("Greedy*/per/OPT=MIN"), "Greedy*/per/OPT=MIN/TIES=NEWEST/FILL");
  EXPECT_EQ(fit.algorithm("MCB8*/OPT=MIN"), "MCB8*/OPT=MIN/TIES=NEWEST") << "/FILL concerns Greedy* with /per";
  EXPECT_EQ(newest.algorithm("GreedyP*/OPT=MIN"), "GreedyP*/OPT=MIN/PLACE=FIRST");
  for (const char* neither : {"EASY", "Greedy*/OPT=MIN"}) EXPECT_EQ(newest.algorithm(neither), neither);
  for (const PublishedDegradation& row : published_degradations()) {
    EXPECT_TRUE(parse_algorithm(newest.algorithm(row.algorithm))) << row.algorithm;
    EXPECT_TRUE(parse_algorithm(ties.algorithm(row.algorithm))) << row.algorithm;
    EXPECT_TRUE(parse_algorithm(fill.algorithm(row.algorithm))) << row.algorithm;
    EXPECT_TRUE(parse_algorithm(fit.algorithm(row.algorithm))) << row.algorithm;
  }
}

TEST(Rr7659Readings, EachChangesSomething) {
  const auto settings = [](const Assumed& a) {
    CampaignOptions options;
    options.sim = a.sim;
    return campaign_settings(options);
  };
  for (const ReproductionPart& reading : readings()) {
    const Assumed a = or_throw(assumed(std::vector{std::string(reading.name)}));
    const bool other = settings(a) != settings({}) || a.memory_mib != Assumed{}.memory_mib || a.resumes_count ||
                       a.algorithm("MCB8*/OPT=MIN") != "MCB8*/OPT=MIN" ||
                       a.algorithm("/stretch-per/OPT=MAX") != "/stretch-per/OPT=MAX";
    EXPECT_TRUE(other) << reading.name;
  }
  EXPECT_EQ(message_of(kExitInternal, assumed(std::vector<std::string>{"tie"})), "no reading of RR-7659 is called tie");
  const Assumed both = or_throw(assumed(std::vector<std::string>{"penalty-450", "merged"}));
  EXPECT_EQ(both.sim.penalty, 450);
  EXPECT_FALSE(both.sim.events_apart);
}

// What an experiment simulates under its readings, by the names of the paper.
TEST(Rr7659Readings, ReachSimulationsAndWorkloads) {
  constexpr std::string_view kAlgorithm = "GreedyPM/per/OPT=MIN";
  const auto row = [&](std::vector<std::string> assume) {
    ReproduceOptions options;
    options.assume = std::move(assume);
    options.instances = 1;
    Experiments experiments(options, or_throw(assumed(options.assume)));
    experiments.need(Set::unscaled, kAlgorithm);
    or_throw(experiments.run());
    return experiments.rows(Set::unscaled, kAlgorithm).front();
  };
  const ResultRow plain = row({});
  EXPECT_LT(row({"penalty-0"}).degradation(), plain.degradation());
  EXPECT_NE(row({"ties"}).metrics.moves, plain.metrics.moves);
  const double gb = row({"8GB"}).metrics.move_gb_per_s;
  EXPECT_NEAR(gb, 0.8 * plain.metrics.move_gb_per_s, 0.01 * gb);
}

// Of numbers of pauses only, in the tables that show costs.
TEST(Rr7659Readings, ResumesDoubleNumbersOfPauses) {
  const auto costs = [](std::vector<std::string> assume) {
    ReproduceOptions options;
    options.assume = std::move(assume);
    options.instances = 1;
    options.parts = {"table3"};
    ReproductionReport report;
    or_throw(or_throw(find_reproduction("rr7659"))->run(options, report));
    return report;
  };
  const ReproductionReport plain = costs({});
  const ReproductionReport counted = costs({"resumes"});
  ASSERT_EQ(plain.cells().size(), counted.cells().size());
  std::size_t doubled = 0;
  for (std::size_t k = 0; k < plain.cells().size(); ++k) {
    const Comparison& cell = plain.cells()[k];
    const bool numbers = cell.column.starts_with("pmtn /");
    EXPECT_DOUBLE_EQ(counted.cells()[k].measured, (numbers ? 2 : 1) * cell.measured) << cell.row << ' ' << cell.column;
    doubled += numbers && cell.measured > 0 ? 1 : 0;
  }
  EXPECT_GT(doubled, 20u);
}

}  // namespace
}  // namespace dfrs::sim::rr7659
