// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/kind_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/oracle/dice.h"

namespace dfrs::triage {
namespace {

// Like a map that numbers kinds in the order in which they come.
TEST(KindNumbers, AreThoseOfAMap) {
  constexpr JobSlot kJobs = 20;
  oracle::Dice dice(1);
  KindNumbers<int> numbers;
  std::map<int, std::uint32_t> known;
  for (int k = 0; k < 2000; ++k) {
    const JobSlot job = dice.below(kJobs);
    const int kind = static_cast<int>(dice.below(300));
    const auto it = known.find(kind);
    const bool is_known = it != known.end();
    ASSERT_EQ(numbers.find(job, kind), is_known ? it->second : KindNumbers<int>::kUnknown);
    if (dice.chance(50)) continue;
    const std::uint32_t expected = is_known ? it->second : static_cast<std::uint32_t>(known.size());
    ASSERT_EQ(numbers.number(job, kind), expected);
    known[kind] = expected;
    ASSERT_EQ(numbers.size(), known.size());
  }
}

// Jobs of all kinds come and go: numbers do not pile up, and begin again from 0.
TEST(KindNumbers, AreForgottenOnceThereAreMuchMoreThanJobs) {
  constexpr std::size_t kJobs = 10;
  KindNumbers<int> numbers;
  std::size_t most = 0;
  for (int kind = 0; kind < 10000; ++kind) {
    numbers.forget_beyond(kJobs);
    const std::uint32_t number = numbers.number(static_cast<JobSlot>(kind) % kJobs, kind);
    ASSERT_EQ(numbers.find(0, kind), number);
    ASSERT_EQ(numbers.size(), std::size_t{number} + 1);
    most = std::max(most, numbers.size());
  }
  EXPECT_GT(most, kJobs);
  EXPECT_LT(most, 2000U);
}

}  // namespace
}  // namespace dfrs::triage
