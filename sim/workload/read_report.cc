// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/read_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfrs::sim {

std::size_t ReadReport::skipped_count() const {
  std::size_t total = 0;
  for (const ReadNote& note : skipped) total += note.count;
  return total;
}

std::vector<std::string> ReadReport::describe(std::string_view source) const {
  std::vector<std::string> lines;
  const auto put = [&](const std::vector<ReadNote>& notes, std::string_view done) {
    for (const ReadNote& note : notes) {
      lines.push_back(fmt::format("{}: {} record{} {}: {} (first: line {})", source, note.count,
                                  note.count == 1 ? "" : "s", done, note.reason, note.first_line));
    }
  };
  put(skipped, "skipped");
  put(adjusted, "adjusted");
  return lines;
}

void ReadReport::add(std::vector<ReadNote>& notes, std::string_view reason, std::size_t line, std::size_t count) {
  if (count == 0) return;
  const auto found =
      std::find_if(notes.begin(), notes.end(), [&](const ReadNote& note) { return note.reason == reason; });
  if (found != notes.end()) {
    found->count += count;
  } else {
    notes.push_back({std::string(reason), count, line});
  }
}

}  // namespace dfrs::sim
