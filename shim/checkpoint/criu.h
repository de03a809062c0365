// SPDX-License-Identifier: GPL-2.0-or-later
// The program criu: its options, its version, and what its log says went wrong.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace dfrs::shim {

/// Checks that criu is there, new enough (4.0; older ones fail on kernels from 6.x on), and that this kernel has what
/// it needs. Returns its version. Error: one line that says what to do. `mountinfo`: the file that lists our mounts.
tl::expected<std::string, std::string> check_criu(const std::string& criu,
                                                  const std::string& mountinfo = "/proc/self/mountinfo");

/// Whether hardware breakpoints stop a traced process here. On some virtual machines they never do. CRIU sets one
/// before it lets a process go, and would wait for it for ever.
bool breakpoints_work();
/// Where they do not, tells the criu that this process starts to single out system calls instead.
void avoid_breakpoints();

struct CriuFolders {
  std::string images;  ///< where the image is or will be
  std::string work;    ///< for its log
};
inline constexpr const char* kCriuDumpLog = "dump.log";
inline constexpr const char* kCriuPreDumpLog = "pre-dump.log";
inline constexpr const char* kCriuRestoreLog = "restore.log";
inline constexpr const char* kCriuPidFile = "restored.pid";
inline constexpr const char* kCriuOutput = "criu.out";

/// Whether the kernel tells what memory a program changes, which a pre-dump needs.
bool can_pre_dump(const std::string& criu);
/// The command that writes the memory of a tree, which runs on; only for moments it stands still.
std::vector<std::string> pre_dump_command(const std::string& criu, const CriuFolders& folders, pid_t init);
/// The command that dumps the tree of this first process and leaves it stopped. parent: a folder within the images'
/// that has a pre-dump; only what has changed since is written. Empty: there is none. streams: names of its standard
/// streams, by stream_name().
std::vector<std::string> dump_command(const std::string& criu, const CriuFolders& folders, pid_t init,
                                      const std::vector<std::string>& streams, const std::string& parent = {});
/// Waits until no other dump of this machine is under way, for as long as the calling process and what it becomes live.
/// For a process that is to be such a command: CRIU 4.1 mounts /proc on a folder of the root folder that has one name
/// for all, and fails where another dump has it. Call it before the process joins another mount namespace.
void take_turn();
/// Removes that folder, which a killed dump may have left in the mount namespace. In one's turn only.
void remove_mount_point();
/// The command that restores a tree and writes the id of its first process to kCriuPidFile. streams: descriptors of the
/// command's process, and CRIU's names of what they replace.
std::vector<std::string> restore_command(const std::string& criu, const CriuFolders& folders,
                                         const std::vector<std::pair<int, std::string>>& streams);

/// Why it failed, by its log: a sentence without a full stop, such as "holds a TCP connection".
std::string criu_reason(std::string_view log);

/// CRIU's name of an open descriptor that a restore can replace; empty: CRIU cannot. A file is named by its mount and
/// its inode: its mount is the caller's, and the path may be another one in the program's mount namespace.
std::string stream_name(int fd);

}  // namespace dfrs::shim
