// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/image_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/files.h"
#include "tests/shim/support/folder.h"

namespace dfrs::shim {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const ImageKey kKey("a secret of the cluster");

class Images : public testing::Test {
 protected:
  void SetUp() override {
    if (::getuid() != 0) GTEST_SKIP() << "images are root's";
  }
  ImageStore open(StoreLimits limits = {}) const {
    auto store = ImageStore::open(folder_ / "images", kKey, limits);
    EXPECT_TRUE(store) << store.error();
    return *store;
  }
  static Manifest manifest(const ProgramId& program, std::uint32_t restarts) {
    Manifest manifest;
    manifest.program = program;
    manifest.restarts = restarts;
    return manifest;
  }
  // A complete image with one file.
  std::string add(const ImageStore& store, const ProgramId& program, std::uint32_t restarts,
                  const std::string& bytes = "pages") const {
    const auto part = store.begin(program, restarts, bytes.size());
    EXPECT_TRUE(part) << part.error();
    std::ofstream(*part + "/pages-1.img") << bytes;
    EXPECT_TRUE(store.commit(*part, manifest(program, restarts)));
    return part->substr(0, part->size() - 5);
  }

  // Why an image is not to be restored; empty: it may be.
  static std::string refusal(const ImageStore& store, const std::string& image, const ProgramId& program,
                             std::uint32_t restarts) {
    const auto manifest = store.inspect(image, program, restarts);
    if (!manifest) return manifest.error();
    const auto read = store.verify(image, *manifest);
    return read ? "" : read.error();
  }

  Folder folder_;
  const ProgramId program_{7, 1000, 0, "batch-0-0123abcd-0"};
};

// dfrsd on several nodes may make it at the same time, so its mode is right from the beginning and never changed.
TEST_F(Images, TheFolderIsMadeForRootAloneByWhomeverIsFirst) {
  for (const char* const name : {"images", "slash/"}) {
    const std::string parent = folder_ / (std::string("in-") + std::to_string(std::strlen(name)));
    fs::create_directories(parent);
    const base::Fd changes(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    ASSERT_GE(::inotify_add_watch(changes.get(), parent.c_str(), IN_ATTRIB), 0);
    const std::string folder = parent + "/" + name;
    std::atomic<int> opened = 0;
    std::vector<std::thread> nodes;
    for (int k = 0; k < 4; ++k)
      nodes.emplace_back([&] { opened += ImageStore::open(folder, kKey, {}).has_value() ? 1 : 0; });
    for (std::thread& node : nodes) node.join();
    EXPECT_EQ(opened, 4) << folder;
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all) << folder;
    char event[4096];
    EXPECT_LT(::read(changes.get(), event, sizeof event), 0) << "the mode was changed after the folder was there";
  }
}

TEST_F(Images, AnImageIsFoundVerifiedAndRemoved) {
  const ImageStore store = open();
  const std::string first = add(store, program_, 0);
  const std::string second = add(store, program_, 3);
  auto found = store.images_of(program_, 4);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].folder, second);
  EXPECT_EQ(found[0].restarts, 3u);
  EXPECT_EQ(found[1].folder, first);
  EXPECT_EQ(store.images_of(program_, 3).size(), 1u) << "an image of this run or a later one is none of the past";
  const auto manifest = store.inspect(second, program_, 3);
  ASSERT_TRUE(manifest) << manifest.error();
  ASSERT_EQ(manifest->files.size(), 1u);
  EXPECT_EQ(manifest->files[0].size, 5u);
  store.remove(program_);
  EXPECT_TRUE(fs::is_empty(folder_ / "images"));
}

