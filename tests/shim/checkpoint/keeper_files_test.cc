// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/keeper_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "shim/checkpoint/keeper_link.h"
#include "tests/shim/support/folder.h"

namespace dfrs::shim {
namespace {

namespace fs = std::filesystem;

class KeeperFilesTest : public testing::Test {
 protected:
  KeeperFilesTest() { fs::create_directories(programs_); }
  std::optional<KeeperFiles> take() {
    auto taken = KeeperFiles::take(folder_.path(), 7, 0, "batch-0-x");
    EXPECT_TRUE(taken) << taken.error();
    return taken ? std::optional(std::move(*taken)) : std::nullopt;
  }
  // A process that stands for a program.
  static pid_t start_program() {
    const pid_t program = ::fork();
    if (program != 0) return program;
    ::alarm(120);
    for (;;) ::pause();
  }
  // A keeper that takes files, listens and is killed.
  void be_killed(pid_t program) {
    const pid_t keeper = ::fork();
    if (keeper == 0) {
      const auto files = KeeperFiles::take(folder_.path(), 7, 0, "batch-0-x");
      const auto listener = files->listen();
      files->note_init(program);
      ::_exit(listener ? 0 : 1);
    }
    int status = 1;
    ::waitpid(keeper, &status, 0);
    ASSERT_EQ(status, 0);
    ASSERT_TRUE(fs::exists(socket_));
  }
  static bool killed(pid_t program) {
    int status = 0;
    return ::waitpid(program, &status, 0) == program && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

  Folder folder_;
  const std::string programs_ = folder_ / kProgramsFolder;
  const std::string socket_ = programs_ + "/7.0.batch-0-x-0.sock";
};

TEST_F(KeeperFilesTest, EachLivingKeeperHasASlot) {
  auto first = take();
  const auto second = take();
  EXPECT_EQ(first->slot(), "batch-0-x-0");
  EXPECT_EQ(second->slot(), "batch-0-x-1");
  EXPECT_TRUE(fs::is_directory(first->work()));
  EXPECT_TRUE(first->listen());
  EXPECT_TRUE(fs::exists(socket_));
  first.reset();
  EXPECT_FALSE(fs::exists(socket_));
  EXPECT_EQ(take()->slot(), "batch-0-x-0");
}

// The image is of a slot: the next run must look for it there, even if the keeper of the run before is still ending.
TEST_F(KeeperFilesTest, TheNextRunHasTheSameSlots) {
  const auto before = take();
  const auto next = KeeperFiles::take(folder_.path(), 7, 1, "batch-0-x");
  ASSERT_TRUE(next) << next.error();
  EXPECT_EQ(next->slot(), before->slot());
}

TEST_F(KeeperFilesTest, AllGoWithTheKeeper) {
  const auto listener = take()->listen();
  EXPECT_TRUE(listener);
  EXPECT_TRUE(fs::is_empty(programs_));
}

TEST_F(KeeperFilesTest, OneThatDoesNotListenYetKeepsItsFiles) {
  const auto files = take();
  const std::string old = folder_.write("programs/7.0.batch-0-x-0.sock", "");  // what was before it, for example
  EXPECT_FALSE(remove_files_of_dead(socket_));
  EXPECT_TRUE(fs::exists(socket_));
  EXPECT_TRUE(fs::exists(programs_ + "/7.0.batch-0-x-0.lock"));
  EXPECT_TRUE(fs::exists(files->work()));
}

TEST_F(KeeperFilesTest, AKilledOnesProgramIsEndedAndItsFilesAreRemoved) {
  const pid_t program = start_program();
  be_killed(program);
  EXPECT_TRUE(remove_files_of_dead(socket_));
  EXPECT_TRUE(killed(program));
  EXPECT_TRUE(fs::is_empty(programs_));
  EXPECT_FALSE(remove_files_of_dead(socket_));
}

TEST_F(KeeperFilesTest, TheNextInItsSlotEndsItsProgramToo) {
  const pid_t program = start_program();
  be_killed(program);
  const auto next = take();
  EXPECT_EQ(next->slot(), "batch-0-x-0");
  EXPECT_TRUE(killed(program));
  EXPECT_FALSE(fs::exists(socket_)) << "dfrsd would find nobody there";
  EXPECT_TRUE(next->listen());
  EXPECT_FALSE(remove_files_of_dead(socket_));
  EXPECT_TRUE(fs::exists(socket_));
}

// Another process may have its number by now.
TEST_F(KeeperFilesTest, NothingElseIsEnded) {
  const pid_t other = start_program();
  be_killed(other);
  folder_.write("programs/7.0.batch-0-x-0.lock", std::to_string(other) + " 1\n");
  EXPECT_FALSE(remove_files_of_dead(socket_));
  EXPECT_TRUE(fs::is_empty(programs_));
  EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0);
  ::kill(other, SIGKILL);
  EXPECT_TRUE(killed(other));
}

// dfrsd holds the folder only for a moment, but would be held up by a keeper that hangs.
TEST_F(KeeperFilesTest, NothingIsRemovedWhileAKeeperBegins) {
  const pid_t program = start_program();
  be_killed(program);
  base::Fd turn(::open(programs_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(turn.get(), LOCK_EX), 0);
  EXPECT_FALSE(remove_files_of_dead(socket_));
  EXPECT_TRUE(fs::exists(socket_));
  turn = base::Fd();
  EXPECT_TRUE(remove_files_of_dead(socket_));
  EXPECT_TRUE(killed(program));
}

TEST_F(KeeperFilesTest, AMissingFolderIsNamed) {
  fs::remove_all(programs_);
  const auto taken = KeeperFiles::take(folder_.path(), 7, 0, "batch-0-x");
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error(), testing::HasSubstr("programs: No such file"));
}

}  // namespace
}  // namespace dfrs::shim
