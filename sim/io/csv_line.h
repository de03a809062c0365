// SPDX-License-Identifier: GPL-2.0-or-later
// Reads comma-separated values (CSV, RFC 4180): records of fields, which may be in quotes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dfrs::sim {

/// Goes through the records of a text. Lines may end with CR LF; a UTF-8 byte order mark and blank lines are ignored.
/// A quote counts at the start of a field only. Within quotes, two quotes are one, and separators and line breaks
/// belong to the field.
class CsvRecords {
 public:
  explicit CsvRecords(std::string_view text, char separator = ',');

  enum class Next {
    kRecord,
    kOpenQuote,  ///< the last record: a quote is not closed
    kEnd,
  };
  /// The fields of the next record. They keep their memory from call to call. O(record).
  Next next(std::vector<std::string>& fields);
  /// Line on which the last record began, from 1.
  std::size_t line() const { return line_; }

 private:
  std::string_view rest_;
  char separator_;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
};

}  // namespace dfrs::sim
