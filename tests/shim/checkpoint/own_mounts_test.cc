// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/own_mounts.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "tests/shim/support/folder.h"

namespace dfrs::shim {
namespace {

// Returns its exit code.
int in_child(const std::function<int()>& what) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(what());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// As the first process of a program; waits until it is killed. It tells by a byte that its mounts are there.
[[noreturn]] void be_init(int tell) {
  const bool done = unshare_mounts() && mount_own_proc();
  if (!done || ::write(tell, "x", 1) != 1) ::_exit(1);
  for (;;) ::pause();
}

// The daemon's part, in its root folder. Exit: 0 if a process in the program's mount namespace has the same root and
// sees itself in /proc.
int enter_a_program() {
  int ends[2];
  if (::pipe(ends) != 0 || ::unshare(CLONE_NEWPID) != 0) return 1;
  const pid_t init = ::fork();
  if (init == 0) be_init(ends[1]);
  ::close(ends[1]);
  char byte = 0;
  if (::read(ends[0], &byte, 1) != 1) return 2;
  // A process without the new pid namespace is not to be had any more, so this one enters.
  int result = 0;
  if (!enter_without_own_proc(init))
    result = 3;
  else if (::access("/mark", F_OK) != 0)
    result = 4;
  else if (::access("/proc/self", F_OK) != 0)
    result = 5;
  ::kill(init, SIGKILL);
  ::waitpid(init, nullptr, 0);
  return result;
}

TEST(OwnMounts, AreEnteredWithTheRootFolderOfTheProgram) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root, to make namespaces";
  Folder folder;
  folder.write("mark", "");
  std::filesystem::create_directories(folder / "proc");
  const auto in_chroot = [&] {
    const std::string& root = folder.path();
    if (!unshare_mounts()) return 10;
    if (::mount(root.c_str(), root.c_str(), nullptr, MS_BIND, nullptr) != 0) return 11;
    if (::mount("/proc", (folder / "proc").c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) return 12;
    if (::chroot(root.c_str()) != 0 || ::chdir("/") != 0) return 13;
    return enter_a_program();
  };
  EXPECT_EQ(in_child(in_chroot), 0);
  EXPECT_EQ(::access("/proc/self", F_OK), 0) << "the mounts of the test itself must not change";
}

}  // namespace
}  // namespace dfrs::shim
