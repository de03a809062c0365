// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/swap_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

using ::testing::ElementsAre;

std::vector<bool> promised(std::vector<RigidAmount> free, std::vector<SwapClaim> claims) {
  SwapBudget budget(std::move(free));
  promise_swap(budget, claims);
  std::vector<bool> out(claims.size());
  for (const SwapClaim& claim : claims) out[claim.owner] = claim.promised;
  return out;
}

TEST(SwapBudget, AllOfAJobOrNothing) {
  SwapBudget budget({100, 50});
  const std::vector<NodeIndex> both{0, 0, 1};
  EXPECT_TRUE(budget.promise(both, 50));
  EXPECT_THAT(budget.free(), ElementsAre(0, 0));
  budget.give_back(both, 50);
  EXPECT_FALSE(budget.promise(both, 51));
  EXPECT_THAT(budget.free(), ElementsAre(100, 50));
  EXPECT_FALSE(budget.promise(std::vector<NodeIndex>{0, 2}, 1)) << "there is no node 2";
  EXPECT_THAT(budget.free(), ElementsAre(100, 50));
  EXPECT_TRUE(budget.promise(both, 0));
  budget.take(both, 60);
  EXPECT_THAT(budget.free(), ElementsAre(-20, -10)) << "what is used may be more than there was";
}

// Two nodes of 100 MiB. The one that leaves is first, then those with the most progress; the wide one finds node 1
// taken and leaves node 0 to the last.
TEST(SwapBudget, WhoIsFirst) {
  const std::vector<NodeIndex> zero{0}, one{1}, wide{0, 1};
  EXPECT_THAT(promised({100, 100}, {{.nodes = zero, .memory = 60, .virtual_time = 5, .number = 1, .owner = 0},
                                    {.nodes = wide, .memory = 60, .virtual_time = 7, .number = 2, .owner = 1},
                                    {.nodes = one, .memory = 60, .leaving = true, .number = 3, .owner = 2}}),
              ElementsAre(true, false, true));
  EXPECT_THAT(promised({100, 100}, {{.nodes = zero, .memory = 60, .virtual_time = 5, .number = 1, .owner = 0},
                                    {.nodes = wide, .memory = 60, .virtual_time = 7, .number = 2, .owner = 1},
                                    {.nodes = one, .memory = 60, .number = 3, .owner = 2}}),
              ElementsAre(false, true, false));
  // Equal in all else: by number, whatever the order they come in.
  EXPECT_THAT(promised({100}, {{.nodes = zero, .memory = 60, .number = 9, .owner = 0},
                               {.nodes = zero, .memory = 60, .number = 4, .owner = 1}}),
              ElementsAre(false, true));
}

// The rule once more, plainly: again and again the first of those that are left.
std::vector<bool> plainly(std::vector<RigidAmount> free, std::vector<SwapClaim> left, std::size_t owners) {
  std::vector<bool> out(owners, false);
  while (!left.empty()) {
    std::size_t first = 0;
    for (std::size_t k = 1; k < left.size(); ++k) {
      const SwapClaim& a = left[k];
      const SwapClaim& b = left[first];
      const auto rank = [](const SwapClaim& c) { return std::tuple(!c.leaving, -c.virtual_time, c.number); };
      if (rank(a) < rank(b)) first = k;
    }
    const SwapClaim claim = left[first];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(first));
    std::vector<RigidAmount> after = free;
    bool fits = true;
    for (const NodeIndex n : claim.nodes) fits = (after[n] -= claim.memory) >= 0 && fits;
    if (fits) free = after;
    out[claim.owner] = fits;
  }
  return out;
}

TEST(SwapBudget, IsThePlainRule) {
  std::size_t yes = 0, no = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    oracle::Dice dice(seed);
    std::vector<RigidAmount> free;
    for (int n = 0; n < 4; ++n) free.push_back(dice.between(0, 200));
    const auto count = static_cast<std::size_t>(dice.between(0, 9));
    std::vector<std::vector<NodeIndex>> nodes(count);
    std::vector<SwapClaim> claims;
    for (std::size_t k = 0; k < count; ++k) {
      for (int t = 0; t < dice.between(1, 3); ++t) nodes[k].push_back(static_cast<NodeIndex>(dice.between(0, 3)));
      std::sort(nodes[k].begin(), nodes[k].end());
      claims.push_back({.nodes = nodes[k],
                        .memory = dice.between(0, 90),
                        .leaving = dice.chance(20),
                        .virtual_time = static_cast<Seconds>(dice.between(0, 4)),
                        .number = 100 - k,
                        .owner = k});
    }
    const std::vector<bool> found = promised(free, claims);
    ASSERT_EQ(found, plainly(free, claims, count)) << seed;
    for (const bool one : found) ++(one ? yes : no);
  }
  EXPECT_GT(yes, 1000U);
  EXPECT_GT(no, 1000U);
}

// A budget holds what it would promise; jobs without nodes have room if their tasks find nodes one after another.
TEST(SwapBudget, LooksAheadAsItWouldPromise) {
  std::size_t yes = 0, no = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    oracle::Dice dice(seed);
    std::vector<RigidAmount> free;
    for (int n = 0; n < 4; ++n) free.push_back(dice.between(-20, 200));
    const SwapBudget budget(free);
    SwapOutlook outlook(budget);
    for (int k = 0; k < 4; ++k) {
      const RigidAmount memory = dice.between(0, 3) * 30;
      std::vector<NodeIndex> nodes;
      for (int t = 0; t < dice.between(1, 4); ++t) nodes.push_back(static_cast<NodeIndex>(dice.between(0, 4)));
      std::sort(nodes.begin(), nodes.end());
      SwapBudget copy = budget;
      ASSERT_EQ(budget.holds(nodes, memory), copy.promise(nodes, memory)) << seed;
      const auto tasks = static_cast<std::size_t>(dice.between(1, 12));
      SwapBudget taken = budget;
      std::size_t placed = 0;
      for (NodeIndex n = 0; n < free.size(); ++n) {
        while (placed < tasks && taken.promise(std::vector<NodeIndex>{n}, memory)) ++placed;
      }
      ASSERT_EQ(outlook.has_room(tasks, memory), placed == tasks || memory == 0) << seed;
      ++(placed == tasks ? yes : no);
    }
  }
  EXPECT_GT(yes, 1000U);
  EXPECT_GT(no, 1000U);
}

}  // namespace
}  // namespace dfrs
