// SPDX-License-Identifier: GPL-2.0-or-later
// The bounds of RR-7659's 182 real-world scenarios, against those of an independent implementation.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/bound/bound.h"
#include "sim/workload/load.h"
#include "tests/sim/bound/deadline_flow.h"
#include "tests/sim/traces.h"

namespace dfrs::sim {
namespace {

std::vector<Instance> load_hpc2n(const std::string& path, bool weeks) {
  LoadOptions options;
  options.annotation = SwfAnnotation::kMemory;
  options.weeks = weeks;
  return or_throw(load_instances(path, options)).instances;
}

TEST(Hpc2nBounds, WeeksAreAsPublished) {
  DFRS_TRACE_OR_SKIP(path, "HPC2N-2002-2.1-cln.swf.gz");
  const std::vector<Instance> weeks = load_hpc2n(path, true);
  ASSERT_EQ(weeks.size(), 182);
  StretchBounds sum{0, 0};
  StretchBounds largest{0, 0};
  int ones = 0;
  for (std::size_t w = 0; w < weeks.size(); ++w) {
    const StretchBounds bounds = or_throw(stretch_lower_bounds(weeks[w]));
    sum.divisible += bounds.divisible;
    sum.ls1 += bounds.ls1;
    largest.divisible = std::max(largest.divisible, bounds.divisible);
    largest.ls1 = std::max(largest.ls1, bounds.ls1);
    ones += bounds.divisible == 1;
    if (w % 20 != 0) continue;  // the unreduced flow of a whole week is slow
    SCOPED_TRACE(weeks[w].name);
    EXPECT_TRUE(meets_deadlines(weeks[w], BoundKind::ls1, {}, bounds.ls1 * (1 + 1e-9)));
    if (bounds.ls1 > 1) {
      EXPECT_FALSE(meets_deadlines(weeks[w], BoundKind::ls1, {}, bounds.ls1 * (1 - 1e-9)));
    }
  }
  EXPECT_NEAR(sum.divisible / 182, 1.619, 5e-4);
  EXPECT_NEAR(largest.divisible, 4.993, 5e-4);
  EXPECT_EQ(ones, 66);
  EXPECT_NEAR(sum.ls1 / 182, 1.801, 5e-4);
  EXPECT_NEAR(largest.ls1, 5.354, 5e-4);
}

// One instance of all 202,876 jobs cannot have a smaller bound than any week's, each being a part of it.
TEST(Hpc2nBounds, WholeLogIsAboveItsWeeks) {
  DFRS_TRACE_OR_SKIP(path, "HPC2N-2002-2.1-cln.swf.gz");
  double largest = 1;
  for (const Instance& week : load_hpc2n(path, true))
    largest = std::max(largest, or_throw(stretch_lower_bound(week, BoundKind::divisible)));
  EXPECT_GE(or_throw(stretch_lower_bound(load_hpc2n(path, false).at(0), BoundKind::divisible)), largest * (1 - 1e-9));
}

}  // namespace
}  // namespace dfrs::sim
