// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/markup.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dfrs::sim {
namespace {

TEST(Markup, HtmlEscapesAllFiveCharacters) {
  EXPECT_EQ(html_escaped("<a href='x' title=\"y\">&amp;</a>"),
            "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;&lt;/a&gt;");
}

TEST(Markup, MarkdownEscapesMarkup) {
  EXPECT_EQ(markdown_escaped("GreedyP*/per|_x_ [1] <a>\\"), "GreedyP\\*/per\\|\\_x\\_ \\[1\\] \\<a\\>\\\\");
}

TEST(Markup, FirstNamesAtMostFive) {
  EXPECT_EQ(first_names({}), "");
  std::vector<std::string> names{"a"};
  EXPECT_EQ(first_names(names), "a");
  names = {"a", "b"};
  EXPECT_EQ(first_names(names), "a and b");
  names = {"a", "b", "c", "d", "e"};
  EXPECT_EQ(first_names(names), "a, b, c, d and e");
  names.emplace_back("f");
  EXPECT_EQ(first_names(names), "a, b, c, d, e and 1 more");
}

TEST(Markup, WrappedBreaksBetweenWords) {
  EXPECT_EQ(wrapped("", 2, 10), "\n");
  EXPECT_EQ(wrapped("one two three", 2, 7), "one two\n  three\n");
  EXPECT_EQ(wrapped("longer-than-that x", 1, 5), "longer-than-that\n x\n");
  EXPECT_EQ(wrapped("\xE6\x97\xA5\xE6\x9C\xAC a b", 0, 6), "\xE6\x97\xA5\xE6\x9C\xAC a\nb\n");  // 4 + 1 + 1 columns
}

}  // namespace
}  // namespace dfrs::sim
