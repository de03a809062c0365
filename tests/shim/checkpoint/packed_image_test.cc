// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/packed_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "shim/checkpoint/keeper_files.h"
#include "shim/checkpoint/keeper_link.h"
#include "tests/shim/support/folder.h"

namespace dfrs::shim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Packed : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string& folder : {plain_, packed_, back_}) fs::create_directories(folder);
  }
  static std::string random_bytes(std::size_t size) {
    std::mt19937 random(7);
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    return bytes;
  }
  void write(const std::string& name, const std::string& bytes) const { std::ofstream(plain_ + "/" + name) << bytes; }
  // As the store would describe what is in the packed folder.
  Manifest manifest(std::uint64_t unpacked) const {
    Manifest manifest;
    manifest.unpacked = unpacked;
    for (const auto& entry : fs::directory_iterator(packed_))
      manifest.files.push_back({entry.path().filename().string(), entry.file_size(), ""});
    return manifest;
  }
  std::string unpack_error(std::uint64_t unpacked) const {
    const auto done = unpack_image(packed_, manifest(unpacked), back_);
    return done ? "" : done.error();
  }

  Folder folder_;
  const std::string plain_ = folder_ / "plain";
  const std::string packed_ = folder_ / "packed";
  const std::string back_ = folder_ / "back";
};

TEST_F(Packed, EachFileComesBackAsItWas) {
  constexpr std::size_t kBlock = 128 << 10;  // what zstd reads and writes at once
  std::uint64_t sum = 0;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kBlock - 1, kBlock, kBlock + 1, 5 * kBlock}) {
    write("random-" + std::to_string(size), random_bytes(size));
    write("zeros-" + std::to_string(size), std::string(size, '\0'));
    write("both-" + std::to_string(size), std::string(size, '\0') + random_bytes(size) + std::string(size, '\0'));
    sum += 5 * size;
  }
  const auto bytes = pack_image(plain_, packed_);
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(*bytes, sum);
  ASSERT_EQ(unpack_error(sum), "");
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(plain_)) {
    const std::string name = entry.path().filename();
    EXPECT_EQ(file_text(back_ + "/" + name), file_text(entry.path())) << name;
    EXPECT_TRUE(fs::exists(packed_ + "/" + name + ".zst")) << name;
    ++files;
  }
  EXPECT_EQ(files, 18u);
}

TEST_F(Packed, TakesLessRoomThere) {
  std::string text;
  for (int i = 0; text.size() < 1 << 20; ++i) text += "line " + std::to_string(i % 1000) + " of a program's memory\n";
  write("pages-1.img", text);
  ASSERT_TRUE(pack_image(plain_, packed_));
  EXPECT_LT(fs::file_size(packed_ + "/pages-1.img.zst"), text.size() / 5);
}

TEST_F(Packed, ZerosTakeNoRoomAfterwardsEither) {
  write("pages-1.img", std::string(8 << 20, '\0') + "end");
  ASSERT_TRUE(pack_image(plain_, packed_));
  ASSERT_EQ(unpack_error((8 << 20) + 3), "");
  struct stat about{};
  ASSERT_EQ(::stat((back_ + "/pages-1.img").c_str(), &about), 0);
  EXPECT_EQ(about.st_size, (8 << 20) + 3);
  EXPECT_LT(about.st_blocks * 512, 1 << 20);
}

TEST_F(Packed, WhatIsNotAsTheManifestSaysIsRefused) {
  const std::string bytes = random_bytes(300000);
  write("pages-1.img", bytes);
  ASSERT_TRUE(pack_image(plain_, packed_));
  const std::string path = packed_ + "/pages-1.img.zst";
  const std::string right = file_text(path);
  const auto again = [&](const std::string& stored, std::uint64_t unpacked) {
    fs::remove_all(back_);
    fs::create_directories(back_);
    std::ofstream(path) << stored;
    return unpack_error(unpacked);
  };
  EXPECT_EQ(again(right, bytes.size()), "");
  EXPECT_THAT(again(right, bytes.size() - 1), HasSubstr("more bytes than the manifest says"));
  EXPECT_THAT(again(right, bytes.size() + 1), HasSubstr("fewer bytes than the manifest says"));
  EXPECT_THAT(again(right.substr(0, right.size() - 1), bytes.size()), HasSubstr("truncated"));
  EXPECT_THAT(again("", bytes.size()), HasSubstr("truncated"));
  EXPECT_THAT(again("no such format", bytes.size()), HasSubstr("pages-1.img.zst"));
  EXPECT_THAT(again(right + "and more", bytes.size()), HasSubstr("pages-1.img.zst"));
  Manifest plain = manifest(5);
  plain.files = {{"pages-1.img", 5, ""}};
  const auto done = unpack_image(packed_, plain, back_);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error(), HasSubstr("not compressed"));
}

TEST_F(Packed, AFolderThatCannotBeReadIsNamed) {
  const auto done = pack_image(folder_ / "none", packed_);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error(), HasSubstr("/none: No such file"));
}

TEST_F(Packed, AFullDiskIsNamed) {
  if (::mount("test", packed_.c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "cannot mount a small file system";
  write("pages-1.img", random_bytes(4 << 20));
  const auto done = pack_image(plain_, packed_);
  ::umount(packed_.c_str());
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error(), HasSubstr("pages-1.img.zst: No space left on device"));
}

TEST_F(Packed, AScratchFolderIsEmptyPrivateAndGoes) {
  const std::string path = folder_ / "scratch";
  fs::create_directories(path + "/old");
  {
    auto made = ScratchFolder::make(path, 1000);
    ASSERT_TRUE(made) << made.error();
    const ScratchFolder folder = std::move(*made);
    EXPECT_TRUE(fs::is_empty(path));
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    std::ofstream(folder.path() + "/pages-1.img") << "memory";
  }
  EXPECT_FALSE(fs::exists(path));
  const auto large = ScratchFolder::make(path, (std::uint64_t{1} << 60) + 1);
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error(), HasSubstr("MiB left, and the image takes up to 1099511627777 MiB"));
  EXPECT_FALSE(fs::exists(path));
  const auto nowhere = ScratchFolder::make(folder_ / "none/scratch", 1);
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error(), HasSubstr("No such file"));
}

TEST_F(Packed, WhatAKilledKeeperLeftIsRemoved) {
  const std::string run = folder_ / "run", scratch = folder_ / "scratch";
  fs::create_directories(run + "/" + kProgramsFolder);
  std::optional<KeeperFiles> keeper;
  {
    auto taken = KeeperFiles::take(run, 7, 1, "batch-0-00");
    ASSERT_TRUE(taken) << taken.error();
    keeper.emplace(std::move(*taken));
  }
  EXPECT_EQ(keeper->name(), "7.1.batch-0-00-0");
  fs::create_directories(scratch + "/" + keeper->name());
  fs::create_directories(scratch + "/6.0.batch-0-00-0");
  remove_scratch_of_dead(scratch, run);
  EXPECT_TRUE(fs::exists(scratch + "/7.1.batch-0-00-0"));
  EXPECT_FALSE(fs::exists(scratch + "/6.0.batch-0-00-0"));
  keeper.reset();
  remove_scratch_of_dead(scratch, run);
  EXPECT_TRUE(fs::is_empty(scratch));
}

}  // namespace
}  // namespace dfrs::shim
