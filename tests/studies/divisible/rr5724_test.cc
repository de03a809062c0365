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
  kRr5724.run(options, report);
  EXPECT_EQ(last, 54U);
  EXPECT_EQ(report.cells().size(), 100U);  // 60 published; intervals and medians of ours
  EXPECT_EQ(report.notes().size(), 3U);
  for (const Comparison& cell : report.cells()) {
    EXPECT_EQ(cell.table, "table2");
    EXPECT_EQ(cell.published.has_value(), !cell.column.ends_with("±") && !cell.column.ends_with("median"));
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

// Every reading changes some cell; a name that did nothing would test nothing.
TEST(Rr5724, EveryReadingChangesResults) {
  const auto cells_with = [](std::vector<std::string> assume, const char* part) {
    ReproduceOptions options;
    options.parts = {part};
    options.assume = std::move(assume);
    options.instances = 1;
    options.threads = 1;
    ReproductionReport report;
    kRr5724.run(options, report);
    std::vector<double> values;
    for (const Comparison& cell : report.cells()) values.push_back(cell.measured);
    return values;
  };
  const std::vector<double> ours = cells_with({}, "table2");
  const std::vector<double> sizes_log = cells_with({"sizes-log"}, "table2");  // where Bender02's sizes matter more
  ASSERT_FALSE(kRr5724.readings.empty());
  for (const ReproductionPart& reading : kRr5724.readings) {
    if (reading.name == "density-shared") continue;  // slow; the part table2-loaded
    if (reading.name.starts_with("bender02")) {
      EXPECT_NE(cells_with({"sizes-log", std::string(reading.name)}, "table2"), sizes_log) << reading.name;
    } else {
      EXPECT_NE(cells_with({std::string(reading.name)}, "table2"), ours) << reading.name;
    }
  }
  EXPECT_EQ(cells_with({"sizes-log", "speeds-close", "offline-edf", "bender02-limits"}, "table2"),
            cells_with({"fit"}, "table2"));
}

TEST(Rr5724, CountsAllPublishedCells) {
  ReproduceOptions options;
  options.parts = {"cells"};
  options.instances = 1;
  ReproductionReport report;
  kRr5724.run(options, report);
  double published = 0;
  double sorted = 0;
  for (const Comparison& cell : report.cells()) {
    EXPECT_EQ(cell.table, "cells");
    if (cell.row != "all") continue;
    (cell.column == "published" ? published : sorted) += cell.measured;
  }
  EXPECT_EQ(published, 966);  // 161 rows of 6
  EXPECT_EQ(sorted, published);
}

}  // namespace
}  // namespace dfrs::sim
