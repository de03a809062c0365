// SPDX-License-Identifier: GPL-2.0-or-later
// Incomplete output files, which must not be left behind when a signal ends the program.
#pragma once

#include <string>
#include <utility>

namespace dfrs::sim {

/// After this call SIGINT, SIGTERM and SIGHUP remove the registered files before they end the program as usual. An
/// ignored signal (nohup) stays ignored. Call this before starting threads.
void remove_unfinished_files_on_signals();

/// What the program writes to standard error when one of these signals ends it. Replaces an earlier text.
void set_last_words(const std::string& text);

/// Creates a file and registers it as unfinished in one step, so that no signal in between can leave it behind.
/// Thread-safe.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  ~UnfinishedFile() { finish(); }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  UnfinishedFile(UnfinishedFile&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

  /// A descriptor to write to, or -1 with errno: EEXIST if the name is taken. Beyond 64 unfinished files at once, files
  /// are created but not registered.
  int create(const std::string& path);
  /// Unregisters the file, which has its final name or is gone. Does nothing if no file is registered.
  void finish();

 private:
  int slot_ = -1;
};

}  // namespace dfrs::sim
