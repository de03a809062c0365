// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/cpu_needs.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "shim/controller/timing.h"

namespace dfrs::shim {
namespace {

void set_need(Job& job, double need, Changes& changes) {
  if (job.need.value == need) return;
  job.need.value = need;
  changes.changed.push_back(&job);
}

// One job: true if its need has changed.
bool sample(Job& job, const std::vector<const NodeReport*>& reports, const Quotas& quotas, const NeedRule& rule,
            Seconds now) {
  double quota =
      std::numeric_limits<double>::infinity();  // of the node where it has least, in parts of what it asked for
  std::vector<CpuNeed::Sample> fresh;
  std::vector<double> asked;  // CPUs, by node
  for (std::size_t k = 0; k < job.facts.nodes.size();) {
    const NodeIndex n = job.facts.nodes[k];
    std::size_t end = k + 1;
    while (end < job.facts.nodes.size() && job.facts.nodes[end] == n) ++end;
    const NodeReport* report = n < reports.size() ? reports[n] : nullptr;
    const JobUse* use = nullptr;
    if (report != nullptr && report->reachable && report->current) {
      for (const JobUse& one : report->jobs) {
        if (one.job_id == job.id) use = &one;
      }
    }
    if (use == nullptr) {
      job.need.samples.clear();
      return false;
    }
    asked.push_back(static_cast<double>(end - k) * job.facts.cpus_per_task);
    fresh.push_back({use->cpu_seconds, now - report->age});
    quota = std::min(quota, quotas.sent(n, job.id) / asked.back());
    k = end;
  }
  const double now_quota = quota;
  const bool comparable = job.need.samples.size() == fresh.size();
  // Of several quotas in that time the least: a job that left some even of that unused was not held back.
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
  if (looked_at_ >= 0 && now >= looked_at_ && now - looked_at_ < kReportInterval) return;
  looked_at_ = now;
  std::vector<NodeReport> read(nodes.size());
  std::vector<const NodeReport*> reports(nodes.size(), nullptr);
  jobs.each([&](Job& job) {
    const bool stays =
        job.running() && job.desired.state == DesiredState::running && job.desired.nodes == job.facts.nodes;
    if (!stays) {
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
