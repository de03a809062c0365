// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>

#include "sim/workload/sacct/jobs.h"
#include "sim/workload/swf.h"

namespace dfrs::sim {

/// What the accounting shows beyond the simulations; medians over the jobs for which it is known. A job counts once,
/// whatever its size.
struct AccountingFacts {
  std::optional<double> cpu_efficiency;   ///< median of TotalCPU / (run time x CPUs), at most 1
  std::optional<double> memory_used;      ///< median of used over requested memory
  std::optional<double> limit_used;       ///< median of run time over time limit
  std::unordered_set<JobId> interactive;  ///< jobs with a user at them, by the numbers that they have as jobs
  std::size_t requeued_jobs = 0;
  double requeued_cpu_hours = 0;  ///< of runs before the last one
  std::string partition;          ///< the one with the most jobs; empty: no partition named
};
AccountingFacts accounting_facts(const SacctLog& log);

/// The medians over the records that can be simulated. SWF has CPU time and memory per processor, so these are fields
/// 6 / 4, 7 / 10 and 4 / 9. Memory is not known if fields 7 and 10 are equal in most records.
AccountingFacts accounting_facts(SwfRecords& log);

}  // namespace dfrs::sim
