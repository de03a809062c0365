// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/accounting_facts.h"

#include <algorithm>
#include <map>
#include <vector>

namespace dfrs::sim {
namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

AccountingFacts accounting_facts(const SacctLog& log) {
  AccountingFacts facts;
  std::vector<double> efficiency, memory, limit;
  std::map<std::string, std::size_t> partitions;
  for (const SacctJob& job : log.jobs) {
    if (const auto e = cpu_efficiency(job)) efficiency.push_back(*e);
    if (job.used_mib > 0 && job.requested_mib > 0) memory.push_back(job.used_mib / job.requested_mib);
    if (job.limit_kind == LimitKind::kTime && job.limit > 0) limit.push_back(job.run_time / job.limit);
    if (!job.partition.empty()) ++partitions[job.partition];
    if (job.interactive) facts.interactive.insert(static_cast<JobId>(job.number));
    if (job.lost_runs > 0) ++facts.requeued_jobs;
    facts.requeued_cpu_hours += job.lost_cpu_time / 3600;
  }
  if (!efficiency.empty()) facts.cpu_efficiency = median(std::move(efficiency));
  if (!memory.empty()) facts.memory_used = median(std::move(memory));
  if (!limit.empty()) facts.limit_used = median(std::move(limit));
  std::size_t most = 0;
  for (const auto& [name, count] : partitions) {
    if (count > most) facts.partition = name;
    most = std::max(most, count);
  }
  return facts;
}

}  // namespace dfrs::sim
