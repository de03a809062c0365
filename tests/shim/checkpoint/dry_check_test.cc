// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/dry_check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "tests/shim/support/error_of.h"
#include "tests/shim/support/folder.h"

namespace dfrs::shim {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

// On a port of 127.0.0.1.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address_), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 1), 0);
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address_), &size), 0);
  }
  base::Fd connect() const {
    base::Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_), 0);
    return socket;
  }
  base::Fd accept() const { return base::Fd(::accept(socket_.get(), nullptr, nullptr)); }

 private:
  base::Fd socket_;
  sockaddr_in address_{};
};

TEST(DryCheck, FindsAConnectionAndWhereItGoes) {
  const Listener listener;
  EXPECT_EQ(error_of(dry_check({::getpid()}, ::getpid())), "") << "listening is no connection";
  const base::Fd socket = listener.connect();
  EXPECT_THAT(error_of(dry_check({::getpid()}, ::getpid())),
              AllOf(HasSubstr("holds a TCP connection to 127.0.0.1:"), HasSubstr(std::to_string(::getpid()))));
}

TEST(DryCheck, AConnectionThatTheOtherSideHasClosedIsStillOne) {
  const Listener listener;
  const base::Fd socket = listener.connect();
  {
    const base::Fd accepted = listener.accept();
  }
  EXPECT_THAT(error_of(dry_check({::getpid()}, ::getpid())), HasSubstr("holds a TCP connection to 127.0.0.1:"));
}

TEST(DryCheck, UnixSocketsToOtherProcessesAreFound) {
  int ends[2], ready[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  EXPECT_EQ(error_of(dry_check({::getpid()}, ::getpid())), "") << "both ends are here";
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 0;
    ::close(ready[1]);
    (void)!::read(ready[0], &byte, 1);
    ::_exit(0);
  }
  ::close(ends[1]);  // the child has it
  EXPECT_THAT(error_of(dry_check({::getpid()}, ::getpid())),
              AllOf(HasSubstr("process " + std::to_string(::getpid())),
                    HasSubstr("by a UNIX socket to a process that dfrs-run did not start")));
  EXPECT_EQ(error_of(dry_check({::getpid(), child}, ::getpid())), "") << "both are ours";
  ::close(ready[1]);
  ::waitpid(child, nullptr, 0);
  for (const int fd : {ends[0], ready[0]}) ::close(fd);
}

TEST(DryCheck, SharedMemoryOfSystemVIsFound) {
  const int id = ::shmget(IPC_PRIVATE, 4096, 0600);
  ASSERT_GE(id, 0);
  void* const at = ::shmat(id, nullptr, 0);
  ::shmctl(id, IPC_RMID, nullptr);  // gone with its last user
  EXPECT_THAT(error_of(dry_check({::getpid()}, ::getpid())), HasSubstr("uses shared memory of System V"));
  ::shmdt(at);
}

// A process made of files, as /proc shows one.
class Process {
 public:
  void descriptor(const std::string& number, const std::string& target) const {
    std::filesystem::create_directories(proc_.path() / "12/fd");
    std::filesystem::create_symlink(target, proc_.path() / "12/fd" / number);
  }
  void in_namespace(int pid, const std::string& kind, const std::string& name) const {
    std::filesystem::create_directories(proc_.path() / std::to_string(pid) / "ns");
    std::filesystem::create_symlink(name, proc_.path() / std::to_string(pid) / "ns" / kind);
  }
  void root(const std::string& path) const {
    std::filesystem::create_directories(proc_.path() / "12");
    std::filesystem::create_symlink(path, proc_.path() / "12/root");
  }
  void child(int pid, int parent) const {
    proc_.write(std::to_string(pid) + "/stat", std::to_string(pid) + " (a (b) c) S " + std::to_string(parent) + " 1 1");
    proc_.write(std::to_string(pid) + "/comm", "inner\n");
  }
  void maps(const std::string& text) const { proc_.write("12/maps", text); }
  tl::expected<void, std::string> check() const {
    proc_.write("12/comm", "simulate\n");
    return dry_check({12}, 11, proc_.path().string());
  }

 private:
  Folder proc_;
};

TEST(DryCheck, PlainFilesAndDevicesAreFine) {
  const Process process;
  process.descriptor("0", "/dev/null");
  process.descriptor("1", "/home/u/slurm-1.out");
  process.descriptor("2", "pipe:[12]");
  process.descriptor("3", "anon_inode:[eventpoll]");
  process.descriptor("4", "socket:[77]");
  process.maps("7f00-7f01 r-xp 00000000 08:01 12 /usr/lib/libc.so.6\n7f02-7f03 rw-s 0 00:01 5 /dev/zero (deleted)\n");
  EXPECT_EQ(error_of(process.check()), "");
}

