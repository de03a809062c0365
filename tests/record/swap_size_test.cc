// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/swap_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrs::record {
namespace {

using ::testing::HasSubstr;

TEST(SwapSize, Grammar) {
  EXPECT_EQ(parse_swap("unlimited"), SwapSize{});
  EXPECT_EQ(parse_swap("0"), (SwapSize{SwapSize::Of::node, 0}));
  EXPECT_EQ(parse_swap("2048"), (SwapSize{SwapSize::Of::node, 2048}));
  EXPECT_EQ(parse_swap("memory"), (SwapSize{SwapSize::Of::memory, 1}));
  EXPECT_EQ(parse_swap("memory:0.25"), (SwapSize{SwapSize::Of::memory, 0.25}));
  EXPECT_EQ(parse_swap("memory:1"), parse_swap("memory"));
  for (const char* text : {"unlimited", "0", "1099511627776", "memory", "memory:0.1", "memory:0", "memory:2"}) {
    EXPECT_EQ(swap_text(parse_swap(text).value()), text);
  }
}

TEST(SwapSize, OfANode) {
  EXPECT_FALSE(SwapSize{}.limited());
  EXPECT_TRUE(parse_swap("0")->limited());
  EXPECT_EQ(parse_swap("100")->on(2048), 100);
  EXPECT_EQ(parse_swap("memory")->on(2048), 2048);
  EXPECT_EQ(parse_swap("memory:0.3")->on(101), 30) << "rounded down";
}

TEST(SwapSize, ErrorsSayWhatWasExpected) {
  for (const char* text : {"", "-1", "1.5", "2048M", "nan", "memory:", "memory:x", "memory:-1", "memory:nan",
                           "memories", "1099511627777", "99999999999999999999"}) {
    const auto parsed = parse_swap(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_THAT(parsed.error(), HasSubstr("expected unlimited, a whole number of MiB, or memory[:PART]")) << text;
  }
}

}  // namespace
}  // namespace dfrs::record
