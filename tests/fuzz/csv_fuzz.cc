// SPDX-License-Identifier: GPL-2.0-or-later
// Job tables: a mapping file, a line "---", and a table in CSV. What they make is accounting that is read.
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/workload/csv/table.h"
#include "sim/workload/sacct/reader.h"
#include "sim/workload/sacct/table.h"
#include "tests/fuzz/check.h"

namespace dfrs::sim {
namespace {

void check(std::string_view text) {
  constexpr std::string_view kBetween = "\n---\n";
  const std::size_t at = text.find(kBetween);
  if (at == std::string_view::npos) return;
  const auto map = parse_csv_map(text.substr(0, at), "map");
  if (!accepted(map)) return;
  const std::string_view table = text.substr(at + kBetween.size());
  const auto strict = csv_to_sacct(table, "fuzz", *map);
  const auto lenient = csv_to_sacct(table, "fuzz", *map, true);
  const bool strict_accepts = accepted(strict);
  if (!accepted(lenient)) {
    require(!strict_accepts, "lenient reads what strict reads");
    return;
  }
  if (strict_accepts) require(lenient->sacct == strict->sacct, "lenient and strict agree on a good table");
  require(is_sacct_text(lenient->sacct), "a table becomes accounting");
  const auto log = parse_sacct(lenient->sacct, "made", {.lenient = true});
  if (!accepted(log)) return;
  for (const ReadNote& note : log->report.skipped) require(note.reason != "malformed line", "rows are well-formed");
}

}  // namespace
}  // namespace dfrs::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::sim::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
