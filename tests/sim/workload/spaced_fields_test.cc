// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/spaced_fields.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

#include "sim/workload/number_parser.h"
#include "sim/workload/text_lines.h"
#include "tests/oracle/dice.h"

namespace dfrs::sim {
namespace {

std::string random_field(oracle::Dice& dice) {
  std::string field = dice.chance(30) ? "-" : "";
  for (int digits = dice.between(field.empty() ? 1 : 0, dice.chance(90) ? 8 : 12); digits > 0; --digits) {
    field += static_cast<char>('0' + dice.below(10));
  }
  if (dice.chance(10))
    field += dice.pick(std::vector<std::string>{".5", "x", "/", ":", "-", ".", "\x01", "\xff", "\xba"});
  return field.empty() ? "-" : field;
}

std::string random_line(oracle::Dice& dice) {
  std::string line;
  for (std::uint32_t count = 1 + dice.below(30); count > 0; --count) {
    line += random_field(dice);
    if (count > 1) line += std::string(1 + (dice.chance(50) ? 0 : dice.below(9)), ' ');
  }
  return line;
}

// Elsewhere no line is split.
#define LITTLE_ENDIAN_OR_SKIP() \
  if constexpr (std::endian::native != std::endian::little) GTEST_SKIP() << "only where the lowest byte comes first"

// All fields that are left, as texts.
std::vector<std::string> rest_of(SpacedFields& fields) {
  std::vector<std::string> words;
  const char* begin = nullptr;
  const char* end = nullptr;
  while (fields.next(begin, end)) words.emplace_back(begin, end);
  return words;
}

std::vector<std::string> plain_fields(std::string_view line) {
  std::vector<std::string> words;
  FieldSplitter plain(line);
  for (std::string_view word; plain.next(word);) words.emplace_back(word);
  return words;
}

TEST(SpacedFields, AreTheFieldsOfTheLine) {
  LITTLE_ENDIAN_OR_SKIP();
  int taken = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(20'000); ++seed) {
    oracle::Dice dice(seed);
    // What is before and behind the line must not matter.
    const std::string before = dice.pick(std::vector<std::string>{"", "; comment\n", "        ", "-------9 "});
    const std::string behind =
        dice.pick(std::vector<std::string>{"\n1 2 3 4 5 6 7 8 9 0", "9999999999999999", "                "});
    const std::string line = random_line(dice);
    const std::string text = before + line + behind;
    SpacedFields fields(text);
    if (!fields.take(std::string_view(text).substr(before.size(), line.size()))) {
      ASSERT_GT(line.size(), SpacedFields::kMostBytes) << line;
      ++refused;
      continue;
    }
    ++taken;
    ASSERT_EQ(rest_of(fields), plain_fields(line));
  }
  EXPECT_GT(taken, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(SpacedFields, ShortIntegersAreTheStandardLibrarys) {
  LITTLE_ENDIAN_OR_SKIP();
  int integers = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(50'000); ++seed) {
    oracle::Dice dice(seed);
    const std::string word = random_field(dice);
    const std::string text = word + dice.pick(std::vector<std::string>{"        ", "99999999", "\n1 2 3 4"});
    std::int64_t expected = 0;
    const bool is_short =
        parse_integer(word, expected) == NumberStatus::kOk && word.size() - (word.front() == '-' ? 1 : 0) <= 8;
    std::int64_t value = 0;
    ASSERT_EQ(SpacedFields::short_integer(text.data(), text.data() + word.size(), value), is_short) << word;
    if (is_short) {
      ASSERT_EQ(value, expected) << word;
    }
    (is_short ? integers : others)++;
  }
  EXPECT_GT(integers, 1000);
  EXPECT_GT(others, 1000);
  // Every byte that is no digit, at every place.
  for (int byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<char>(byte);
    if (c >= '0' && c <= '9') continue;
    for (std::size_t place = 0; place < 8; ++place) {
      std::string text = "1234567812345678";
      text[place] = c;
      std::int64_t value = 0;
      EXPECT_EQ(SpacedFields::short_integer(text.data(), text.data() + 8, value), c == '-' && place == 0)
          << byte << " " << place;
    }
  }
}

TEST(SpacedFields, LinesOfEveryLength) {
  LITTLE_ENDIAN_OR_SKIP();
  for (std::size_t length = 1; length <= SpacedFields::kMostBytes + 1; ++length) {
    // Fields of one character and one that goes on to the line's end, wherever that is.
    for (const bool ends_long : {false, true}) {
      std::string line(length, ' ');
      for (std::size_t at = length % 2 == 0 ? 1 : 0; at < length; at += 2) line[at] = '7';
      if (ends_long) line.replace(length / 2, std::string::npos, length - length / 2, '1');
      const std::string text = "; text\n\n" + line + "\n; more, of some length";
      SpacedFields fields(text);
      ASSERT_EQ(fields.take(std::string_view(text).substr(8, length)), length <= SpacedFields::kMostBytes);
      if (length <= SpacedFields::kMostBytes) {
        ASSERT_EQ(rest_of(fields), plain_fields(line));
      }
    }
  }
}

TEST(SpacedFields, RefuseLinesAtTheEndOfTheText) {
  LITTLE_ENDIAN_OR_SKIP();
  const std::string text = "1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9";
  for (std::size_t behind = 0; behind < 20; ++behind) {
    SpacedFields fields(text);
    EXPECT_EQ(fields.take(std::string_view(text).substr(0, text.size() - behind)), behind >= 16) << behind;
  }
}

}  // namespace
}  // namespace dfrs::sim
