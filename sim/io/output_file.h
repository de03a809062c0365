// SPDX-License-Identifier: GPL-2.0-or-later
// Writes results so that a file under its final name is always complete.
#pragma once

#include <string>
#include <string_view>

#include "sim/io/unfinished_files.h"

namespace dfrs::sim {

/// An output that appears under its name only when commit() succeeds. Until then the text goes to a temporary file in
/// the same folder, which is removed if commit() is not reached, or if a signal ends the program
/// (remove_unfinished_files_on_signals()). One that a killed process left is removed by the next OutputFile of this
/// name. "-" is standard output, where nothing can be undone.
///
/// A target that exists and is not a regular file (a terminal, a pipe, /dev/null) is written directly.
class OutputFile {
 public:
  /// Errors: IoError with the path and the reason if the temporary file cannot be created.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends `text`. Errors: IoError (disk full, broken pipe); no file is left then.
  void write(std::string_view text);
  /// Flushes to disk and gives the file its final name, replacing an existing file. Errors: IoError, and no file is
  /// left.
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(const char* what, int error);
  void discard() noexcept;

  std::string path_;
  std::string temporary_;  ///< empty when writing directly
  UnfinishedFile unfinished_;
  std::string buffer_;
  int fd_ = -1;
};

/// Creates a folder with its parents, unless it exists. Errors: IoError.
void make_folder(const std::string& path);

/// Writes `text` to `path` in one step: OutputFile, write, commit.
void write_file(const std::string& path, std::string_view text);

}  // namespace dfrs::sim
