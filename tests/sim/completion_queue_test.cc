// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/completion_queue.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/oracle/dice.h"

namespace dfrs::sim {
namespace {

// The reference is a map that is searched from end to end.
TEST(CompletionQueue, IsASortedMap) {
  constexpr std::uint32_t kJobs = 40;
  for (std::uint64_t seed = 1; seed <= oracle::cases(200); ++seed) {
    oracle::Dice dice(seed);
    CompletionQueue queue(kJobs);
    std::map<JobSlot, Seconds> expected;
    for (int step = 0; step < 300; ++step) {
      const JobSlot job = dice.below(kJobs);
      if (dice.chance(60)) {
        const Seconds time = dice.between(0, 50);  // many equal times
        queue.set(job, time);
        expected[job] = time;
      } else {
        queue.remove(job);
        expected.erase(job);
      }
      ASSERT_EQ(queue.empty(), expected.empty());
      Seconds next = kNever;
      JobSlot first = kNoSlot;
      for (const auto& [slot, time] : expected) {
        if (time < next) next = time, first = slot;
      }
      ASSERT_EQ(queue.next_time(), next) << "seed " << seed << " step " << step;
      if (!expected.empty()) {
        ASSERT_EQ(queue.next_job(), first) << "seed " << seed << " step " << step;
      }
    }
  }
}

TEST(CompletionQueue, EmptyIsNever) {
  CompletionQueue queue(1);
  EXPECT_EQ(queue.next_time(), kNever);
  queue.remove(0);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace dfrs::sim
