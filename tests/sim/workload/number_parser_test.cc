// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/number_parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/oracle/dice.h"

namespace dfrs::sim {
namespace {

// Compared with the C library, which accepts some more words; none of them is drawn here.
NumberStatus plain(const std::string& word, double& value) {
  if (word.empty() || word.front() == ' ') return NumberStatus::kNotANumber;
  char* stop = nullptr;
  value = std::strtod(word.c_str(), &stop);
  if (stop != word.c_str() + word.size()) return NumberStatus::kNotANumber;
  return std::abs(value) <= kMaxTraceNumber ? NumberStatus::kOk : NumberStatus::kOutOfRange;
}

// Words of all lengths.
std::string random_word(oracle::Dice& dice) {
  std::string word = dice.chance(30) ? "-" : "";
  const auto digits = [&](int most) {
    for (int k = dice.between(0, most); k > 0; --k) word += static_cast<char>('0' + dice.below(10));
  };
  digits(dice.chance(80) ? 9 : 18);
  if (dice.chance(60)) word += '.';
  digits(dice.chance(80) ? 5 : 18);
  if (dice.chance(10)) word += dice.pick(std::vector<std::string>{"e3", "e-7", "e", "x", "-", ".", " "});
  return word;
}

TEST(ParseNumber, IsTheCLibrarysToTheLastBit) {
  int numbers = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(50'000); ++seed) {
    oracle::Dice dice(seed);
    const std::string word = random_word(dice);
    double value = 0, expected = 0;
    const NumberStatus status = plain(word, expected);
    ASSERT_EQ(parse_number(word, value), status) << word;
    if (status == NumberStatus::kOk) {
      ASSERT_EQ(value, expected) << word;
    }
    (status == NumberStatus::kOk ? numbers : others)++;
  }
  EXPECT_GT(numbers, 1000);
  EXPECT_GT(others, 1000);
}

// A trace that is written again must not have "-0" in it.
TEST(ParseNumber, ANegativeZeroIsZero) {
  for (const char* word : {"-0", "-0.0", "-0e5"}) {
    double value = 1;
    EXPECT_EQ(parse_number(word, value), NumberStatus::kOk);
    EXPECT_FALSE(std::signbit(value)) << word;
  }
}

}  // namespace
}  // namespace dfrs::sim
