// SPDX-License-Identifier: GPL-2.0-or-later
// What a keeper has in <run folder>/programs: JOB.RUN.SLOT.lock, which it holds as long as it lives; JOB.RUN.SLOT.sock,
// where it answers dfrsd; JOB.RUN.SLOT.work, a folder for criu's files. RUN is how often Slurm had restarted the job.
// Whether a keeper lives its lock tells, and not its socket, which it may not listen at yet. They come and go only
// under a lock of the folder, so nobody takes or removes files that another is just removing or taking.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "base/files.h"

namespace dfrs::shim {

class KeeperFiles {
 public:
  /// Those of the first slot NAME-0, NAME-1, ... that no living keeper of this run of the job has: the same program may
  /// run several times in a task. (A keeper of the run before may still be ending, and its image is of the same slot.)
  /// A program that a killed keeper left there is ended. Errors are one line.
  static tl::expected<KeeperFiles, std::string> take(const std::string& run_dir, std::uint32_t job,
                                                     std::uint32_t restarts, const std::string& name);
  KeeperFiles(KeeperFiles&&) = default;
  /// Removes them.
  ~KeeperFiles();

  const std::string& slot() const { return slot_; }
  std::string work() const { return base_ + ".work"; }
  /// JOB.RUN.SLOT
  std::string name() const { return base_.substr(base_.rfind('/') + 1); }
  /// The socket for dfrsd.
  tl::expected<base::Fd, std::string> listen() const;
  /// So that dfrsd can end the program if this process is killed.
  void note_init(pid_t init) const;

 private:
  KeeperFiles(base::Fd lock, std::string slot, std::string base);

  base::Fd lock_;
  std::string slot_;
  std::string base_;  // their path without an ending
};

/// Whether a keeper has the files of this name, JOB.RUN.SLOT. Does not wait: also true if one begins or ends just now.
bool keeper_lives(const std::string& run_dir, const std::string& name);

/// For a socket at which nobody listens. If its keeper was killed, ends its program, which could no longer report its
/// end, and removes its files; true: there was such a program. Does not wait: if a keeper begins or ends just now, call
/// it again.
bool remove_files_of_dead(const std::string& socket);

}  // namespace dfrs::shim
