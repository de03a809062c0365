// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/sha256.h"

#include <gtest/gtest.h>

#include <sstream>

namespace dfrs::base {
namespace {

// Test vectors of FIPS 180-4.
TEST(Sha256, HasThePublishedValues) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::istringstream stream(std::string(70'000, 'x'));
  EXPECT_EQ(sha256_hex(stream), sha256_hex(std::string(70'000, 'x')));
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace dfrs::base
