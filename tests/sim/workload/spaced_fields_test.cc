// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/spaced_fields.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <memory>
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

// Padding after a line, so that it is not too near the end of the text.
const std::string kFar(SpacedFields::kBytesRead, ' ');

// Elsewhere no line is split.
#define LITTLE_ENDIAN_OR_SKIP() \
  if constexpr (std::endian::native != std::endian::little) GTEST_SKIP() << "only where the lowest byte comes first"

std::vector<std::string> fields_of(const SpacedFields& fields) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < fields.count(); ++k) words.emplace_back(fields.begin(k), fields.end(k));
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
        dice.pick(std::vector<std::string>{"\n1 2 3 4 5 6 7 8 9 0", "                ", "\t9999999999999999", "\r\n99",
                                           "9", "-", "\x1f", "\xff"}) +
        kFar;
    const std::string line = random_line(dice);
    const std::string text = before + line + behind;
    const bool ends =
        behind.front() == '\n' || behind.front() == ' ' || behind.front() == '\t' || behind.front() == '\r';
    SpacedFields fields(text);
    if (!fields.take(std::string_view(text).substr(before.size(), line.size()))) {
      ASSERT_TRUE(line.size() > SpacedFields::kMostBytes || !ends) << line;
      ++refused;
      continue;
    }
    ++taken;
    ASSERT_TRUE(ends) << line;
    ASSERT_EQ(fields_of(fields), plain_fields(line));
  }
  EXPECT_GT(taken, 1000);
  EXPECT_GT(refused, 1000);
}

// One to eight digits, perhaps with a '-'.
bool is_short(const std::string& word, std::int64_t& value) {
  return parse_integer(word, value) == NumberStatus::kOk && word.size() - (word.front() == '-' ? 1 : 0) <= 8;
}

TEST(SpacedFields, ShortIntegersAreTheStandardLibrarys) {
  LITTLE_ENDIAN_OR_SKIP();
  int integers = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(20'000); ++seed) {
    oracle::Dice dice(seed);
    const std::string line = random_line(dice);
    const std::string text = line + dice.pick(std::vector<std::string>{"                ", "\n99999999999999"}) + kFar;
    SpacedFields fields(text);
    if (!fields.take(std::string_view(text).substr(0, line.size()))) continue;
    const std::vector<std::string> words = plain_fields(line);
    std::vector<double> values(words.size());
    const std::uint64_t strange = fields.short_integers(values);
    for (std::size_t k = 0; k < words.size(); ++k) {
      std::int64_t expected = 0;
      const bool integer = is_short(words[k], expected);
      ASSERT_EQ((strange >> k & 1) == 0, integer) << words[k] << " in " << line;
      if (integer) {
        ASSERT_EQ(values[k], static_cast<double>(expected)) << line;
      }
      (integer ? integers : others)++;
    }
    ASSERT_EQ(strange >> (words.size() - 1) >> 1, 0u) << line;
  }
  EXPECT_GT(integers, 1000);
  EXPECT_GT(others, 1000);
  // Every byte that is not a digit, at every place of a field, in both halves of a line.
  for (int byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<char>(byte);
    if ((c >= '0' && c <= '9') || c == ' ') continue;
    for (std::size_t place = 0; place < 8; ++place) {
      for (const std::size_t before : {0, 1, 30, 59, 60, 64, 70}) {
        std::string word = "12345678";
        word[place] = c;
        const std::string line = std::string(before, ' ') + "7 " + word + " 9";
        const std::string text = line + kFar;
        SpacedFields fields(text);
        ASSERT_TRUE(fields.take(std::string_view(text).substr(0, line.size())));
        std::array<double, 3> values{-1, -1, -1};
        EXPECT_EQ(fields.short_integers(values), c == '-' && place == 0 ? 0u : 2u) << byte << " " << place;
        EXPECT_EQ(values[0], 7);
        EXPECT_EQ(values[2], 9);
      }
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
      const std::string text = "; text\n\n" + line + "\n; more" + kFar;
      SpacedFields fields(text);
      ASSERT_EQ(fields.take(std::string_view(text).substr(8, length)), length <= SpacedFields::kMostBytes);
      if (length <= SpacedFields::kMostBytes) {
        ASSERT_EQ(fields_of(fields), plain_fields(line));
      }
    }
  }
}

TEST(SpacedFields, RefuseLinesAtTheEndOfTheText) {
  LITTLE_ENDIAN_OR_SKIP();
  const std::string text = std::string(5, ' ') + kFar;
  for (std::size_t at = 0; at < 20; ++at) {
    SpacedFields fields(text);
    EXPECT_EQ(fields.take(std::string_view(text).substr(at, 3)), at <= 5) << at;
  }
}

// Text without a byte of memory after it, for AddressSanitizer to check.
TEST(SpacedFields, ReadNothingBehindTheText) {
  LITTLE_ENDIAN_OR_SKIP();
  int taken = 0;
  for (std::size_t length = 1; length <= SpacedFields::kMostBytes; ++length) {
    for (std::size_t size = length + 1; size <= SpacedFields::kBytesRead; ++size) {
      const auto text = std::make_unique_for_overwrite<char[]>(size);
      for (std::size_t at = 0; at < size; ++at) text[at] = at % 2 == 0 ? '7' : ' ';
      text[length] = '\n';
      SpacedFields fields(std::string_view(text.get(), size));
      if (!fields.take(std::string_view(text.get(), length))) continue;
      ++taken;
      std::vector<double> values(fields.count());
      EXPECT_EQ(fields.short_integers(values), 0u);
      EXPECT_EQ(values, std::vector<double>(fields.count(), 7));
    }
  }
  EXPECT_GT(taken, 100);
}

}  // namespace
}  // namespace dfrs::sim
