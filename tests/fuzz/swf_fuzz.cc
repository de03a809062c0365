// SPDX-License-Identifier: GPL-2.0-or-later
// The readers of workloads: whatever the text, they answer with jobs in range or with an InputError (or, where a log
// does not tell the size of its machine, a UsageError).
#include <cstdio>

#include <cstdlib>
#include <string_view>

#include "sim/errors.h"
#include "sim/workload/hpc2n.h"
#include "sim/workload/number_parser.h"
#include "sim/workload/swf.h"
#include "sim/workload/trace_file.h"
#include "sim/workload/weeks.h"

namespace dfrs::sim {
namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void check_instance(const Instance& instance) {
  require(!instance.jobs.empty(), "an instance has jobs");
  Seconds last = 0;
  for (const Job& job : instance.jobs) {
    require(job.submit >= last && job.submit <= kMaxTraceSeconds, "submit times go up and are in range");
    require(job.run_time >= 0 && job.run_time <= kMaxTraceSeconds, "run time in range");
    require(job.estimate >= 0 && job.estimate <= kMaxTraceSeconds, "estimate in range");
    require(job.tasks >= 1 && job.cpu_need > 0 && job.rigid[kMemory] >= 0, "needs in range");
    last = job.submit;
  }
}

void read_log(std::string_view text, bool lenient) {
  try {
    const SwfLog log = parse_swf(text, "fuzz", {lenient});
    SwfConventions conventions;
    conventions.estimates = SwfEstimates::kTrace;
    conventions.kill_at_requested_time = true;
    MemoryAnnotation annotation;
    annotation.lenient = lenient;
    const SwfWorkload annotated = annotated_instance(log, "fuzz", conventions, annotation);
    check_instance(annotated.instance);
    require(annotated.instance.jobs.size() + annotated.report.skipped_count() == annotated.report.records,
            "every record is a job or counted as skipped");
    std::size_t jobs = 0;
    for (const Instance& week : split_weeks(annotated.instance, "fuzz")) {
      check_instance(week);
      jobs += week.jobs.size();
    }
    require(jobs == annotated.instance.jobs.size(), "every job is in a week");

    SwfPlatformOptions platform;
    platform.lenient = lenient;
    platform.memory_mib = 1024;
    check_instance(swf_instance(log, "fuzz", {}, platform).instance);
  } catch (const InputError&) {
  } catch (const UsageError&) {
  }
}

void read_trace(std::string_view text) {
  std::vector<Instance> instances;
  try {
    instances = parse_traces(text, "fuzz");
  } catch (const InputError&) {
    return;
  }
  for (const Instance& instance : instances) {
    check_instance(instance);
    const std::vector<Instance> back = parse_traces(format_trace(instance), "formatted");
    require(back.size() == 1 && back[0].name == instance.name && back[0].platform == instance.platform &&
                back[0].jobs == instance.jobs,
            "what is written reads back");
  }
}

}  // namespace

}  // namespace dfrs::sim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  dfrs::sim::read_log(text, false);
  dfrs::sim::read_log(text, true);
  dfrs::sim::read_trace(text);
  return 0;
}
