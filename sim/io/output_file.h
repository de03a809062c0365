// SPDX-License-Identifier: GPL-2.0-or-later
// Writes results so that a file under its final name is always complete.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/errors.h"
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
  /// Errors: kExitIo with the path and the reason if the temporary file cannot be created.
  static Result<OutputFile> create(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  /// Appends `text`. Errors: kExitIo (disk full, broken pipe); no file is left then. Writing on does nothing, and
  /// commit() returns the same error, so a caller that cannot return it may leave it to commit().
  Result<void> write(std::string_view text);
  /// Flushes to disk and gives the file its final name, replacing an existing file. Errors: kExitIo, and no file is
  /// left.
  [[nodiscard]] Result<void> commit();
  /// The first error; null: none.
  const Error* failure() const { return error_ ? &*error_ : nullptr; }

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  Result<void> open();
  Result<void> flush();
  tl::unexpected<Error> fail(const char* what, int error);
  void discard() noexcept;

  std::string path_;
  std::string temporary_;  ///< empty when writing directly
  UnfinishedFile unfinished_;
  std::string buffer_;
  int fd_ = -1;
  std::optional<Error> error_;  ///< the first one
};

/// Creates a folder with its parents, unless it exists. Errors: kExitIo.
[[nodiscard]] Result<void> make_folder(const std::string& path);

/// Writes `text` to `path` in one step: OutputFile, write, commit.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view text);

}  // namespace dfrs::sim
