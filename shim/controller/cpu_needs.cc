// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/cpu_needs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "policy/core/node_runs.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {
namespace {

void set_need(Job& job, double need, Changes& changes) {
  if (job.need.value == need) return;
  job.need.value = need;
  changes.changed.push_back(&job);
}

// Measures one job. True if its need has changed.
bool sample(Job& job, const std::vector<const NodeReport*>& reports, const Quotas& quotas, const NeedRule& rule,
            Seconds now) {
  // On the node where it has least, as a fraction of what it asked for.
  double quota = std::numeric_limits<double>::infinity();
  std::vector<CpuNeed::Sample> fresh;
  std::vector<double> asked;  // CPUs, by node
  const bool all_reported = all_node_runs(job.facts.nodes, [&](NodeIndex n, std::uint32_t tasks) {
    const NodeReport* const report = n < reports.size() ? reports[n] : nullptr;
    if (report == nullptr || !report->reachable || !report->current) return false;
    const JobUse* const use = report->use_of(job.id);
    if (use == nullptr) return false;
    asked.push_back(static_cast<double>(tasks) * job.facts.cpus_per_task);
    fresh.push_back({use->cpu_seconds, now - report->measured_age});
    quota = std::min(quota, quotas.sent(n, job.id) / asked.back());
    return true;
  });
  if (!all_reported) {
    job.need.samples.clear();
    return false;
  }
  const double now_quota = quota;
  const bool comparable = job.need.samples.size() == fresh.size();
  // The lowest of several quotas in that time: a job that left a part even of that one unused was not held back.
  if (comparable) quota = job.need.sampled_quota = std::min(job.need.sampled_quota, quota);
  Seconds length = std::numeric_limits<double>::infinity();
  double used = 0;
  for (std::size_t k = 0; comparable && k < fresh.size(); ++k) {
    const Seconds one = fresh[k].at - job.need.samples[k].at;
    length = std::min(length, one);
    if (one > 0) used = std::max(used, (fresh[k].cpu_seconds - job.need.samples[k].cpu_seconds) / one / asked[k]);
  }
  if (comparable && length < kLeastSample) return false;  // not yet
  job.need.samples = std::move(fresh);
  job.need.sampled_quota = now_quota;
  return comparable && job.need.measured.sample(used, quota, length, rule);
}

}  // namespace

void CpuNeeds::measure(JobTable& jobs, const Nodes& nodes, const NodeAgents* agents, const Quotas& quotas,
                       const Config& config, Seconds now, Changes& changes) {
  if (agents == nullptr || !config.measure_cpu_need) {
    jobs.each([&](Job& job) {
      job.need.samples.clear();
      job.need.measured.forget();
      set_need(job, 1, changes);
    });
    return;
  }
  NeedRule rule;
  rule.floor = config.cpu_need_floor;
  if (!look_.due(now)) return;
  std::vector<NodeReport> read(nodes.size());
  std::vector<const NodeReport*> reports(nodes.size(), nullptr);
  jobs.each([&](Job& job) {
    if (!job.running() || !job.to_run_in_place()) {
      job.need.samples.clear();
      return;
    }
    for (const NodeIndex n : job.facts.nodes) {
      if (n >= nodes.size() || reports[n] != nullptr) continue;
      read[n] = agents->report(n);
      reports[n] = &read[n];
    }
    if (sample(job, reports, quotas, rule, now)) set_need(job, job.need.measured.need(), changes);
  });
}

}  // namespace dfrs::shim
