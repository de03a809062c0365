// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/cell_count.h"

#include <gtest/gtest.h>

#include <vector>

#include "sim/errors.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

Comparison cell(const char* row, std::optional<double> published, double measured) {
  return {"table1", row, "mean", published, measured};
}

TEST(CellCount, AgreesWithinATenth) {
  EXPECT_TRUE(agrees(cell("a", 10, 11)));
  EXPECT_TRUE(agrees(cell("a", 10, 9)));
  EXPECT_FALSE(agrees(cell("a", 10, 11.01)));
  EXPECT_TRUE(agrees(cell("a", -0.1, -0.095)));
  EXPECT_FALSE(agrees(cell("a", -0.1, 0.1)));
  EXPECT_TRUE(agrees(cell("a", 0, 0)));
  EXPECT_FALSE(agrees(cell("a", 0, 0.001)));
  EXPECT_FALSE(agrees(cell("a", std::nullopt, 0)));
}

TEST(CellCount, ExplainsOnlyWhatDoesNotAgreeAlready) {
  const std::vector<Comparison> ours{cell("a", 10, 10), cell("b", 10, 5), cell("c", 10, 5), cell("d", std::nullopt, 1)};
  const std::vector<Comparison> tested{cell("a", 10, 20), cell("b", 10, 10), cell("c", 10, 6),
                                       cell("d", std::nullopt, 1)};
  const CellCount alone = count_cells(ours);
  EXPECT_EQ(alone.published, 3U);
  EXPECT_EQ(alone.agree, 1U);
  EXPECT_EQ(alone.unexplained(), 2U);
  const CellCount both = or_throw(count_cells(ours, tested));
  EXPECT_EQ(both.agree, 1U);
  EXPECT_EQ(both.explained, 1U);
  EXPECT_EQ(both.unexplained(), 1U);
}

TEST(CellCount, RefusesOtherCells) {
  const std::vector<Comparison> ours{cell("a", 10, 10)};
  const std::vector<Comparison> other{cell("b", 10, 10)};
  const std::vector<Comparison> more{cell("a", 10, 10), cell("b", 10, 10)};
  EXPECT_EQ(message_of(kExitInternal, count_cells(ours, other)), "readings differ in their cells");
  EXPECT_EQ(message_of(kExitInternal, count_cells(ours, more)), "readings differ in their cells");
}

}  // namespace
}  // namespace dfrs::sim
