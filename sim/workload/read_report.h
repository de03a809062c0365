// SPDX-License-Identifier: GPL-2.0-or-later
// What a reader skipped or changed, by reason, so that no change to a trace goes unreported.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dfrs::sim {

/// One reason and how often it applied.
struct ReadNote {
  std::string reason;
  std::size_t count = 0;
  std::size_t first_line = 0;  ///< line of the first occurrence, from 1

  friend bool operator==(const ReadNote&, const ReadNote&) = default;
};

struct ReadReport {
  std::size_t records = 0;         ///< lines that hold a record, valid or not
  std::vector<ReadNote> skipped;   ///< skipped records, one note per reason
  std::vector<ReadNote> adjusted;  ///< records kept with a value that differs from the trace

  void skip(std::string_view reason, std::size_t line, std::size_t count = 1) { add(skipped, reason, line, count); }
  void adjust(std::string_view reason, std::size_t line, std::size_t count = 1) { add(adjusted, reason, line, count); }
  /// Records skipped for any reason.
  std::size_t skipped_count() const;
  /// One line per note for users, such as "trace.swf: 12 records skipped: run time missing (first: line 40)".
  std::vector<std::string> describe(std::string_view source) const;

 private:
  // Reasons are few, so a scan beats a map; a known reason costs no allocation.
  static void add(std::vector<ReadNote>& notes, std::string_view reason, std::size_t line, std::size_t count);
};

}  // namespace dfrs::sim
