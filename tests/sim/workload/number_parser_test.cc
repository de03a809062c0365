// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/number_parser.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/oracle/dice.h"

namespace dfrs::sim {
namespace {

// As the standard library alone reads it.
NumberStatus plain(const std::string& word, double& value) {
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range) return NumberStatus::kOutOfRange;
  if (error != std::errc() || stop != word.data() + word.size() || !std::isfinite(value))
    return NumberStatus::kNotANumber;
  return std::abs(value) <= kMaxTraceNumber ? NumberStatus::kOk : NumberStatus::kOutOfRange;
}

// Words of all lengths around those that the short ways take.
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

TEST(ParseNumber, IsTheStandardLibrarysToTheLastBit) {
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

}  // namespace
}  // namespace dfrs::sim