TEST(DryCheck, NamespacesOfItsOwn) {
  const Process process;
  process.in_namespace(11, "mnt", "mnt:[1]");
  process.in_namespace(12, "mnt", "mnt:[1]");
  process.in_namespace(11, "user", "user:[4]");
  EXPECT_EQ(error_of(process.check()), "") << "it has just ended";
  const Process other;
  other.in_namespace(11, "mnt", "mnt:[1]");
  other.in_namespace(12, "mnt", "mnt:[2]");
  EXPECT_EQ(error_of(other.check()), "process 12 (simulate) has a mount namespace of its own, as in a container");
}

TEST(DryCheck, ChildrenInAnInnerPidNamespace) {
  const Process process;
  process.in_namespace(11, "pid", "pid:[1]");
  process.child(13, 1);
  process.in_namespace(13, "pid", "pid:[3]");
  EXPECT_EQ(error_of(process.check()), "") << "not a child of ours";
  process.child(14, 12);
  process.in_namespace(14, "pid", "pid:[2]");
  EXPECT_EQ(error_of(process.check()), "process 14 (inner) has a pid namespace of its own, as in a container");
}

struct Bad {
  const char* target;
  const char* reason;
};
class DryCheckOf : public testing::TestWithParam<Bad> {};
TEST_P(DryCheckOf, Descriptors) {
  const Process process;
  process.descriptor("0", "/dev/null");
  process.descriptor("5", GetParam().target);
  EXPECT_THAT(error_of(process.check()), AllOf(HasSubstr("process 12 (simulate)"), HasSubstr(GetParam().reason)));
}
INSTANTIATE_TEST_SUITE_P(Kinds, DryCheckOf,
                         testing::Values(Bad{"/dev/nvidia0", "uses a GPU"}, Bad{"/dev/dri/renderD128", "uses a GPU"},
                                         Bad{"/dev/infiniband/uverbs0", "uses the device /dev/infiniband/uverbs0"},
                                         Bad{"/dev/pts/3", "terminal"}, Bad{"anon_inode:[io_uring]", "io_uring"}));

TEST(DryCheck, WhatStaysOpenOfProcIsFound) {
  const Process process;
  process.descriptor("0", "/dev/null");
  process.descriptor("3", "/home/u/proc/file");
  EXPECT_EQ(error_of(process.check()), "");
  process.descriptor("7", "/proc/meminfo");
  EXPECT_EQ(error_of(process.check()), "process 12 (simulate) has /proc/meminfo open");
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir("/proc") == 0) ::pause();
    ::_exit(0);
  }
  std::string reader;
  while ((reader = proc_reader_of({child})).empty()) ::usleep(1000);
  EXPECT_THAT(reader, EndsWith(" has /proc open"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(DryCheck, MappedDevicesAreFound) {
  const Process process;
  process.descriptor("0", "/dev/null");
  process.maps("7f00-7f01 rw-s 00000000 00:05 12                 /dev/nvidiactl\n");
  EXPECT_THAT(error_of(process.check()), HasSubstr("uses a GPU (/dev/nvidiactl)"));
}

// From outside its mount namespace, the kernel shows its paths with its root folder before them.
TEST(DryCheck, PathsAreThoseOfAProgramInAChroot) {
  const Process opened;
  opened.root("/srv/os");
  opened.descriptor("0", "/srv/os/dev/null");
  opened.maps("7f00-7f01 rw-s 00000000 00:05 12                 /srv/os/dev/zero\n");
  EXPECT_EQ(error_of(opened.check()), "");
  opened.descriptor("5", "/srv/os/dev/kmsg");
  EXPECT_THAT(error_of(opened.check()), EndsWith("uses the device /dev/kmsg"));
  const Process mapped;
  mapped.root("/srv/os");
  mapped.maps("7f00-7f01 rw-s 00000000 00:05 12                 /srv/os/dev/nvidiactl\n");
  EXPECT_THAT(error_of(mapped.check()), HasSubstr("uses a GPU (/dev/nvidiactl)"));
  const Process outside;
  outside.root("/");
  outside.descriptor("5", "/srv/os/dev/kmsg");
  EXPECT_EQ(error_of(outside.check()), "") << "a plain file";
}

}  // namespace
}  // namespace dfrs::shim
