// SPDX-License-Identifier: GPL-2.0-or-later
// Memory for a snapshot: a failure persists until the next rewind.
#include <gtest/gtest.h>

#include <malloc.h>

#include <cstdint>
#include <cstring>
#include <string>

extern "C" {
#include "plugin/arena.h"
}

namespace dfrs {
namespace {

class Arena : public testing::Test {
 protected:
  ~Arena() override { arena_free(&arena_); }
  arena arena_{};
};

TEST_F(Arena, PiecesStayWhereTheyAreUntilTheRewind) {
  auto* const first = static_cast<char*>(arena_take(&arena_, 3, 10));
  std::memset(first, 'x', 30);
  // More than fits into a block.
  auto* const large = static_cast<char*>(arena_take(&arena_, 1024, 1024));
  std::memset(large, 'y', 1024 * 1024);
  EXPECT_STREQ(arena_text(&arena_, "text"), "text");
  EXPECT_EQ(first[29], 'x');
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large) % alignof(std::max_align_t), 0U);
  arena_rewind(&arena_);
  EXPECT_FALSE(arena_failed(&arena_));
}

TEST_F(Arena, TheNextRoundUsesTheSameMemory) {
  const auto round = [&] {
    arena_rewind(&arena_);
    void* const table = arena_take(&arena_, 1000, 1000);
    for (int i = 0; i < 100; ++i) EXPECT_NE(arena_take(&arena_, 100, 100), nullptr);
    return table;
  };
  (void)round();
  void* const second = round();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(round(), second);
}

// Each snapshot has some more jobs than the last one: a larger table, and more texts.
TEST_F(Arena, RoundsThatGrowKeepNoMoreThanTheLastOneNeeds) {
  const auto in_use = [] {
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  const std::size_t before = in_use();
  std::size_t taken = 0;
  for (std::size_t jobs = 1000; jobs < 1500; ++jobs) {
    arena_rewind(&arena_);
    ASSERT_NE(arena_take(&arena_, jobs, 400), nullptr);
    for (std::size_t i = 0; i < jobs; ++i) ASSERT_NE(arena_text(&arena_, std::string(500, 'c').c_str()), nullptr);
    taken = jobs * 900;
  }
  arena_rewind(&arena_);
  EXPECT_LT(in_use() - before, 2 * taken);
}

TEST_F(Arena, NoneIsStillOne) { EXPECT_NE(arena_take(&arena_, 0, 8), nullptr); }

TEST_F(Arena, NoTextIsNoFailure) {
  EXPECT_EQ(arena_text(&arena_, nullptr), nullptr);
  EXPECT_FALSE(arena_failed(&arena_));
}

TEST_F(Arena, AFailureHoldsUntilTheRewind) {
  ASSERT_NE(arena_take(&arena_, 1, 8), nullptr);
  EXPECT_EQ(arena_take(&arena_, SIZE_MAX / 4, 8), nullptr) << "the product overflows";
  EXPECT_TRUE(arena_failed(&arena_));
  EXPECT_EQ(arena_take(&arena_, 1, 8), nullptr);
  EXPECT_EQ(arena_text(&arena_, "text"), nullptr);
  arena_rewind(&arena_);
  EXPECT_FALSE(arena_failed(&arena_));
  EXPECT_NE(arena_take(&arena_, 1, 8), nullptr);
}

}  // namespace
}  // namespace dfrs
