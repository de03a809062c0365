// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/accounting_facts.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace dfrs::sim {
namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// What jobs used of what they held or asked for, of each job for which it is known.
struct Shares {
  std::vector<double> cpu, memory, limit;
};

void set_medians(Shares shares, AccountingFacts& facts) {
  if (!shares.cpu.empty()) facts.cpu_efficiency = median(std::move(shares.cpu));
  if (!shares.memory.empty()) facts.memory_used = median(std::move(shares.memory));
  if (!shares.limit.empty()) facts.limit_used = median(std::move(shares.limit));
}

}  // namespace

AccountingFacts accounting_facts(const SacctLog& log) {
  AccountingFacts facts;
  Shares shares;
  std::map<std::string, std::size_t> partitions;
  for (const SacctJob& job : log.jobs) {
    if (const auto e = cpu_efficiency(job)) shares.cpu.push_back(*e);
    if (job.used_mib > 0 && job.requested_mib > 0) shares.memory.push_back(job.used_mib / job.requested_mib);
    if (job.limit_kind == LimitKind::kTime && job.limit > 0) shares.limit.push_back(job.run_time / job.limit);
    if (!job.partition.empty()) ++partitions[job.partition];
    if (job.interactive) facts.interactive.insert(static_cast<JobId>(job.number));
    if (job.lost_runs > 0) ++facts.requeued_jobs;
    facts.requeued_cpu_hours += job.lost_cpu_time / 3600;
  }
  set_medians(std::move(shares), facts);
  std::size_t most = 0;
  for (const auto& [name, count] : partitions) {
    if (count > most) facts.partition = name;
    most = std::max(most, count);
  }
  return facts;
}

AccountingFacts accounting_facts(SwfRecords& log) {
  Shares shares;
  ReadReport unread;  // what is left out is reported where the jobs are made
  SwfJob job;
  std::size_t equal = 0;
  while (const SwfRecord* record = log.next()) {
    if (!simulated_job(*record, {}, unread, job)) continue;
    // As in accounting, 0 is not known, and a job cannot use more than its processors.
    if (record->cpu_time > 0 && record->run_time > 0) {
      shares.cpu.push_back(std::min(1.0, record->cpu_time / record->run_time));
    }
    if (record->memory_used > 0 && record->memory_requested > 0) {
      shares.memory.push_back(record->memory_used / record->memory_requested);
      if (record->memory_used == record->memory_requested) ++equal;
    }
    if (record->time_requested > 0) shares.limit.push_back(record->run_time / record->time_requested);
  }
  // What was measured is hardly ever what was asked for, to the KB: a log such as HPC2N's has one figure in both
  // fields.
  if (2 * equal > shares.memory.size()) shares.memory.clear();
  AccountingFacts facts;
  set_medians(std::move(shares), facts);
  return facts;
}

}  // namespace dfrs::sim
