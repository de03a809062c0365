// SPDX-License-Identifier: GPL-2.0-or-later
// The processes of a program that dfrs-run started: all those in the pid namespace of its first process (dfrs-init).
// They are stopped by SIGSTOP, as Slurm suspends jobs: a group of the freezer would take Slurm's own processes along.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace dfrs::shim {

class ProcessTree {
 public:
  /// init: the first process of the namespace, as this process sees it.
  explicit ProcessTree(pid_t init) : init_(init) {}

  /// All processes but init, as this process sees them. O(processes of the machine).
  std::vector<pid_t> members() const;
  /// The process's id in its own namespace; 0: it is gone.
  static pid_t inner(pid_t pid);
  /// The inode of its pid namespace; 0: it is gone.
  static ino_t namespace_of(pid_t pid);
  /// The program itself: init's first child; 0: it is gone.
  pid_t program() const;

  /// Stops all members and waits until they are. Returns those, by inner ids, that the user had stopped before. Error:
  /// one line; what was running runs again.
  tl::expected<std::set<pid_t>, std::string> stop(std::chrono::milliseconds patience) const;
  /// Continues all members but these.
  void go_on(const std::set<pid_t>& stopped_before) const;

  /// Memory in bytes that an image may take: resident, and in swap.
  std::uint64_t memory() const;

 private:
  bool stop_once(std::chrono::milliseconds patience, std::set<pid_t>& before) const;
  pid_t init_;
};

/// Keeps stopped processes from running whatever signals they get, by tracing them. If this process ends, they are
/// killed: what runs on after its image was taken would run twice. For one thread.
class Hold {
 public:
  Hold() = default;
  ~Hold();  ///< lets them go; they stay stopped
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  /// Error: one line; nothing is held then.
  tl::expected<void, std::string> take(const std::vector<pid_t>& processes);
  void let_go();

 private:
  std::vector<pid_t> threads_;
};

}  // namespace dfrs::shim
