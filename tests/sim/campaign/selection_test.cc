// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "sim/errors.h"
#include "tests/oracle/dice.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<std::size_t>;

TEST(Selection, IsShort) {
  EXPECT_EQ(selection_text(Numbers{5}), "5");
  EXPECT_EQ(selection_text(Numbers{0, 1, 2, 3, 25}), "0-3,25");
  EXPECT_EQ(selection_text(Numbers{0, 2, 3, 9, 11, 12, 13}), "0,2-3,9,11-13");
  EXPECT_THAT(or_throw(parse_selection("0,2-3,9,11-13", 14)), ElementsAre(0, 2, 3, 9, 11, 12, 13));
}

TEST(Selection, ReadsBack) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(200); ++seed) {
    oracle::Dice dice(seed);
    Numbers numbers;
    for (std::size_t k = 0; k < 40; ++k) {
      if (dice.chance(60)) numbers.push_back(k);
    }
    if (numbers.empty()) continue;
    ASSERT_EQ(or_throw(parse_selection(selection_text(numbers), 40)), numbers) << selection_text(numbers);
  }
}

TEST(Selection, ErrorsNameTheRange) {
  const auto message = [](const char* text) { return message_of(kExitUsage, parse_selection(text, 10)); };
  EXPECT_THAT(message(""), HasSubstr("''"));
  EXPECT_THAT(message("1,x"), HasSubstr("'x'"));
  EXPECT_THAT(message("1,,2"), HasSubstr("''"));
  EXPECT_THAT(message("3-2"), HasSubstr("'3-2'"));
  EXPECT_THAT(message("-3"), HasSubstr("'-3'"));
  EXPECT_THAT(message("1-"), HasSubstr("'1-'"));
  EXPECT_THAT(message("4,4"), HasSubstr("ascend"));
  EXPECT_THAT(message("0-10"), HasSubstr("there are 10 simulations"));
}

TEST(Selection, PartsAreEvenAndWhole) {
  for (std::size_t count = 0; count <= 23; ++count) {
    Numbers numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{7});
    for (std::size_t parts = 1; parts <= 9; ++parts) {
      Numbers together;
      std::size_t least = count, most = 0;  // lengths
      const auto split = in_parts(numbers, parts);
      EXPECT_EQ(split.size(), std::min(parts, count));
      for (const auto& part : split) {
        together.insert(together.end(), part.begin(), part.end());
        least = std::min(least, part.size());
        most = std::max(most, part.size());
      }
      EXPECT_EQ(together, numbers);
      EXPECT_LE(most, least + 1) << count << " in " << parts;
    }
  }
}

}  // namespace
}  // namespace dfrs::sim
