// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrs::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Comparison cell(const char* table, const char* row, std::optional<double> published, double measured,
                const char* variant_of = "") {
  return {table, row, "avg.", published, measured, {}, variant_of};
}

TEST(CellAccount, TenPercentOrEqualAsPrinted) {
  const std::vector<Comparison> cells{
      cell("table1", "a", 100, 110), cell("table1", "b", 100, 89.9), cell("table1", "c", 0.02, 0.0151),
      cell("table1", "d", 0, 0),     cell("table1", "e", 0, 1),      cell("table1", "f", std::nullopt, 5),
  };
  const std::vector<CellAccount> accounts = account_of(cells);
  ASSERT_THAT(accounts, SizeIs(1));
  EXPECT_EQ(accounts[0].within, 3u);  // a, c (0.0151 is printed as 0.02), d
  EXPECT_EQ(accounts[0].explained, 0u);
  EXPECT_EQ(accounts[0].unexplained, 2u);
}

TEST(CellAccount, AVariantExplainsOnlyWhatTheRowItselfMisses) {
  const std::vector<Comparison> cells{
      cell("table1", "EASY", 100, 50),
      cell("table1", "EASY/extra-only", 100, 95, "EASY"),
      cell("table2", "EASY", 100, 100),
      cell("table2", "EASY/extra-only", 100, 101, "EASY"),
      cell("table3", "EASY", 100, 50),
      cell("table3", "EASY/extra-only", 100, 51, "EASY"),
      cell("table4", "x: EASY", 100, 100, "EASY"),  // its own row is not in this table
  };
  const std::vector<CellAccount> accounts = account_of(cells);
  ASSERT_THAT(accounts, SizeIs(3));
  EXPECT_EQ(accounts[0].explained, 1u);
  EXPECT_EQ(accounts[1].within, 1u);
  EXPECT_EQ(accounts[1].explained, 0u);
  EXPECT_EQ(accounts[2].unexplained, 1u);
  EXPECT_THAT(account_sentences(accounts),
              ElementsAre(HasSubstr("table1: 1; 0 within 10 %, 1 more"), HasSubstr("table2"), HasSubstr("table3"),
                          "Published cells of all tables: 3; 1 within 10 %, 1 more under a tested assumption, 1 "
                          "unexplained."));
}

}  // namespace
}  // namespace dfrs::sim
