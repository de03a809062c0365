// SPDX-License-Identifier: GPL-2.0-or-later
// Records of live runs: refused with a message, or read to steps that are written and read as the same and that an
// engine can be asked without harm.
#include <cstdint>
#include <string>

#include "record/replay.h"
#include "record/step_lines.h"
#include "tests/fuzz/check.h"

namespace dfrs::record {
namespace {

// The steps of a record, written again. False if it was refused.
bool rewrite(std::string_view text, std::string& out) {
  RecordReader reader(lines_of(text), "fuzz");
  StepLines lines;
  for (;;) {
    const auto more = reader.next();
    if (!more) {
      sim::require(!more.error().message.empty(), "an error has a message");
      return false;
    }
    if (!*more) return true;
    if (reader.new_engine()) {
      lines.reset();
      out += header_line(reader.setup(), reader.version()) + "\n";
    }
    lines.append(out, reader.view(), reader.estimates(), reader.events(), reader.outcome());
    out += '\n';
  }
}

void check(std::string_view text) {
  std::string once;
  if (!rewrite(text, once)) return;
  if (once.empty()) return;  // no complete step
  std::string twice;
  sim::require(rewrite(once, twice), "what is written is accepted");
  sim::require(once == twice, "what is written is read as the same");
  RecordReader reader(lines_of(text), "fuzz");
  if (const auto replayed = replay(reader); !replayed) {
    sim::require(!replayed.error().message.empty(), "an error has a message");
  }
}

}  // namespace
}  // namespace dfrs::record

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::record::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
