// SPDX-License-Identifier: GPL-2.0-or-later
// The project's own traces: what is read and written again must be read as the same.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/trace_file.h"
#include "tests/fuzz/check.h"

namespace dfrs::sim {
namespace {

void check(std::string_view text) {
  const auto instances = parse_traces(text, "fuzz");
  if (!accepted(instances)) return;
  require(!instances->empty(), "a trace that was read has instances");
  for (const Instance& instance : *instances) {
    const std::string written = or_throw(format_trace(instance));
    require(is_trace_text(written), "what is written is recognised");
    const std::vector<Instance> again = or_throw(parse_traces(written, "written"));
    require(again.size() == 1, "one instance is read as one");
    require(again[0].name == instance.name, "the name is kept");
    require(again[0].platform == instance.platform, "the platform is kept");
    require(again[0].jobs == instance.jobs, "jobs are kept");
  }
}

}  // namespace
}  // namespace dfrs::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::sim::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
