// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/criu.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "tests/shim/support/folder.h"

namespace dfrs::shim {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Criu, SaysWhyInAPlainSentence) {
  EXPECT_EQ(criu_reason("(00.017) Error (criu/sk-inet.c:191): inet: Connected TCP socket, consider using "
                        "--tcp-established option.\n(00.018) Error (criu/cr-dump.c:2111): Dumping FAILED.\n"),
            "holds a TCP connection");
  EXPECT_EQ(criu_reason("(00.2) Error (criu/image.c:1): Can't write: No space left on device\n"),
            "the disk of the image folder is full");
  EXPECT_EQ(criu_reason("(00.1) Error (criu/util.c:1533): rlimit: Can't setup RLIMIT_NOFILE for self: Operation not "
                        "permitted\n(00.3) Error (criu/x.c:4): Something strange\n(00.4) Error (criu/y.c:5): Later\n"),
            "CRIU says: Something strange");
  EXPECT_EQ(criu_reason(""), "CRIU failed and said nothing");
}

TEST(Criu, AnOldOneIsRefusedWithItsVersion) {
  const Folder folder;
  // Not our own mounts: packages are built in a chroot, too.
  const std::string mounts = folder.write("mounts", "22 1 8:1 / / rw - ext4 /dev/vda rw\n");
  const std::string old = folder.write("criu", "#!/bin/sh\necho Version: 3.17.1\n");
  ::chmod(old.c_str(), 0755);
  const auto checked = check_criu(old, mounts);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error(), HasSubstr("version 3.17.1, but checkpoints need 4.0"));
  EXPECT_THAT(check_criu(folder / "none", mounts).error(), HasSubstr("--criu"));
  const std::string unable = folder.write("unable",
                                          "#!/bin/sh\n[ $1 = check ] || { echo Version: 4.1.1; exit 0; }\n"
                                          "echo 'Error (criu/cr-check.c:1): No ptrace' >&2; exit 1\n");
  ::chmod(unable.c_str(), 0755);
  EXPECT_THAT(check_criu(unable, mounts).error(), HasSubstr("No ptrace"));
  const std::string good = folder.write("good", "#!/bin/sh\n[ $1 = check ] || echo Version: 4.1.1\n");
  ::chmod(good.c_str(), 0755);
  EXPECT_EQ(check_criu(good, mounts).value(), "4.1.1");
  const std::string chroot = folder.write("chroot", "23 22 0:21 / /proc rw - proc proc rw\n");
  EXPECT_THAT(check_criu(good, chroot).error(), HasSubstr("mount --bind"));
  EXPECT_THAT(check_criu(old, chroot).error(), HasSubstr("version 3.17.1"));
}

TEST(Criu, NamesStreams) {
  const Folder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const base::Fd in(ends[0]);
  const base::Fd out(ends[1]);
  EXPECT_THAT(stream_name(out.get()), StartsWith("pipe:["));
  EXPECT_EQ(stream_name(in.get()), stream_name(out.get()));
  const base::Fd file(::open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600));
  struct stat about{};
  ASSERT_EQ(::fstat(file.get(), &about), 0);
  EXPECT_THAT(stream_name(file.get()), AllOf(StartsWith("file["), EndsWith(fmt::format(":{:x}]", about.st_ino))));
  const base::Fd null(::open("/dev/null", O_RDONLY));
  EXPECT_THAT(stream_name(null.get()), StartsWith("file["));
  const base::Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  EXPECT_EQ(stream_name(socket.get()), "");
}

}  // namespace
}  // namespace dfrs::shim
