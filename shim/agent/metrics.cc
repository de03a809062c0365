// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/metrics.h"

#include <algorithm>

#include "shim/http/prometheus.h"

namespace dfrs::shim {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

}  // namespace

std::string format_metrics(const Agent::Metrics& agent, const HttpCounters& http, const char* cgroup_version) {
  const std::string node = metric_label("node", agent.node);
  const auto with = [&](std::string_view name, std::string_view value) {
    return node + "," + metric_label(name, value);
  };
  MetricsText text;
  text.family("dfrs_agent_info", "gauge", "Version of the control groups in use.");
  text.sample(with("cgroup", cgroup_version), std::uint64_t{1});

  text.family("dfrs_agent_state_epoch", "gauge", "Epoch of the desired state in force; 0: none.");
  text.sample(node, agent.desired.order.epoch);
  text.family("dfrs_agent_state_sequence", "gauge", "Number of the desired state in force within its epoch.");
  text.sample(node, agent.desired.order.sequence);
  text.family("dfrs_agent_state_age_seconds", "gauge", "Time since the controller's last desired state.");
  text.sample(node, agent.state_age);
  text.family("dfrs_agent_states_total", "counter", "Desired states received, by result.");
  text.sample(with("result", "applied"), agent.counters.applied);
  text.sample(with("result", "stale"), agent.counters.stale);
  text.sample(with("result", "malformed"), agent.counters.malformed);

  const auto paused = static_cast<std::uint64_t>(
      std::count_if(agent.desired.jobs.begin(), agent.desired.jobs.end(), [](const auto& job) { return job.paused; }));
  text.family("dfrs_agent_jobs", "gauge", "Jobs of the desired state.");
  text.sample(with("state", "running"), agent.desired.jobs.size() - paused);
  text.sample(with("state", "paused"), paused);

  const auto label = [&](std::uint32_t job) { return with("job_id", std::to_string(job)); };
  text.family("dfrs_job_quota_cores", "gauge", "CPU quota of a job on this node, in real cores.");
  for (const auto& [job, quota] : agent.quotas) text.sample(label(job), quota.cores());
  text.family("dfrs_job_cpu_seconds_total", "counter", "CPU time of a job on this node.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.use.cpu_seconds);
  text.family("dfrs_job_periods_total", "counter", "Quota periods in which a job could run.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.group.periods);
  text.family("dfrs_job_throttled_periods_total", "counter", "Quota periods in which a job used up its quota.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.group.throttled);
  text.family("dfrs_job_throttled_seconds_total", "counter", "Time for which a job's quota held it back.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.group.throttled_seconds);
  text.family("dfrs_job_memory_bytes", "gauge", "Resident memory of a job's processes.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.use.memory_mib * kMib);
  text.family("dfrs_job_swap_bytes", "gauge", "Memory of a job's processes that is in swap.");
  for (const auto& [job, measure] : agent.jobs) text.sample(label(job), measure.use.swap_mib * kMib);

  text.family("dfrs_node_swap_bytes", "gauge", "Swap of this machine.");
  text.sample(node, agent.swap.total_kib * 1024);
  text.family("dfrs_node_swap_free_bytes", "gauge", "Free swap of this machine.");
  text.sample(node, agent.swap.free_kib * 1024);
  text.family("dfrs_node_paged_out_bytes_total", "counter", "Memory of suspended jobs that has moved to swap.");
  text.sample(node, agent.page_out.bytes);
  text.family("dfrs_node_paged_out_jobs_total", "counter",
              "Attempts to move a suspended job's memory to swap, by result.");
  text.sample(with("result", "done"), agent.page_out.jobs);
  text.sample(with("result", "interrupted"), agent.page_out.interrupted);
  text.sample(with("result", "stayed"), agent.page_out.stayed);

  text.family("dfrs_node_jobs_corrected_total", "counter",
              "Jobs whose processes ran or were stopped contrary to Slurm's state, and were corrected.");
  text.sample(with("to", "running"), agent.counters.continued);
  text.sample(with("to", "stopped"), agent.counters.stopped);

  text.family("dfrs_agent_quota_writes_total", "counter", "Changed quotas written to the kernel.");
  text.sample(node, agent.counters.quota_writes);
  text.family("dfrs_agent_groups_removed_total", "counter", "Empty control groups of former jobs removed.");
  text.sample(node, agent.counters.groups_removed);
  text.family("dfrs_agent_errors_total", "counter", "Errors, by place.");
  text.sample(with("where", "quota"), agent.counters.quota_errors);
  text.sample(with("where", "run_folder"), agent.counters.folder_errors);
  text.sample(with("where", "page_out"), agent.page_out.errors);
  text.family("dfrs_agent_errors", "gauge", "Parts of the desired state that could not be applied.");
  text.sample(node, static_cast<std::uint64_t>(agent.errors));

  add_http_families(text, http, with("program", "dfrsd"));
  return text.take();
}

}  // namespace dfrs::shim
