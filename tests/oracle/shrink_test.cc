// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/shrink.h"

#include <gtest/gtest.h>

#include "tests/oracle/dice.h"

namespace dfrs::oracle {
namespace {

using Kept = std::vector<std::size_t>;

bool has(const Kept& kept, std::size_t step) { return std::binary_search(kept.begin(), kept.end(), step); }

TEST(Shrink, FindsTheStepsThatFailTogether) {
  std::size_t runs = 0;
  const Kept kept = shrink(64, 1000, [&](const Kept& k) {
    ++runs;
    return has(k, 3) && has(k, 17) && has(k, 63);
  });
  EXPECT_EQ(kept, (Kept{3, 17, 63}));
  EXPECT_LT(runs, 80u);
}

// Whatever fails is a subset from which no step can be left out; brute force checks that.
TEST(Shrink, LeavesNoStepThatCouldGo) {
  Dice dice(5);
  for (int k = 0; k < 200; ++k) {
    const std::size_t count = dice.below(12) + 1;
    // Fails if one of some groups of steps is complete: not in one way only.
    std::vector<Kept> groups(dice.below(3) + 1);
    for (Kept& group : groups) {
      for (std::size_t step = 0; step < count; ++step)
        if (dice.chance(30)) group.push_back(step);
    }
    const auto fails = [&](const Kept& kept) {
      return std::any_of(groups.begin(), groups.end(), [&](const Kept& group) {
        return std::includes(kept.begin(), kept.end(), group.begin(), group.end());
      });
    };
    const Kept kept = shrink(count, 10000, fails);
    ASSERT_TRUE(fails(kept));
    for (std::size_t step = 0; step < kept.size(); ++step) {
      Kept less = kept;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(step));
      EXPECT_FALSE(fails(less)) << k;
    }
  }
}

TEST(Shrink, EndsAfterSoManyRuns) {
  std::size_t runs = 0;
  const Kept kept = shrink(100, 7, [&](const Kept& k) {
    ++runs;
    return k.size() >= 30;
  });
  EXPECT_EQ(runs, 7u);
  EXPECT_EQ(kept.size(), 37u) << "without the first 50, and without 13 of the rest";
  EXPECT_TRUE(shrink(0, 10, [](const Kept&) { return true; }).empty());
}

TEST(Dice, DrawsAreRepeated) {
  Dice first(1), second(2);
  Dice::Draws draws;
  first.record(&draws);
  const int a = first.between(1, 100);
  const double b = first.uniform();
  second.replay(draws, 9);
  EXPECT_EQ(second.between(1, 100), a);
  EXPECT_EQ(second.uniform(), b);
  EXPECT_EQ(second.below(1000), Dice(9).below(1000)) << "then those of a seed of its own";
}

}  // namespace
}  // namespace dfrs::oracle
