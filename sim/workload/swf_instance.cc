// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/swf_instance.h"

#include <fmt/format.h>

#include "sim/errors.h"

namespace dfrs::sim {

SwfInstanceJobs::SwfInstanceJobs(const SwfRecords& log, std::int64_t processors, bool lenient, SwfWorkload& workload)
    : log_(log),
      processors_(processors),
      lenient_(lenient),
      workload_(workload),
      jobs_(workload.instance.jobs),
      fit_(workload.instance.platform) {
  jobs_.reserve(log.expected());
}

Job& SwfInstanceJobs::begin(const SwfJob& record) {
  Job& job = jobs_.emplace_back();
  job.id = record.id;
  job.submit = record.submit;
  job.run_time = record.run_time;
  job.estimate = record.estimate;
  job.weight = record.weight;
  return job;
}

void SwfInstanceJobs::end(const SwfJob& record) {
  const Job& job = jobs_.back();
  if (record.processors <= processors_ && fit_.fits(job)) return;
  if (!lenient_) {
    throw InputError(fmt::format("{}:{}: job {} is larger than the machine: {}", log_.source(), record.line, record.id,
                                 record.processors > processors_ ? fmt::format("{} processors, but the machine has {}",
                                                                               record.processors, processors_)
                                                                 : fit_.why_not(job)));
  }
  jobs_.pop_back();
  if (too_large_++ == 0) first_too_large_ = record.line;
}

void SwfInstanceJobs::finish() {
  workload_.report.skip("larger than the machine", first_too_large_, too_large_);
  if (!jobs_.empty()) return;
  throw InputError(fmt::format("{}: every job is larger than the machine of {} nodes", log_.source(),
                               workload_.instance.platform.nodes.size()));
}

}  // namespace dfrs::sim