TEST_F(Images, ZerosNeedNoRoomOnTheDisk) {
  const ImageStore store = open();
  const std::string zeros(1 << 20, '\0');
  const std::string all = "a" + zeros + "b" + zeros + zeros + std::string(10000, 'c') + zeros + std::string(100, '\0');
  const std::string image = add(store, program_, 0, all);
  EXPECT_EQ(file_text(image + "/pages-1.img"), all);
  EXPECT_EQ(refusal(store, image, program_, 0), "");
  struct stat about{};
  ASSERT_EQ(::stat((image + "/pages-1.img").c_str(), &about), 0);
  EXPECT_EQ(about.st_size, static_cast<off_t>(all.size()));
  EXPECT_LT(about.st_blocks * 512, 64 << 10);
  EXPECT_LT(store.use(program_.uid).user_bytes, 128u << 10);
}

TEST_F(Images, TheMemoryOfAPreDumpIsPartOfTheImage) {
  const ImageStore store = open();
  const auto part = store.begin(program_, 0, 100);
  ASSERT_TRUE(part) << part.error();
  fs::create_directory(*part + "/parent");
  std::ofstream(*part + "/pages-1.img") << "new";
  std::ofstream(*part + "/parent/pages-1.img") << std::string(100000, 'a');
  const auto complete = store.commit(*part, manifest(program_, 0));
  ASSERT_TRUE(complete) << complete.error();
  EXPECT_EQ(complete->bytes(), 100003u);
  const std::string image = part->substr(0, part->size() - 5), old_pages = image + "/parent/pages-1.img";
  EXPECT_EQ(refusal(store, image, program_, 0), "");
  EXPECT_GT(store.use(program_.uid).user_bytes, 100000u);
  EXPECT_EQ(fs::status(old_pages).permissions(), fs::perms::owner_read | fs::perms::owner_write);

  std::ofstream(image + "/parent/more.img") << "any";
  EXPECT_THAT(refusal(store, image, program_, 0), HasSubstr("parent/more.img does not belong to the image"));
  fs::remove(image + "/parent/more.img");
  std::ofstream(old_pages) << std::string(100000, 'b');
  EXPECT_THAT(refusal(store, image, program_, 0), HasSubstr("parent/pages-1.img was changed"));
  std::ofstream(old_pages) << std::string(100000, 'a');
  EXPECT_EQ(refusal(store, image, program_, 0), "");
  fs::rename(image + "/parent", folder_ / "elsewhere");
  EXPECT_THAT(refusal(store, image, program_, 0), HasSubstr("parent is no folder"));
  fs::create_directory_symlink(folder_ / "elsewhere", image + "/parent");
  EXPECT_THAT(refusal(store, image, program_, 0), HasSubstr("parent is no folder"));
  // One that was sealed without a pre-dump has no such folder.
  const std::string plain = add(store, program_, 1);
  fs::create_directory(plain + "/parent");
  EXPECT_THAT(refusal(store, plain, program_, 1), HasSubstr("parent does not belong to the image"));
}

TEST_F(Images, NobodyElseCanReadThem) {
  const ImageStore store = open();
  const std::string image = add(store, program_, 0);
  for (const std::string& path : {image, image + "/pages-1.img", image + "/manifest.json"}) {
    struct stat about{};
    ASSERT_EQ(::stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 077, 0u) << path;
    EXPECT_EQ(about.st_uid, 0u) << path;
  }
  fs::create_directories(folder_ / "open");
  ::chmod((folder_ / "open").c_str(), 0755);
  const auto refused = ImageStore::open(folder_ / "open", kKey, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error(), HasSubstr("chmod 700"));
}

