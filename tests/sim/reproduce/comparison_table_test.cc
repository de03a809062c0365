// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/comparison_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/sim/failure_message.h"
#include "tests/sim/reproduce/made_up.h"

namespace dfrs::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Result<std::vector<ComparisonTable>> try_tables_of(const std::vector<Comparison>& cells) {
  ReproductionReport report;
  for (const Comparison& cell : cells) report.add(cell);
  return comparison_tables(kMadeUp, report);
}
std::vector<ComparisonTable> tables_of(const std::vector<Comparison>& cells) { return or_throw(try_tables_of(cells)); }

TEST(ComparisonTable, HasRowsAndColumnsInOrderOfAppearance) {
  const std::vector<ComparisonTable> tables =
      tables_of({{"table1", "b", "y", 1, 1}, {"table1", "a", "x", {}, 2}, {"table1", "b", "x", {}, 3}});
  ASSERT_THAT(tables, SizeIs(1));
  const ComparisonTable& table = tables.front();
  EXPECT_EQ(table.title, "Degradation, both sets");
  ASSERT_THAT(table.rows, SizeIs(2));
  ASSERT_THAT(table.columns, SizeIs(2));
  EXPECT_EQ(table.rows[0].name, "b");
  EXPECT_EQ(table.rows[1].name, "a");
  EXPECT_EQ(table.columns[0].heading, "y");
  EXPECT_TRUE(table.columns[0].published);
  EXPECT_FALSE(table.columns[1].published);
  EXPECT_FALSE(table.rows[1].cells[0].has_value());
  EXPECT_EQ(table.rows[0].cells[1]->measured, 3);
}

TEST(ComparisonTable, FollowsTheOrderOfPartsAndKeepsNotesOfPartsThatDidNotRun) {
  const std::vector<ComparisonTable> tables = or_throw(comparison_tables(kMadeUp, made_up_report()));
  ASSERT_THAT(tables, SizeIs(3));
  EXPECT_EQ(tables[0].part, "table1");
  EXPECT_THAT(tables[0].notes, ElementsAre(HasSubstr("published figure"), "Two instances instead of 182."));
  EXPECT_THAT(tables[1].rows, IsEmpty());
  EXPECT_THAT(tables[1].notes, ElementsAre("Left out: there is no log."));
  EXPECT_EQ(tables[2].corner, "load");
  EXPECT_TRUE(tables[2].plot.has_value());
}

// 1.2, 0.99, 2 by hand: one within 5 %, two within 20 %. A published 0 has no ratio, nor has a figure that is infinite.
TEST(ComparisonTable, SaysHowManyCellsAgree) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<ComparisonTable> tables = tables_of({{"table1", "a", "x", 10, 12},
                                                         {"table1", "b", "x", 100, 99},
                                                         {"table1", "c", "x", 1, 2},
                                                         {"table1", "d", "x", 0, 5},
                                                         {"table1", "e", "x", 3, infinity},
                                                         {"table1", "f", "x", {}, 5}});
  EXPECT_THAT(tables.front().notes, ElementsAre("Of 3 cells with a published figure 1 is within 5 % of it and 2 within "
                                                "20 %; ratios go from 0.99 (b, x) to 2.00 (c, x)."));
  EXPECT_THAT(tables_of({{"table1", "a", "x", 0, 1}}).front().notes, IsEmpty());
}

TEST(ComparisonTable, ShowsAsManyDecimalsAsThePaper) {
  const std::vector<ComparisonTable> tables = tables_of({
      {"table1", "a", "thousands", 3578.5, 3312.61},
      {"table1", "a", "shares", 0.064, 0.0652},
      {"table1", "a", "counts", 90, 88},
      {"table1", "a", "rounded", 90, 88.36},
      {"table1", "a", "ours alone", {}, 0.0123},
      {"table1", "a", "large, ours alone", {}, 12345.678},
  });
  std::vector<int> decimals;
  for (const ComparisonTable::Column& column : tables.front().columns) decimals.push_back(column.decimals);
  EXPECT_THAT(decimals, ElementsAre(1, 3, 0, 1, 4, 0));
}

TEST(ComparisonTable, RefusesReportsThatAreWrong) {
  EXPECT_EQ(message_of(kExitInternal, try_tables_of({{"table3", "a", "x", {}, 1}})), "made-up has no part 'table3'");
  EXPECT_EQ(message_of(kExitInternal, try_tables_of({{"table1", "a", "x", {}, 1}, {"table1", "a", "x", {}, 1}})),
            "table1: two figures for row 'a', column 'x'");
  ReproductionReport report;
  report.add({"figure1a", "low", "x", {}, 1});
  report.plot({"figure1a", "load", "degradation"});
  EXPECT_EQ(message_of(kExitInternal, comparison_tables(kMadeUp, report)),
            "figure1a: row 'low' of a figure is no number");
  ReproductionReport note;
  note.note("table9", "No such table.");
  EXPECT_EQ(message_of(kExitInternal, comparison_tables(kMadeUp, note)), "made-up has no part 'table9'");
}

TEST(ComparisonTable, NumbersAsText) {
  EXPECT_EQ(figure_text(12.345, 1), "12.3");
  EXPECT_EQ(figure_text(-0.001, 2), "0.00");
  EXPECT_EQ(figure_text(-0.01, 2), "-0.01");
  EXPECT_EQ(ratio_text(0.0341), "0.034");
  EXPECT_EQ(ratio_text(0.966), "0.97");
  EXPECT_EQ(ratio_text(9.999), "10.0");
  EXPECT_EQ(ratio_text(324.4), "324");
}

TEST(Comparison, RatioNeedsAPublishedFigure) {
  EXPECT_EQ((Comparison{"t", "r", "c", 4, 5}.ratio()), 1.25);
  EXPECT_EQ((Comparison{"t", "r", "c", 0, 5}.ratio()), std::nullopt);
  EXPECT_EQ((Comparison{"t", "r", "c", std::nullopt, 5}.ratio()), std::nullopt);
}

}  // namespace
}  // namespace dfrs::sim
