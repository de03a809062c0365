// SPDX-License-Identifier: GPL-2.0-or-later
// Workload logs: the reader, strict and lenient, and both conversions to an instance.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "sim/workload/hpc2n.h"
#include "sim/workload/swf.h"
#include "tests/fuzz/check.h"

namespace dfrs::sim {
namespace {

void check_instance(const Instance& instance) {
  require(!instance.jobs.empty() && !instance.platform.nodes.empty(), "an instance has jobs and nodes");
  require(std::is_sorted(instance.jobs.begin(), instance.jobs.end(),
                         [](const Job& a, const Job& b) { return a.submit < b.submit; }),
          "jobs are sorted by submit time");
  for (const Job& job : instance.jobs) {
    require(job.submit >= 0 && job.run_time >= 0 && job.estimate >= 0, "times are not negative");
    require(job.tasks >= 1 && job.cpu_need > 0, "a job has tasks that need CPU");
  }
}

void check(std::string_view text) {
  SwfLog strict;
  SwfLog lenient;
  const bool strict_accepts = accepts([&] { strict = parse_swf(text, "fuzz"); });
  const bool lenient_accepts = accepts([&] { lenient = parse_swf(text, "fuzz", {.lenient = true}); });
  if (strict_accepts) {
    require(lenient_accepts, "lenient reads what strict reads");
    require(lenient.report.skipped_count() == 0, "lenient skips nothing that strict reads");
    require(lenient.records.size() == strict.records.size(), "lenient and strict read the same records");
  }
  if (!lenient_accepts) return;
  require(!lenient.records.empty(), "a log that was read has records");
  require(lenient.records.size() + lenient.report.skipped_count() == lenient.report.records,
          "every record is read or counted as skipped");

  const SwfConventions conventions{.processors = SwfProcessors::kAllocated, .estimates = SwfEstimates::kTrace};
  for (const int nodes : {0, 64}) {
    accepts([&] {
      check_instance(swf_instance(lenient, "fuzz", {}, {.nodes = nodes, .memory_mib = 1024, .lenient = true}).instance);
    });
    accepts([&] { check_instance(swf_instance(lenient, "fuzz", conventions, {.nodes = nodes, .cores = 2}).instance); });
  }
  accepts([&] { check_instance(annotated_instance(lenient, "fuzz", conventions, {.lenient = true}).instance); });
}

}  // namespace
}  // namespace dfrs::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::sim::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
