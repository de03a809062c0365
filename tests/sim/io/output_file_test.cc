// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/io/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/errors.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(OutputFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  const std::string path = folder / "result.csv";
  {
    OutputFile file = or_throw(OutputFile::create(path));
    or_throw(file.write("a,b\n"));
    or_throw(file.write("1,2\n"));
    EXPECT_FALSE(std::filesystem::exists(path));
    or_throw(file.commit());
  }
  EXPECT_EQ(file_bytes(path), "a,b\n1,2\n");
  EXPECT_THAT(folder.names(), ElementsAre("result.csv"));
}

TEST(OutputFile, LeavesTheOldFileIfAbandoned) {
  const TemporaryFolder folder;
  const std::string path = folder.write("result", "old");
  {
    OutputFile file = or_throw(OutputFile::create(path));
    or_throw(file.write(std::string(1 << 20, 'x')));
  }
  EXPECT_EQ(file_bytes(path), "old");
  EXPECT_THAT(folder.names(), ElementsAre("result"));
  or_throw(write_file(path, "new"));
  EXPECT_EQ(file_bytes(path), "new");
}

TEST(OutputFile, HasThePermissionsOfANewFile) {
  const TemporaryFolder folder;
  const mode_t mask = ::umask(022);
  or_throw(write_file(folder / "file", "x"));
  ::umask(mask);
  struct stat status{};
  ASSERT_EQ(::stat((folder / "file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644);
}

TEST(OutputFile, FollowsASymbolicLink) {
  const TemporaryFolder folder;
  const std::string target = folder.write("target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  or_throw(write_file(folder / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(file_bytes(target), "new");
}

TEST(OutputFile, SaysWhyItCannotBeCreated) {
  const TemporaryFolder folder;
  const std::string path = folder / "missing/result";
  EXPECT_EQ(message_of(kExitIo, OutputFile::create(path)), path + ": cannot create: No such file or directory");
  const std::string directory = folder.path().string();
  EXPECT_EQ(message_of(kExitIo, OutputFile::create(directory)),
            directory + ": cannot open for writing: Is a directory");
  EXPECT_EQ(code_of(OutputFile::create("")), kExitIo);
}

TEST(OutputFile, LeavesNothingOnAFullDisk) {
  const TemporaryFolder folder;
  const std::string path = folder / "result";
  // A limit on the size of files fails in write() as a full disk does.
  struct rlimit saved{};
  ::getrlimit(RLIMIT_FSIZE, &saved);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small{100000, saved.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  {
    OutputFile file = or_throw(OutputFile::create(path));
    const std::string message = path + ": cannot write: File too large";
    EXPECT_EQ(message_of(kExitIo, file.write(std::string(300000, 'x'))), message);
    EXPECT_EQ(message_of(kExitIo, file.write("more")), message);
    EXPECT_EQ(message_of(kExitIo, file.commit()), message);
  }
  ::setrlimit(RLIMIT_FSIZE, &saved);
  ::signal(SIGXFSZ, handler);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(OutputFile, ReportsAFullDevice) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(message_of(kExitIo, write_file("/dev/full", "x")), "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(OutputFile, WritesStandardOutput) {
  testing::internal::CaptureStdout();
  or_throw(write_file("-", "to stdout\n"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "to stdout\n");
  EXPECT_TRUE(::isatty(STDOUT_FILENO) || ::fcntl(STDOUT_FILENO, F_GETFD) != -1);  // still open
}

TEST(OutputFile, TwoWritersOfOneFolderDoNotMeet) {
  const TemporaryFolder folder;
  OutputFile a = or_throw(OutputFile::create(folder / "x"));
  OutputFile b = or_throw(OutputFile::create(folder / "x"));
  or_throw(a.write("a"));
  or_throw(b.write("b"));
  or_throw(b.commit());
  or_throw(a.commit());
  EXPECT_EQ(file_bytes(folder / "x"), "a");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("x"));
}

}  // namespace
}  // namespace dfrs::sim
