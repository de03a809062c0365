// SPDX-License-Identifier: GPL-2.0-or-later
// Workload logs: the reader, strict and lenient, both conversions to an instance, and its weeks.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/workload/hpc2n.h"
#include "sim/workload/number_parser.h"
#include "sim/workload/swf.h"
#include "sim/workload/swf_stream.h"
#include "sim/workload/weeks.h"
#include "tests/fuzz/check.h"

namespace dfrs::sim {
namespace {

void check_instance(const Instance& instance) {
  require(!instance.jobs.empty() && !instance.platform.nodes.empty(), "an instance has jobs and nodes");
  Seconds last = 0;
  for (const Job& job : instance.jobs) {
    require(job.submit >= last && job.submit <= kMaxTraceSeconds, "submit times go up and are in range");
    require(job.run_time >= 0 && job.run_time <= kMaxTraceSeconds, "run times are in range");
    require(job.estimate >= 0 && job.estimate <= kMaxTraceSeconds, "estimates are in range");
    require(job.tasks >= 1 && job.cpu_need > 0 && job.rigid[kMemory] >= 0, "needs are in range");
    last = job.submit;
  }
}

void check_workload(const Result<SwfWorkload>& made) {
  if (!accepted(made)) return;
  const SwfWorkload& workload = *made;
  check_instance(workload.instance);
  require(workload.instance.jobs.size() + workload.report.skipped_count() == workload.report.records,
          "every record is a job or counted as skipped");
  std::size_t jobs = 0;
  for (const Instance& week : or_throw(split_weeks(workload.instance, "fuzz"))) {
    check_instance(week);
    jobs += week.jobs.size();
  }
  require(jobs == workload.instance.jobs.size(), "every job is in a week");
}

void check(std::string_view text) {
  const auto read_strictly = parse_swf(text, "fuzz");
  const auto read_leniently = parse_swf(text, "fuzz", {.lenient = true});
  const bool strict_accepts = accepted(read_strictly);
  const bool lenient_accepts = accepted(read_leniently);
  const SwfLog strict = read_strictly ? *read_strictly : SwfLog();
  const SwfLog lenient = read_leniently ? *read_leniently : SwfLog();
  if (strict_accepts) {
    require(lenient_accepts, "lenient reads what strict reads");
    require(lenient.report.skipped_count() == 0, "lenient skips nothing that strict reads");
    require(lenient.records.size() == strict.records.size(), "lenient and strict read the same records");
  }
  SwfStream records(text, "fuzz");
  std::vector<SwfRecord> one_by_one;
  while (const SwfRecord* record = records.next()) one_by_one.push_back(*record);
  if (records.plain() && !one_by_one.empty()) {
    require(strict_accepts && one_by_one.size() == strict.records.size(), "a plain text is read");
    require(one_by_one == strict.records, "records one by one are those of the log");
  }
  if (!lenient_accepts) return;
  require(!lenient.records.empty(), "a log that was read has records");
  require(lenient.records.size() + lenient.report.skipped_count() == lenient.report.records,
          "every record is read or counted as skipped");

  const SwfConventions conventions{.processors = SwfProcessors::kAllocated,
                                   .estimates = SwfEstimates::kTrace,
                                   .kill_at_requested_time = true,
                                   .weights = {}};
  for (const int nodes : {0, 64}) {
    check_workload(swf_instance(lenient, "fuzz", {}, {.nodes = nodes, .memory_mib = 1024, .lenient = true}));
    check_workload(swf_instance(lenient, "fuzz", conventions, {.nodes = nodes, .cores = 2}));
  }
  check_workload(annotated_instance(lenient, "fuzz", conventions, {.lenient = true}));
}

}  // namespace
}  // namespace dfrs::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::sim::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
