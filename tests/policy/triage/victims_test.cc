// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/victims.h"

#include <gtest/gtest.h>

#include "tests/oracle/dice.h"

namespace dfrs::triage {
namespace {

// Whatever is read, inserted and erased, the victims equal those of a list that is sorted each time.
TEST(Victims, AreASortedList) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(200); ++seed) {
    oracle::Dice dice(seed);
    Victims victims;
    std::vector<Victim> expected;
    JobSlot next = 0;
    const auto insert = [&] {
      const Victim victim{static_cast<double>(dice.between(0, 2)), static_cast<double>(dice.between(1, 50)), next,
                          next};
      ++next;
      victims.insert(victim);
      expected.push_back(victim);
    };
    // Of many, not all are selected at once.
    for (int k = dice.between(0, dice.chance(20) ? 5000 : 600); k > 0; --k) insert();
    for (int k = 0; k < 60; ++k) {
      std::sort(expected.begin(), expected.end(), Victim::cheaper);
      const auto looks = static_cast<std::size_t>(dice.between(0, dice.chance(20) ? 2500 : 20));
      for (std::size_t at = 0; at < looks; ++at) {
        const Victim* victim = victims.cheapest(at);
        ASSERT_EQ(victim == nullptr, at >= expected.size()) << "seed " << seed;
        if (victim == nullptr) break;
        ASSERT_EQ(victim->job, expected[at].job) << "seed " << seed;
      }
      if (looks > 0 && !expected.empty()) {
        const std::size_t at = dice.below(static_cast<std::uint32_t>(std::min(looks, expected.size())));
        victims.erase(expected[at].job);
        expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(at));
      }
      while (dice.chance(60)) insert();
    }
  }
}

}  // namespace
}  // namespace dfrs::triage
