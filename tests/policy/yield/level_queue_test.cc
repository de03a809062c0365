// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/level_queue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

// Entries come out as from an ordered set, with levels of all magnitudes, many equal ones, and pushes in between.
TEST(LevelQueue, IsAnOrderedSet) {
  std::size_t equal = 0;
  LevelQueue queue;
  for (std::uint64_t seed = 1; seed <= oracle::cases(300); ++seed) {
    oracle::Dice dice(seed);
    std::set<std::pair<double, std::uint32_t>> expected;
    std::uint32_t node = 0;
    const auto push = [&](double level) {
      queue.push({level, node});
      expected.insert({level, node++});
    };
    queue.restart();
    for (int k = dice.between(1, 200); k > 0; --k) {
      push(dice.chance(30) ? std::ldexp(1, dice.between(-40, 40)) : std::ldexp(dice.uniform(), dice.between(-40, 40)));
    }
    double last = -1;
    while (!expected.empty()) {
      ASSERT_FALSE(queue.empty());
      const LevelQueue::Entry next = queue.pop();
      ASSERT_EQ(std::pair(next.level, next.node), *expected.begin()) << "seed " << seed;
      expected.erase(expected.begin());
      equal += next.level == last ? 1 : 0;
      last = next.level;
      while (dice.chance(40)) push(dice.chance(50) ? std::nextafter(last, 1e300) : 2 * last);
    }
    ASSERT_TRUE(queue.empty());
  }
  EXPECT_GT(equal, 100U);
}

}  // namespace
}  // namespace dfrs
