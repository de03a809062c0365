// SPDX-License-Identifier: GPL-2.0-or-later
// Readings of RR-5724, and the count of its cells: many experiments, which take minutes without optimisation.
#include <gtest/gtest.h>

#include "studies/divisible/rr5724.h"

namespace dfrs::sim {
namespace {

// Every reading changes some cell; a name that did nothing would test nothing.
TEST(Rr5724, EveryReadingChangesResults) {
  const auto cells_with = [](std::vector<std::string> assume, const char* part) {
    ReproduceOptions options;
    options.parts = {part};
    options.assume = std::move(assume);
    options.instances = 1;
    options.threads = 1;
    ReproductionReport report;
    or_throw(kRr5724.run(options, report));
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
  EXPECT_EQ(cells_with({"sizes-log", "speeds-close", "sites-used", "offline-edf", "bender02-limits"}, "table2"),
            cells_with({"fit"}, "table2"));
}

TEST(Rr5724, CountsAllPublishedCells) {
  ReproduceOptions options;
  options.parts = {"cells"};
  options.instances = 1;
  ReproductionReport report;
  or_throw(kRr5724.run(options, report));
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
