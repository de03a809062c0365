// SPDX-License-Identifier: GPL-2.0-or-later
// What a reader left out or changed, by reason, so that nothing happens to a trace without being said.
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
  std::size_t records = 0;         ///< lines that hold a record, good or not
  std::vector<ReadNote> skipped;   ///< records left out, one note per reason
  std::vector<ReadNote> adjusted;  ///< records kept with another value than the trace gives

  void skip(std::string_view reason, std::size_t line, std::size_t count = 1) { add(skipped, reason, line, count); }
  void adjust(std::string_view reason, std::size_t line, std::size_t count = 1) { add(adjusted, reason, line, count); }
  /// Records left out for any reason.
  std::size_t skipped_count() const;
  /// One line per note for people, such as "trace.swf: 12 records skipped: run time missing (first: line 40)".
  std::vector<std::string> describe(std::string_view source) const;

 private:
  // Reasons are few: a scan beats a map, and a reason met before costs no allocation.
  static void add(std::vector<ReadNote>& notes, std::string_view reason, std::size_t line, std::size_t count);
};

}  // namespace dfrs::sim
