// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/hmac_sha256.h"

#include <gtest/gtest.h>

namespace dfrs::base {
namespace {

// Cases 2 and 6 of RFC 4231.
TEST(HmacSha256, HasThePublishedValues) {
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256_hex(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?").substr(0, 4), "\x5b\xdc\xc1\x46");
}

TEST(SameSecret, ComparesAll) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_TRUE(same_secret("", ""));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_FALSE(same_secret("", "a"));
}

}  // namespace
}  // namespace dfrs::base
