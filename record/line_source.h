// SPDX-License-Identifier: GPL-2.0-or-later
// Lines of a record, from a file (plain or gzip, also one whose end was cut off) or a text.
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
  /// The next line without its newline. False at the end.
  virtual tl::expected<bool, RecordError> next(std::string& line) = 0;
  /// After next() returned false: the text ended within a line, which was not returned, or within gzip's data.
  virtual bool cut_off() const = 0;
};

/// "-" is standard input. Errors: RecordError::unreadable.
tl::expected<std::unique_ptr<LineSource>, RecordError> open_lines(const std::string& path);
/// `text` must outlive it.
std::unique_ptr<LineSource> lines_of(std::string_view text);

}  // namespace dfrs::record
