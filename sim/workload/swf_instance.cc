// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/swf_instance.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "sim/workload/fit.h"

namespace dfrs::sim {

Result<SwfWorkload> swf_workload(SwfRecords& log, const std::string& name, const SwfConventions& conventions,
                                 Platform platform, std::int64_t processors, bool lenient,
                                 const std::function<void(const SwfJob& record, Job& job)>& annotate) {
  SwfWorkload workload{{name, std::move(platform), {}}, log.report()};
  const PlatformFit fit(workload.instance.platform);
  std::vector<Job>& jobs = workload.instance.jobs;
  jobs.reserve(log.expected());
  std::size_t too_large = 0;
  std::size_t first_line = 0;
  Result<void> all_fit;
  auto converted = each_simulated_job(log, conventions, workload.report, [&](const SwfJob& record) {
    Job job{.id = record.id,
            .submit = record.submit,
            .run_time = record.run_time,
            .estimate = record.estimate,
            .user = record.user,
            .weight = record.weight};
    annotate(record, job);
    if (record.processors <= processors && fit.fits(job)) {
      jobs.push_back(job);
      return true;
    }
    if (!lenient) {
      all_fit =
          input_error(fmt::format("{}:{}: job {} is larger than the machine: {}; --lenient leaves such jobs out",
                                  log.source(), record.line, record.id,
                                  record.processors > processors ? fmt::format("{} processors, but the machine has {}",
                                                                               record.processors, processors)
                                                                 : fit.check(job).error()));
      return false;
    }
    if (too_large++ == 0) first_line = record.line;
    return true;
  });
  converted = std::move(converted).and_then([&] { return all_fit; });
  if (!converted) return tl::unexpected(std::move(converted).error());
  workload.report.skip("larger than the machine", first_line, too_large);
  if (jobs.empty()) {
    return input_error(fmt::format("{}: every job is larger than the machine of {}", log.source(),
                                   base::counted(workload.instance.platform.nodes.size(), "node")));
  }
  return workload;
}

}  // namespace dfrs::sim
