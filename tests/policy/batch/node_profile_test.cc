// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/node_profile.h"

#include <gtest/gtest.h>

#include "policy/batch/availability_profile.h"
#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

TEST(NodeProfile, KnowsNodesByName) {
  // Nodes 0 and 1 are free from 0, node 2 from 10. The job may use 1 (a task) and 2 (two tasks).
  NodeProfile profile;
  profile.reset(0, 3);
  profile.release(0, 0);
  profile.release(1, 0);
  profile.release(2, 10);
  const std::vector<std::uint32_t> tasks_on{0, 1, 2};
  std::vector<NodeIndex> chosen;
  EXPECT_EQ(profile.earliest_start(0, 5, tasks_on, 1, chosen), 0);
  EXPECT_EQ(chosen, (std::vector<NodeIndex>{1}));
  EXPECT_EQ(profile.earliest_start(0, 5, tasks_on, 3, chosen), 10);
  EXPECT_EQ(chosen, (std::vector<NodeIndex>{1, 2, 2}));
  profile.take(10, 15, chosen);
  EXPECT_TRUE(profile.free_at(0, 12));
  EXPECT_FALSE(profile.free_at(1, 12));
  EXPECT_FALSE(profile.free_at(2, 14));
  EXPECT_TRUE(profile.free_at(2, 15));
  EXPECT_EQ(profile.earliest_start(0, 11, tasks_on, 1, chosen), 15);
  EXPECT_EQ(profile.earliest_start(3, 7, tasks_on, 1, chosen), 3);
  EXPECT_EQ(profile.earliest_start(0, 1, tasks_on, 4, chosen), kNever);
  EXPECT_TRUE(chosen.empty());
}

// On equal nodes, counting must give the same starts for jobs that want one node or all of them.
TEST(NodeProfile, EqualsCountingForAllNodesOrOne) {
  for (std::uint64_t seed = 0; seed < oracle::cases(60); ++seed) {
    oracle::Dice dice(seed);
    const int nodes = dice.between(1, 70);
    NodeProfile by_node;
    by_node.reset(0, static_cast<std::size_t>(nodes));
    std::vector<AvailabilityProfile::Release> releases;
    for (int n = 0; n < nodes; ++n) {
      const Seconds from = 5 * n;
      by_node.release(static_cast<NodeIndex>(n), from);
      releases.push_back({from, 1});
    }
    AvailabilityProfile counted;
    counted.reset(0, 0, releases);
    const std::vector<std::uint32_t> one_each(static_cast<std::size_t>(nodes), 1);
    std::vector<NodeIndex> chosen;
    for (int k = 0; k < 10; ++k) {
      const int width = dice.chance(50) ? nodes : 1;
      const Seconds not_before = dice.between(0, 400);
      const Seconds duration = dice.between(1, 50);
      const Seconds start =
          by_node.earliest_start(not_before, duration, one_each, static_cast<std::uint32_t>(width), chosen);
      ASSERT_EQ(start, counted.earliest_start(not_before, duration, width)) << "seed " << seed;
      if (width < nodes) continue;
      by_node.take(start, start + duration, chosen);
      counted.take(start, start + duration, width);
    }
  }
}

}  // namespace
}  // namespace dfrs
