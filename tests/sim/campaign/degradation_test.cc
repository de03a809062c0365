// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/degradation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrs::sim {
namespace {

ResultRow row(const char* instance, const char* algorithm, double max_stretch) {
  ResultRow row;
  row.instance = instance;
  row.algorithm = algorithm;
  row.metrics.max_stretch = max_stretch;
  row.bound_divisible = 2;  // does not matter
  return row;
}

TEST(Degradation, IsFromTheBestOfTheInstance) {
  const std::vector<ResultRow> rows{row("a", "FCFS", 40), row("b", "FCFS", 3), row("a", "EASY", 10),
                                    row("b", "EASY", 6)};
  EXPECT_THAT(degradation_from_best(rows), testing::ElementsAre(4, 1, 1, 2));
  EXPECT_THAT(degradation_from_best({}), testing::IsEmpty());
}

}  // namespace
}  // namespace dfrs::sim
