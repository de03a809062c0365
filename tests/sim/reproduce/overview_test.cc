// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/overview.h"

#include <gtest/gtest.h>

#include "tests/sim/reproduce/made_up.h"

namespace dfrs::sim {
namespace {

std::string overview_of(const ReproductionReport& report) {
  return overview(or_throw(comparison_tables(kMadeUp, report)), report);
}

// Table 2 has only a note.
TEST(Overview, PartsAndHowManyPublishedCellsAreMet) {
  EXPECT_EQ(overview_of(made_up_report()),
            "2 parts: table1 and figure1a. Published cells: 3; ours is within 10 % of 1.");
}

TEST(Overview, CellsThatATestedAssumptionExplains) {
  ReproductionReport report;
  report.add({"table1", "EASY", "avg.", 100, 50});
  report.add({"table1", "EASY/extra-only", "avg.", 100, 95, "", "EASY"});
  EXPECT_EQ(overview_of(report),
            "1 part: table1. Published cells: 1; ours is within 10 % of 0, and of 1 more under a tested assumption.");
}

// Yardsticks do not compete, nor do rows with words in place of a number.
TEST(Overview, WithoutPublishedCellsWhoWins) {
  ReproductionReport report;
  for (const char* part : {"table1", "table2", "figure1a"}) {
    report.add({part, "1", "avg.", std::nullopt, 4});
    report.add({part, "2", "avg.", std::nullopt, std::string_view(part) == "table2" ? 5.0 : 3.0});
    report.add({part, "yardstick/SRPT", "avg.", std::nullopt, 1});
    report.add({part, "clairvoyant/Triage", "avg.", std::nullopt, 1});
    report.add({part, "3", "avg.", std::nullopt, 0, "ran away"});
    report.add({part, "1", "max", std::nullopt, 2});
    report.least_wins(part, "avg.");
  }
  EXPECT_EQ(overview_of(report),
            "3 parts: table1, table2 and figure1a. 18 cells, all ours: there are no published figures to compare them "
            "with. Lowest mean degradation, except of yardsticks that know run times: 2 in table1 and figure1a; 1 in "
            "table2.");
}

TEST(Overview, APartWithoutNumbersOrWithEqualOnesHasNoWinner) {
  ReproductionReport report;
  for (const char* row : {"a", "b"}) report.add({"table2", row, "avg.", std::nullopt, 2});
  report.least_wins("table2", "avg.");
  report.add({"table1", "a", "avg.", std::nullopt, 0, "ran away"});
  report.least_wins("table1", "avg.");
  EXPECT_TRUE(report.winners().empty());
}

}  // namespace
}  // namespace dfrs::sim
