// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/rr5724.h"

#include <gtest/gtest.h>

#include <map>

#include "studies/divisible/rr5724_published.h"

namespace dfrs::sim {
namespace {

TEST(Rr5724, PublishedTablesAreConsistent) {
  std::map<int, int> rows;
  double table1 = 0;
  double sites = 0;
  for (const Rr5724Row& row : rr5724_published()) {
    ++rows[row.table];
    EXPECT_GE(row.max_stretch.max, row.max_stretch.mean);
    EXPECT_GE(row.max_stretch.mean, 1);
    EXPECT_GE(row.sum_stretch.mean, 1);
    EXPECT_GE(row.sum_stretch.max, row.sum_stretch.mean);
    // Tables 2 to 4 divide the 162 configurations into thirds, so their means average to that of table 1.
    if (row.algorithm != "MCT") continue;
    if (row.table == 1) table1 = row.max_stretch.mean;
    if (row.table >= 2 && row.table <= 4) sites += row.max_stretch.mean / 3;
  }
  EXPECT_EQ(rows.size(), 16U);
  EXPECT_EQ(rows[1], 11);
  for (int table = 2; table <= 16; ++table) EXPECT_EQ(rows[table], 10) << table;
  EXPECT_NEAR(sites, table1, 0.02);
}

TEST(Rr5724, RunsOneInstanceOfEachConfiguration) {
  ReproduceOptions options;
  options.parts = {"table2"};
  options.instances = 1;
  options.threads = 1;
  std::size_t last = 0;
  options.progress = [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, 54U);
    last = done;
  };
  ReproductionReport report;
  or_throw(kRr5724.run(options, report));
  EXPECT_EQ(last, 54U);
  EXPECT_EQ(report.cells().size(), 60U);
  EXPECT_EQ(report.notes().size(), 3U);
  for (const Comparison& cell : report.cells()) {
    EXPECT_EQ(cell.table, "table2");
    EXPECT_TRUE(cell.published.has_value());
    EXPECT_EQ(cell.spread.has_value(), cell.column.ends_with("mean"));
    if (cell.spread) {
      EXPECT_EQ(cell.spread->count, 54U);
      EXPECT_LE(cell.spread->interval.low, cell.measured);
      EXPECT_GE(cell.spread->interval.high, cell.measured);
    }
    if (cell.column == "max-stretch mean" || cell.column == "sum-stretch mean") {
      EXPECT_GE(cell.measured, 1) << cell.row;
    }
    if (cell.row == "Offline" && cell.column.starts_with("max-stretch m")) {
      EXPECT_NEAR(cell.measured, 1, 1e-8);
    }
    if (cell.row == "MCT" && cell.column == "max-stretch mean") {
      EXPECT_GT(cell.measured, 5);
    }
  }
}

}  // namespace
}  // namespace dfrs::sim
