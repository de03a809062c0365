// SPDX-License-Identifier: GPL-2.0-or-later
// What comes over the wire between controller and agents: a state that is accepted keeps its promises and comes out
// again as it went in; everything else is refused with one line.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "shim/agent/cpu_max.h"
#include "shim/quota/protocol.h"
#include "tests/fuzz/check.h"

namespace dfrs::shim {
namespace {

using sim::require;

template <typename Result>
bool accepts(const Result& result) {
  if (result) return true;
  require(!result.error().empty() && result.error().find('\n') == std::string::npos, "an error is one line");
  return false;
}

void check(std::string_view text) {
  if (const auto state = parse_desired(text); accepts(state)) {
    require(state->order.epoch > 0, "an epoch is above 0");
    require(state->jobs.size() <= kMaxJobs, "jobs are bounded");
    for (std::size_t i = 0; i < state->jobs.size(); ++i) {
      const JobQuota& job = state->jobs[i];
      require(job.job_id > 0 && (i == 0 || state->jobs[i - 1].job_id < job.job_id), "jobs are in order, none twice");
      require(job.cpus >= 0 && job.cpus <= kMaxCpus, "CPUs are in their range");
      require(job.suspended || !job.paused, "paused jobs are suspended");
      require(!job.checkpoint || (job.checkpoint->attempt > 0 && job.checkpoint->folder.starts_with('/')),
              "attempts to checkpoint have a number and a folder");
      const CpuMax quota = cpu_max_for(job.cpus);
      require(quota.quota_us >= kMinQuotaUs && quota.period_us <= kMaxPeriodUs, "quotas are in the kernel's range");
    }
    const auto again = parse_desired(format_desired(*state));
    require(again && *again == *state, "a state comes through as it was");
  }
  if (const auto report = parse_report(text); accepts(report)) {
    const auto again = parse_report(format_report(*report));
    require(again && again->jobs.size() == report->jobs.size() && again->applied == report->applied,
            "a report comes through as it was");
  }
  accepts(parse_stale(text));
  if (const auto quota = parse_cpu_max(text)) require(quota->period_us > 0, "a period is above 0");
}

}  // namespace
}  // namespace dfrs::shim

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dfrs::shim::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
