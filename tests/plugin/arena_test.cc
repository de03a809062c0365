// SPDX-License-Identifier: GPL-2.0-or-later
// Memory for a snapshot: a failure persists until the next rewind.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

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
  EXPECT_EQ(arena_take(&arena_, 1, 1), first) << "the blocks are used again";
  EXPECT_FALSE(arena_failed(&arena_));
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
