// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/mcb8/fit_list.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/oracle/dice.h"

namespace dfrs {
namespace {

// Compares with a linear search while entries are spent.
template <std::size_t D>
void compare_with_scan(bool sorted) {
  std::size_t found = 0, missed = 0;
  FitList list;
  for (std::uint64_t seed = 1; seed <= oracle::cases(60); ++seed) {
    oracle::Dice dice(seed);
    std::vector<Amounts> entries(dice.below(dice.chance(50) ? 20 : 1500));
    for (Amounts& entry : entries) {
      for (std::size_t d = 0; d < D; ++d) entry[d] = dice.between(1, 50);
    }
    if (sorted)
      std::sort(entries.begin(), entries.end(), [](const Amounts& a, const Amounts& b) { return a[0] > b[0]; });
    std::vector<bool> spent(entries.size(), false);
    list.clear(D);
    for (const Amounts& entry : entries) list.push(entry);
    list.finish();
    ASSERT_EQ(list.size(), entries.size());
    for (int step = 0; step < 300; ++step) {
      Amounts limits{};
      for (std::size_t d = 0; d < D; ++d) limits[d] = dice.between(0, dice.chance(30) ? 4 : 60);
      const std::size_t from = dice.below(static_cast<std::uint32_t>(entries.size() + 1));
      std::size_t expected = from;
      const auto fits = [&](std::size_t k) {
        for (std::size_t d = 0; d < D; ++d) {
          if (entries[k][d] > limits[d]) return false;
        }
        return !spent[k];
      };
      while (expected < entries.size() && !fits(expected)) ++expected;
      if (expected == entries.size()) expected = FitList::kNone;
      ASSERT_EQ(list.first_fit<D>(from, limits), expected) << "seed " << seed << " step " << step;
      ++(expected == FitList::kNone ? missed : found);
      if (expected == FitList::kNone || dice.chance(30)) continue;
      list.spend(expected);
      spent[expected] = true;
      const auto head = std::find(spent.begin(), spent.end(), false);
      ASSERT_EQ(list.head(), static_cast<std::size_t>(head - spent.begin())) << "seed " << seed << " step " << step;
    }
  }
  EXPECT_GT(found, 1000u);
  EXPECT_GT(missed, 1000u);
}

TEST(FitList, FindsWhatALookAtEveryEntryFinds) {
  for (const bool sorted : {false, true}) {
    compare_with_scan<2>(sorted);
    compare_with_scan<3>(sorted);
    compare_with_scan<4>(sorted);
  }
}

}  // namespace
}  // namespace dfrs
