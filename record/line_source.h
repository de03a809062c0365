// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of a record, from a text or from a file: plain or gzip, even one whose end is cut off.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "record/record_error.h"

namespace dfrs::record {

class LineSource {
 public:
  virtual ~LineSource() = default;
  /// Reads the next line, without its newline, into `line`. False at the end.
  virtual tl::expected<bool, RecordError> next(std::string& line) = 0;
  /// Once next() has returned false: whether the input ended within a line, which was not returned, or within gzip
  /// data.
  virtual bool cut_off() const = 0;
};

/// Opens a file; "-" is standard input. Errors have RecordError::unreadable set.
tl::expected<std::unique_ptr<LineSource>, RecordError> open_lines(const std::string& path);
/// The lines of `text`, which must outlive the source.
std::unique_ptr<LineSource> lines_of(std::string_view text);

}  // namespace dfrs::record
