// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/shim/support/folder.h"

namespace dfrs::shim {
namespace {

using testing::HasSubstr;

Manifest example() {
  Manifest manifest;
  manifest.program = {12, 1000, 1, "batch-0-deadbeef-0"};
  manifest.attempt = 3;
  manifest.restarts = 2;
  manifest.command = {"./a", "caf\xc3\xa9"};
  manifest.streams = {"", "home/u/out", "pipe:[7]"};
  manifest.stopped = {5, 9};
  manifest.files = {{"core-1.img", 100, "aa"}, {"pages-1.img", 4096, "bb"}};
  manifest.node = "n1";
  manifest.taken = 1700000000;
  manifest.seconds = 1.5;
  return manifest;
}

TEST(Image, AManifestComesBackAsItWas) {
  const ImageKey key("a secret of the cluster");
  const auto back = unseal(seal(example(), key), key);
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(*back, example());
  EXPECT_EQ(back->bytes(), 4196u);
}

TEST(Image, ACompressedOneCountsAsWhatItWas) {
  const ImageKey key("a secret of the cluster");
  Manifest packed = example();
  packed.unpacked = 100000;
  const auto back = unseal(seal(packed, key), key);
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(*back, packed);
  EXPECT_EQ(back->bytes(), 100000u);
  // A dfrs that cannot unpack it takes it for another version's.
  EXPECT_THAT(seal(packed, key), HasSubstr(R"(\"version\":2)"));
  EXPECT_THAT(seal(example(), key), HasSubstr(R"(\"version\":1)"));
}

TEST(Image, EachChangedByteIsFound) {
  const ImageKey key("a secret of the cluster");
  const std::string text = seal(example(), key);
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    std::string forged = text;
    forged[i] = static_cast<char>(forged[i] ^ 1);
    const auto back = unseal(forged, key);
    // Names of the outer object aside, nothing can change without notice.
    if (back) {
      EXPECT_EQ(*back, example()) << i;
    }
  }
  std::string other_user = text;
  const std::size_t at = other_user.find("1000");
  ASSERT_NE(at, std::string::npos);
  other_user.replace(at, 4, "0000");
  EXPECT_FALSE(unseal(other_user, key));
}

TEST(Image, AnotherClustersKeyIsRefused) {
  const auto back = unseal(seal(example(), ImageKey("one cluster's key")), ImageKey("another cluster's"));
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error(), HasSubstr("not made with this cluster's key"));
}

TEST(Image, TruncatedTextIsRefused) {
  const ImageKey key("a secret of the cluster");
  const std::string text = seal(example(), key);
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) EXPECT_FALSE(unseal(text.substr(0, length), key));
}

// By the definition: HMAC(K, text) under K = HMAC(secret, purpose), computed by Python's hmac.
TEST(Image, TheMacIsHmacSha256) {
  EXPECT_EQ(ImageKey("0123456789abcdef").mac("text"),
            "5a89b81dfd6bd78e4e2a7468f79ee36aad31f72cb6858816e60f251b9161547a");
}

TEST(ImageKey, AKeyThatOthersCanReadIsRefused) {
  const Folder folder;
  const std::string file = folder.write("key", "0123456789abcdef");
  ::chmod(file.c_str(), 0644);
  const auto open = ImageKey::read(file);
  ASSERT_FALSE(open);
  EXPECT_THAT(open.error(), HasSubstr("chmod 600"));
  ::chmod(file.c_str(), 0600);
  EXPECT_TRUE(ImageKey::read(file));
}

TEST(ImageKey, AShortKeyIsRefused) {
  const Folder folder;
  const std::string file = folder.write("key", "short");
  ::chmod(file.c_str(), 0600);
  const auto key = ImageKey::read(file);
  ASSERT_FALSE(key);
  EXPECT_THAT(key.error(), HasSubstr("at least 16 bytes"));
  EXPECT_FALSE(ImageKey::read(folder / "missing"));
}

}  // namespace
}  // namespace dfrs::shim
