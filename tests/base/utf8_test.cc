// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace dfrs::base {
namespace {

TEST(Utf8, WidthIsOfColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("Greedy*"), 7U);
  EXPECT_EQ(display_width("d\xC3\xA9j\xC3\xA0"), 4U);        // two-byte letters
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);                 // e and a combining accent
  EXPECT_EQ(display_width("\xE6\x97\xA5\xE6\x9C\xAC"), 4U);  // two wide characters
  EXPECT_EQ(display_width("\xF0\x9F\x9A\x80"), 2U);          // an emoji
  EXPECT_EQ(display_width("\xFF\xFE"), 2U);                  // no UTF-8
}

TEST(Utf8, PrintableTakesOutWhatActsOrIsNoUtf8) {
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(printable("Greedy* \xC3\xA9"), "Greedy* \xC3\xA9");
  EXPECT_EQ(printable("a\x1B[31mb\nc"), "a" + r + "[31mb" + r + "c");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a" + r + "b");
  EXPECT_EQ(printable("\xE2\x80\xAEx"), r + "x");  // right-to-left override
  EXPECT_EQ(printable("\xC0\xAF|\xED\xA0\x80|\xE6\x97"),
            r + r + "|" + r + r + r + "|" + r + r);  // overlong, surrogate, cut
}

TEST(Utf8, PrintableKeepsWhatWordsAreMadeOf) {
  for (const char* text : {"\xE2\x80\x8D", "\xC2\xAD", "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB"}) {
    EXPECT_EQ(printable(text), text);
  }
  EXPECT_EQ(printable("a\tb\x7F\xC2\x9B\xFF", "?"), "a?b???");
}

TEST(Utf8, PaddedCountsColumns) {
  EXPECT_EQ(padded("d\xC3\xA9j\xC3\xA0", 6, Align::left), "d\xC3\xA9j\xC3\xA0  ");
  EXPECT_EQ(padded("\xE6\x97\xA5", 3, Align::right), " \xE6\x97\xA5");
  EXPECT_EQ(padded("wider", 3, Align::right), "wider");
}

TEST(Utf8, FittingCutsBetweenCharacters) {
  EXPECT_EQ(fitting("abc", 5), "abc");
  EXPECT_EQ(fitting("abc", 2), "ab");
  EXPECT_EQ(fitting("\xE6\x97\xA5\xE6\x9C\xAC", 3), "\xE6\x97\xA5");
  EXPECT_EQ(fitting("e\xCC\x81x", 1), "e\xCC\x81");  // with its accent
}

}  // namespace
}  // namespace dfrs::base
