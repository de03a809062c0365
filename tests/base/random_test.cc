// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/random.h"

#include <gtest/gtest.h>

#include <set>

namespace dfrs::base {
namespace {

TEST(RandomHex, IsAsLongAsAskedForAndNeverTheSame) {
  std::set<std::string> seen;
  for (int k = 0; k < 100; ++k) {
    const auto hex = random_hex(16);
    ASSERT_TRUE(hex);
    EXPECT_EQ(hex->size(), 32u);
    EXPECT_EQ(hex->find_first_not_of("0123456789abcdef"), std::string::npos) << *hex;
    EXPECT_TRUE(seen.insert(*hex).second) << *hex;
  }
  EXPECT_EQ(random_hex(0).value_or("error"), "");
}

}  // namespace
}  // namespace dfrs::base
