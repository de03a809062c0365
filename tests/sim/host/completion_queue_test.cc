// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/completion_queue.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/oracle/dice.h"

namespace dfrs::sim {
namespace {

// The reference is a map that is searched from end to end. Few jobs, and many in a queue that grows and shrinks.
TEST(CompletionQueue, IsASortedMap) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(200); ++seed) {
    oracle::Dice dice(seed);
    const bool many = dice.chance(30);
    const std::uint32_t jobs = many ? 400 : 40;
    CompletionQueue queue(dice.below(jobs));
    std::map<JobSlot, Seconds> expected;
    for (int step = 0; step < (many ? 3000 : 300); ++step) {
      const JobSlot job = dice.below(jobs);
      const int insertions = !many ? 60 : step / 1000 % 2 == 0 ? 80 : 5;
      if (dice.chance(insertions)) {
        const Seconds time = dice.between(0, 50);  // many equal times
        queue.set(job, time);
        expected[job] = time;
      } else if (many && dice.chance(50) && !expected.empty()) {
        expected.erase(queue.next_job());
        queue.remove(queue.next_job());
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
