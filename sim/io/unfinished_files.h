// SPDX-License-Identifier: GPL-2.0-or-later
// Files that must not be left behind when a signal ends the program: outputs that are not complete yet.
#pragma once

#include <string>

namespace dfrs::sim {

/// From now on SIGINT, SIGTERM and SIGHUP first remove the files that are registered below, then end the program as
/// they would have without this. A signal that is ignored (nohup) stays ignored. To be called before threads are
/// started.
void remove_unfinished_files_on_signals();

/// Makes a new file and registers it as unfinished, with no moment in between at which a signal could leave it behind.
/// Any thread.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  ~UnfinishedFile() { finish(); }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  /// A descriptor to write to, or -1 with errno: EEXIST if the name is taken. With more than 64 unfinished files at
  /// once those beyond are made, but not registered.
  int create(const std::string& path);
  /// The file has got its final name or was removed: a signal leaves it alone. Nothing if there is none.
  void finish();

 private:
  int slot_ = -1;
};

}  // namespace dfrs::sim