TEST_F(Images, WhatWasChangedOrIsOfOthersIsRefused) {
  const ImageStore store = open();
  const std::string image = add(store, program_, 1, "the memory of a program");
  ProgramId other = program_;
  other.uid = 1001;
  EXPECT_THAT(refusal(store, image, other, 1), HasSubstr("user id 1000, not 1001"));
  other = program_;
  other.job = 8;
  EXPECT_THAT(refusal(store, image, other, 1), HasSubstr("job 7"));
  EXPECT_THAT(refusal(store, image, program_, 2), HasSubstr("run 1"));
  const auto of_others = ImageStore::open(folder_ / "images", ImageKey("the key of another cluster"), {});
  EXPECT_THAT(refusal(*of_others, image, program_, 1), HasSubstr("this cluster's key"));

  const std::string pages = image + "/pages-1.img";
  std::ofstream(pages) << "the memory of a Program";
  EXPECT_THAT(refusal(store, image, program_, 1), HasSubstr("changed after the dump"));
  std::ofstream(pages) << "the memory";
  EXPECT_THAT(refusal(store, image, program_, 1), HasSubstr("truncated"));
  std::ofstream(pages) << "the memory of a program";
  EXPECT_EQ(refusal(store, image, program_, 1), "");
  std::ofstream(image + "/core-9.img") << "more";
  EXPECT_THAT(refusal(store, image, program_, 1), HasSubstr("core-9.img does not belong"));
  fs::remove(image + "/core-9.img");
  fs::remove(image + "/manifest.json");
  EXPECT_THAT(refusal(store, image, program_, 1), HasSubstr("manifest.json cannot be read"));
}

TEST_F(Images, APartIsNoImage) {
  const ImageStore store = open();
  const auto part = store.begin(program_, 0, 1);
  ASSERT_TRUE(part);
  std::ofstream(*part + "/pages-1.img") << "half";
  EXPECT_TRUE(store.images_of(program_, 1).empty());
  const auto again = store.begin(program_, 0, 1);  // after its writer was killed
  ASSERT_TRUE(again);
  EXPECT_TRUE(fs::is_empty(*again));
  store.discard(*again);
  EXPECT_FALSE(fs::exists(*again));
}

TEST_F(Images, LimitsAreKept) {
  const std::string mib(std::size_t{1} << 20, 'x');
  const ImageStore store = open({.bytes = 5 << 20, .user_bytes = 3 << 20});
  add(store, program_, 0, mib + mib);
  const auto too_much = store.begin(program_, 1, 2 << 20);
  ASSERT_FALSE(too_much);
  EXPECT_THAT(too_much.error(), HasSubstr("the user's images may take 3 MiB"));
  ProgramId other = program_;
  other.job = 8;
  other.uid = 1001;
  EXPECT_TRUE(store.begin(other, 0, 1 << 20));
  add(store, other, 0, mib + mib);
  ProgramId third = other;
  third.job = 9;
  third.uid = 1002;
  const auto full = store.begin(third, 0, 2 << 20);
  ASSERT_FALSE(full);
  EXPECT_THAT(full.error(), HasSubstr("images may take 5 MiB"));
}

TEST_F(Images, AFullDiskRefusesAndHarmsNothing) {
  fs::create_directories(folder_ / "images");
  if (::mount("none", (folder_ / "images").c_str(), "tmpfs", 0, "size=1m,mode=0700") != 0)
    GTEST_SKIP() << "cannot mount a small file system";
  {
    const ImageStore store = open();
    const std::string kept = add(store, program_, 0);
    const auto refused = store.begin(program_, 1, 2 << 20);
    EXPECT_FALSE(refused);
    EXPECT_THAT(refused.error(), HasSubstr("has only"));
    // The estimate was too low, and the disk fills up in the middle.
    const auto part = store.begin(program_, 1, 100);
    ASSERT_TRUE(part);
    std::ofstream pages(*part + "/pages-1.img");
    for (int i = 0; i < 64 && pages; ++i) pages << std::string(32768, 'x') << std::flush;
    pages.close();
    EXPECT_FALSE(store.commit(*part, manifest(program_, 1)));
    EXPECT_FALSE(fs::exists(*part));
    EXPECT_EQ(refusal(store, kept, program_, 0), "");
  }
  ::umount2((folder_ / "images").c_str(), MNT_DETACH);
}

