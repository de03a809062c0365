// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/by_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/metrics/another_draw.h"
#include "sim/metrics/metrics.h"
#include "sim/workload/random.h"

namespace dfrs::sim {
namespace {

using testing::ElementsAre;

TEST(ByTrace, ByHand) {
  // Traces a and b at three loads.
  const std::vector<double> values{1, 4, 2, 5, 6, 3};
  EXPECT_THAT(means_by_trace(values, 2), ElementsAre(3, 4));
  EXPECT_THAT(maxima_by_trace(values, 2), ElementsAre(6, 5));
  EXPECT_THAT(maxima_by_trace(values, 6), ElementsAre(1, 4, 2, 5, 6, 3));
}

// 100 traces, each at nine loads that hardly change it.
std::vector<double> draw(Random& random) {
  constexpr std::size_t kTraces = 100;
  constexpr std::size_t kLoads = 9;
  std::vector<double> values(kTraces * kLoads);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = k < kTraces ? 10 + 2 * random.normal() : values[k - kTraces] + 0.2 * random.normal();
  }
  return values;
}

// As independent values, two draws would seem to differ by less than they do.
TEST(ByTrace, DeviationsOfAnotherDraw) {
  constexpr int kTrials = 200;
  Random random(5);
  double missed = 0;
  double missed_as_independent = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::vector<double> ours = draw(random);
    const double theirs = summarize(draw(random)).stddev;
    const auto misses = [&](const std::optional<AnotherDraw>& another) {
      return theirs < another->deviation.low || theirs > another->deviation.high ? 1.0 / kTrials : 0;
    };
    missed += misses(another_draw(ours, 100));
    missed_as_independent += misses(another_draw(ours, ours.size()));
  }
  EXPECT_GE(missed, 0.005);
  EXPECT_LE(missed, 0.08);
  EXPECT_GT(missed_as_independent, 0.3);
}

}  // namespace
}  // namespace dfrs::sim
