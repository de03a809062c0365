// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/utf8.h"

#include <gtest/gtest.h>

namespace dfrs::sim {
namespace {

TEST(ReportUtf8, WidthIsOfColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("Greedy*"), 7U);
  EXPECT_EQ(display_width("d\xC3\xA9j\xC3\xA0"), 4U);        // two-byte letters
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);                 // e and a combining accent
  EXPECT_EQ(display_width("\xE6\x97\xA5\xE6\x9C\xAC"), 4U);  // two wide characters
  EXPECT_EQ(display_width("\xF0\x9F\x9A\x80"), 2U);          // an emoji
  EXPECT_EQ(display_width("\xFF\xFE"), 2U);                  // no UTF-8
}

TEST(ReportUtf8, PrintableTakesOutWhatActsOrIsNoUtf8) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(printable("Greedy* \xC3\xA9"), "Greedy* \xC3\xA9");
  EXPECT_EQ(printable("a\x1B[31mb\nc"), "a" + r + "[31mb" + r + "c");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a" + r + "b");
  EXPECT_EQ(printable("\xE2\x80\xAEx"), r + "x");  // right-to-left override
  EXPECT_EQ(printable("\xC0\xAF|\xED\xA0\x80|\xE6\x97"),
            r + r + "|" + r + r + r + "|" + r + r);  // overlong, surrogate, cut
}

TEST(ReportUtf8, HtmlEscapesAllFiveCharacters) {
  EXPECT_EQ(html_escaped("<a href='x' title=\"y\">&amp;</a>"),
            "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;&lt;/a&gt;");
}

TEST(ReportUtf8, MarkdownEscapesMarkup) {
  EXPECT_EQ(markdown_escaped("GreedyP*/per|_x_ [1] <a>\\"), "GreedyP\\*/per\\|\\_x\\_ \\[1\\] \\<a\\>\\\\");
}

TEST(ReportUtf8, WrappedBreaksBetweenWords) {
  EXPECT_EQ(wrapped("", 2, 10), "\n");
  EXPECT_EQ(wrapped("one two three", 2, 7), "one two\n  three\n");
  EXPECT_EQ(wrapped("longer-than-that x", 1, 5), "longer-than-that\n x\n");
  EXPECT_EQ(wrapped("\xE6\x97\xA5\xE6\x9C\xAC a b", 0, 6), "\xE6\x97\xA5\xE6\x9C\xAC a\nb\n");  // 4 + 1 + 1 columns
}

}  // namespace
}  // namespace dfrs::sim