TEST_F(Images, ImagesOfOneInstantServeOnlyTogether) {
  const ImageStore store = open();
  const auto add_of = [&](std::uint32_t rank, std::uint64_t attempt) {
    ProgramId program = program_;
    program.rank = rank;
    const auto part = store.begin(program, 0, 5);
    EXPECT_TRUE(part) << part.error();
    std::ofstream(*part + "/pages-1.img") << "pages";
    Manifest manifest = Images::manifest(program, 0);
    manifest.attempt = attempt;
    manifest.programs = 2;
    EXPECT_TRUE(store.commit(*part, manifest));
    return part->substr(0, part->size() - 5);
  };
  const std::string first = add_of(0, 7);
  const auto manifest = store.inspect(first, program_, 0);
  ASSERT_TRUE(manifest) << manifest.error();
  std::uint32_t run = 1;
  const auto why = [&] {
    const auto whole = store.check_whole(*manifest, run);
    return whole ? "" : whole.error();
  };
  EXPECT_THAT(why(), HasSubstr("1 of the job's 2 programs"));
  const std::string other = add_of(1, 6);
  EXPECT_THAT(why(), HasSubstr("1 of the job's 2 programs")) << "the other is of another instant";
  add_of(1, 7);
  EXPECT_EQ(why(), "");
  ProgramId second = program_;
  second.rank = 1;
  store.remove(second);
  EXPECT_EQ(why(), "") << "one that ended early in the run does not matter to those that begin late";
  run = 2;
  EXPECT_THAT(why(), HasSubstr("1 of the job's 2 programs")) << "but to the next run it does";
  std::ofstream(folder_ / "images/job-7/0/whole-2") << std::string(64, '0');
  EXPECT_THAT(why(), HasSubstr("1 of the job's 2 programs")) << "forged";
  add_of(1, 7);
  run = 3;
  fs::resize_file(other + "/pages-1.img", 3);
  EXPECT_THAT(why(), HasSubstr("1 of the job's 2 programs"));
  add_of(1, 7);
  std::ofstream(other + "/manifest.json") << "{}";
  EXPECT_THAT(why(), HasSubstr("1 of the job's 2 programs"));
  add_of(1, 7);
  fs::rename(other, other + ".part");
  EXPECT_THAT(why(), HasSubstr("1 of the job's 2 programs"));
  store.remove(program_);
  store.remove(second);
  EXPECT_TRUE(fs::is_empty(folder_ / "images"));
}

TEST_F(Images, TheOldestOfEndedJobsMakeRoomFirst) {
  const ImageStore store = open();
  const auto add_of = [&](std::uint32_t job, std::int64_t made) {
    ProgramId program = program_;
    program.job = job;
    const utimbuf times{made, made};
    ::utime(add(store, program, 0).c_str(), &times);
  };
  add_of(7, 1000);
  add_of(8, 3000);
  add_of(9, 2000);
  add_of(10, ::time(nullptr));
  EXPECT_EQ(store.remove_oldest_other({7}, 60), 9u);
  EXPECT_EQ(store.remove_oldest_other({7}, 60), 8u);
  EXPECT_EQ(store.remove_oldest_other({7}, 60), std::nullopt) << "job 10's is young";
  EXPECT_TRUE(fs::exists(folder_ / "images/job-7"));
  EXPECT_TRUE(fs::exists(folder_ / "images/job-10"));
}

TEST_F(Images, ImagesOfEndedJobsGoUnlessTheyAreYoung) {
  const ImageStore store = open();
  const std::string of_seven = add(store, program_, 0);
  ProgramId other = program_;
  other.job = 8;
  const std::string of_eight = add(store, other, 0);
  const utimbuf old{1000, 1000};
  ::utime(of_seven.c_str(), &old);
  EXPECT_EQ(store.remove_others({7}, 600), 0u) << "job 8's is young";
  EXPECT_EQ(store.remove_others({7, 8}, 600), 0u);
  EXPECT_EQ(store.remove_others({8}, 600), 1u);
  EXPECT_FALSE(fs::exists(of_seven));
  EXPECT_TRUE(fs::exists(of_eight));
}

}  // namespace
}  // namespace dfrs::shim
