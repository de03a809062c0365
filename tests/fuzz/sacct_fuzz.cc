// SPDX-License-Identifier: GPL-2.0-or-later
// Slurm accounting: the reader, strict and lenient, its instances, SWF, and anonymised text.
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/workload/number_parser.h"
#include "sim/workload/sacct/anonymise.h"
#include "sim/workload/sacct/jobs.h"
#include "sim/workload/sacct/table.h"
#include "sim/workload/swf_writer.h"
#include "sim/workload/trace_file.h"
#include "tests/fuzz/check.h"

namespace dfrs::sim {
namespace {

void check_log(const SacctLog& log) {
  require(!log.jobs.empty(), "a log that was read has jobs");
  require(log.jobs.size() + log.report.skipped_count() == log.report.records, "every row is a job's or is counted");
  Seconds last = 0;
  for (const SacctJob& job : log.jobs) {
    require(job.submit >= last && job.submit <= kMaxTraceSeconds, "jobs are by submission");
    require(job.start < 0 || job.start >= job.submit, "no job starts before it is submitted");
    require(job.run_time >= 0 && job.run_time <= kMaxTraceSeconds, "run times are in range");
    require(job.cpus >= 1 && job.nodes >= 1 && job.nodes <= job.cpus && job.number >= 0, "sizes are in range");
    last = job.submit;
  }
}

void check_instance(const SacctLog& log, const SacctOptions& options) {
  const auto workload = sacct_instance(log, "fuzz", options);
  if (!accepted(workload)) return;
  // What the trace format can say is what an instance may be.
  const auto again = or_throw(parse_traces(or_throw(format_trace(workload->instance)), "written"));
  require(again.size() == 1 && again[0].jobs == workload->instance.jobs, "an instance is written and read as it is");
  require(workload->instance.jobs.size() + workload->report.skipped_count() == workload->report.records,
          "every row is a job or is counted");
}

void check(std::string_view text) {
  const auto strict = parse_sacct(text, "fuzz");
  const auto lenient = parse_sacct(text, "fuzz", {.lenient = true});
  const bool lenient_accepts = accepted(lenient);
  if (accepted(strict)) {
    require(lenient_accepts && lenient->jobs.size() == strict->jobs.size(), "lenient reads what strict reads");
    check_log(*strict);
  }
  const auto hidden = anonymise_sacct(text, "fuzz");
  if (accepted(hidden)) {
    require(is_sacct_text(*hidden), "anonymised accounting is accounting");
    const auto read = parse_sacct(*hidden, "hidden", {.lenient = true});
    if (accepted(read)) check_log(*read);
  }
  if (!lenient_accepts) return;
  check_log(*lenient);
  (void)infer_shape(*lenient);
  (void)infer_kinds(*lenient);
  check_instance(*lenient, {.shape = {64, 32, 100000}, .lenient = true});
  check_instance(*lenient, {.shape = {1000, 0, 0},
                            .cpu_need = CpuNeed::kAllocated,
                            .memory_need = MemoryNeed::kLarger,
                            .estimates = SwfEstimates::kExact,
                            .lenient = true});
  const std::string swf = format_swf(sacct_swf(*lenient, {64, 32, 100000}));
  const auto written = parse_swf(swf, "written");
  if (accepted(written)) require(written->records.size() == lenient->jobs.size(), "SWF that is written is read");
}

}  // namespace
}  // namespace dfrs::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::sim::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
