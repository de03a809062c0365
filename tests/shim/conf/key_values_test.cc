// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/conf/key_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrs::shim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "line:key=value", with '*' before the first pair of a line.
std::vector<std::string> pairs(std::string_view text) {
  std::vector<std::string> out;
  const KeyValues found = parse_key_values(text);
  for (const SyntaxError& e : found.errors) ADD_FAILURE() << e.line << ": " << e.message;
  for (const KeyValue& s : found.pairs) {
    out.push_back((s.starts_line ? "*" : "") + std::to_string(s.line) + ":" + s.key + "=" + s.value);
  }
  return out;
}

using Strings = std::vector<std::string>;

TEST(KeyValues, LinesCommentsAndContinuations) {
  EXPECT_EQ(pairs(""), Strings{});
  EXPECT_EQ(pairs("a=1"), Strings{"*1:a=1"});
  EXPECT_EQ(pairs("# x=1\n\n a=1 # b=2\nc=3"), (Strings{"*3:a=1", "*4:c=3"}));
  EXPECT_EQ(pairs("a=1 b=2\r\nc=3\r\n"), (Strings{"*1:a=1", "1:b=2", "*2:c=3"}));
  EXPECT_EQ(pairs("a=1 \\\n  b=2\nc=3"), (Strings{"*1:a=1", "2:b=2", "*3:c=3"}));
  EXPECT_EQ(pairs("a=1\\\r\nb=2"), (Strings{"*1:a=1", "2:b=2"}));
  EXPECT_EQ(pairs("# no continuation \\\na=1"), Strings{"*2:a=1"});
}

TEST(KeyValues, Values) {
  EXPECT_EQ(pairs("a = 1\tb\t=2"), (Strings{"*1:a=1", "1:b=2"}));
  EXPECT_EQ(pairs("Algorithm=MCB8*/OPT=MIN"), Strings{"*1:Algorithm=MCB8*/OPT=MIN"});
  EXPECT_EQ(pairs("a=\"x # y\" b=\"\""), (Strings{"*1:a=x # y", "1:b="}));
  EXPECT_EQ(pairs("a=1#2"), Strings{"*1:a=1"});
  EXPECT_EQ(pairs("a=c:\\d"), Strings{"*1:a=c:\\d"});
  EXPECT_EQ(pairs("a=\nb=1"), (Strings{"*1:a=", "*2:b=1"}));
}

TEST(KeyValues, ErrorsNameTheLineAndTheRestIsRead) {
  const KeyValues found = parse_key_values("a=1\nword\nb=\"open\nc=\"x\"y\n=3\nd=x\x01y\ne=1\"2\nf=1");
  ASSERT_EQ(found.errors.size(), 6U);
  const char* expected[] = {"'word'", "value of b", "value of c", "'=' without a key", "code 1", "value of e"};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(found.errors[k].line, k + 2);
    EXPECT_THAT(found.errors[k].message, HasSubstr(expected[k]));
  }
  ASSERT_EQ(found.pairs.size(), 2U);
  EXPECT_EQ(found.pairs[1].key, "f");
  EXPECT_EQ(found.pairs[1].line, 8U);
}

TEST(KeyValues, LowerCase) { EXPECT_EQ(lower_case("AbZ-1\xc4"), "abz-1\xc4"); }

}  // namespace
}  // namespace dfrs::shim
