// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>

#include "sim/workload/sacct/jobs.h"

namespace dfrs::sim {

/// What the accounting shows beyond the simulations; medians over the jobs for which it is known.
struct AccountingFacts {
  std::optional<double> cpu_efficiency;   ///< median of TotalCPU / (run time x CPUs)
  std::optional<double> memory_used;      ///< median of used over requested memory
  std::optional<double> limit_used;       ///< median of run time over time limit
  std::unordered_set<JobId> interactive;  ///< jobs with a user at them, by the numbers that they have as jobs
  std::size_t requeued_jobs = 0;
  double requeued_cpu_hours = 0;  ///< of runs before the last one
  std::string partition;          ///< the one with the most jobs; empty: no partition named
};
AccountingFacts accounting_facts(const SacctLog& log);

}  // namespace dfrs::sim
