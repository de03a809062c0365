// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace dfrs::base {
namespace {

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dfrs-base-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "cannot create " << pattern;
    path_ = pattern;
    if (auto opened = open_folder(AT_FDCWD, path_)) folder_ = std::move(*opened);
  }
  ~Files() override { std::filesystem::remove_all(path_); }

  std::string path_;
  Fd folder_;
};

TEST_F(Files, AReplacedFileIsWholeAndHasItsMode) {
  ASSERT_TRUE(replace_file_at(folder_.get(), "a", "one", 0600));
  ASSERT_TRUE(replace_file_at(folder_.get(), "a", "second", 0600));
  EXPECT_EQ(read_file_at(folder_.get(), "a"), std::string("second"));
  EXPECT_EQ(list_folder(folder_.get()), std::vector<std::string>{"a"}) << "nothing is left beside it";
  struct stat status{};
  ASSERT_EQ(::stat((path_ + "/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(Files, WhatAnInterruptedReplacementLeftIsNoHindrance) {
  ASSERT_TRUE(replace_file_at(folder_.get(), ".a.new", "half of a long te", 0644));
  ASSERT_TRUE(replace_file_at(folder_.get(), "a", "one", 0600));
  EXPECT_EQ(read_file_at(folder_.get(), "a"), std::string("one"));
  EXPECT_EQ(list_folder(folder_.get()), std::vector<std::string>{"a"});
}

TEST_F(Files, AFileThatIsTooLongIsAnError) {
  ASSERT_TRUE(replace_file_at(folder_.get(), "a", std::string(100, 'x'), 0600));
  EXPECT_EQ(read_file_at(folder_.get(), "a", 100)->size(), 100U);
  EXPECT_EQ(read_file_at(folder_.get(), "a", 99).error(), EFBIG);
}

TEST_F(Files, WhatIsMissingOrALinkIsAnError) {
  EXPECT_EQ(read_file_at(folder_.get(), "a").error(), ENOENT);
  EXPECT_EQ(write_existing_at(folder_.get(), "a", "x").error(), ENOENT);
  EXPECT_EQ(open_folder(folder_.get(), "a").error(), ENOENT);
  ASSERT_TRUE(replace_file_at(folder_.get(), "a", "x", 0600));
  std::filesystem::create_symlink("a", path_ + "/link");
  EXPECT_EQ(read_file_at(folder_.get(), "link").error(), ELOOP);
}

TEST_F(Files, ListsFoldersAlone) {
  ASSERT_TRUE(replace_file_at(folder_.get(), "file", "", 0600));
  std::filesystem::create_directory(path_ + "/folder");
  EXPECT_EQ(list_folder(folder_.get(), true), std::vector<std::string>{"folder"});
  EXPECT_THAT(*list_folder(folder_.get()), ::testing::UnorderedElementsAre("file", "folder"));
}

TEST_F(Files, AFullDeviceIsAnErrorOfWriting) {
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  EXPECT_EQ(write_all(full.get(), "x").error(), ENOSPC);
}

TEST_F(Files, ADescriptorIsClosedOnceAndAtItsEnd) {
  int number = -1;
  {
    Fd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = file.get();
    EXPECT_TRUE(file.close());
    EXPECT_FALSE(file);
  }
  {
    Fd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(file.get(), number);
    const Fd other(std::move(file));
    EXPECT_EQ(other.get(), number);
  }
  EXPECT_EQ(::fcntl(number, F_GETFD), -1);
}

}  // namespace
}  // namespace dfrs::base
