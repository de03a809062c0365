// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/admin/metrics.h"

#include <cmath>
#include <map>

#include "dfrs-config.h"
#include "shim/http/prometheus.h"

namespace dfrs::shim {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

std::uint64_t one_if(bool holds) { return holds ? 1 : 0; }

void add_controller(MetricsText& text, const ControllerStatus& status) {
  text.family("dfrs_controller_info", "gauge", "Version, cluster and algorithm.");
  text.sample(metric_label("version", PACKAGE_VERSION) + "," + metric_label("cluster", status.cluster) + "," +
                  metric_label("algorithm", status.algorithm),
              std::uint64_t{1});
  text.family("dfrs_controller_steps_total", "counter", "Rounds of scheduling.");
  text.sample("", status.steps);
  text.family("dfrs_controller_last_step_timestamp_seconds", "gauge", "Time of the last round; 0: none yet.");
  text.sample("", status.now);
  text.family("dfrs_controller_step_seconds", "gauge", "How long the last round took.");
  text.sample("", status.last_step_ms / 1000);
  text.family("dfrs_controller_max_step_seconds", "gauge", "How long the longest round took.");
  text.sample("", status.max_step_ms / 1000);
  text.family("dfrs_controller_decisions_total", "counter", "Starts, pauses, moves and resumes decided.");
  text.sample("", status.decisions);
  text.family("dfrs_controller_resyncs_total", "counter", "Times that the policy was rebuilt from Slurm's state.");
  text.sample("", status.resyncs);
  text.family("dfrs_controller_errors_total", "counter", "Rounds that ended with an error.");
  text.sample("", status.errors);
  text.family("dfrs_lost_runs_total", "counter", "Runs whose work a requeue lost.");
  text.sample("", status.lost_runs);
  text.family("dfrs_lost_work_seconds_total", "counter", "Virtual time of the runs whose work a requeue lost.");
  text.sample("", status.lost_work);

  const CheckpointCounters& checkpoints = status.checkpoints;
  text.family("dfrs_checkpoints_total", "counter", "Attempts to checkpoint a job that have ended, by result.");
  for (const auto& [result, count] :
       {std::pair{"completed", checkpoints.completed}, std::pair{"failed", checkpoints.failed},
        std::pair{"given-up", checkpoints.given_up}}) {
    text.sample(metric_label("result", result), count);
  }
  text.family("dfrs_checkpoint_bytes_total", "counter", "Size of all images of completed checkpoints.");
  text.sample("", checkpoints.bytes);
  text.family("dfrs_restores_total", "counter", "Runs that were to begin from a checkpoint, by result.");
  for (const auto& [result, count] :
       {std::pair{"restored", checkpoints.restored}, std::pair{"started-over", checkpoints.started_over}}) {
    text.sample(metric_label("result", result), count);
  }

  text.family("dfrs_quota_deliveries_total", "counter", "Quotas sent to node agents, by result.");
  const DeliveryCounters& sent = status.deliveries;
  for (const auto& [result, count] : {std::pair{"applied", sent.applied}, std::pair{"failed", sent.failed},
                                      std::pair{"refused", sent.refused}, std::pair{"stale", sent.stale}}) {
    text.sample(metric_label("result", result), count);
  }
}

void add_jobs(MetricsText& text, const ControllerStatus& status) {
  std::map<std::string, std::uint64_t> by_state;
  for (int k = 0; k <= static_cast<int>(JobSituation::user_suspended); ++k)
    by_state[situation_name(static_cast<JobSituation>(k))] = 0;
  for (const JobStatus& job : status.jobs) ++by_state[situation_name(job.situation)];
  text.family("dfrs_jobs", "gauge", "Jobs of managed partitions, by state.");
  for (const auto& [state, count] : by_state) text.sample(metric_label("state", state), count);

  const auto each = [&](auto value) {
    for (const JobStatus& job : status.jobs) {
      text.sample(metric_label("job_id", std::to_string(job.job_id)) + "," + metric_label("partition", job.partition),
                  value(job));
    }
  };
  text.family("dfrs_job_yield", "gauge", "Fraction of the requested CPU time that the job gets; 0: it does not run.");
  each([](const JobStatus& job) { return job.yield; });
  text.family("dfrs_job_flow_seconds", "gauge", "Time since the job could have run.");
  each([](const JobStatus& job) { return job.flow_time; });
  text.family("dfrs_job_virtual_seconds", "gauge", "Progress of the job: its run time weighted with the yield.");
  each([](const JobStatus& job) { return job.virtual_time; });
  text.family("dfrs_job_pauses_total", "counter", "How often the job was paused.");
  each([](const JobStatus& job) { return std::uint64_t{job.pauses}; });
  text.family("dfrs_job_moves_total", "counter", "How often the job was moved.");
  each([](const JobStatus& job) { return std::uint64_t{job.moves}; });
  text.family("dfrs_job_quota_pending", "gauge", "1: a node has not applied the job's newest quota.");
  each([](const JobStatus& job) { return one_if(job.quota_pending); });
}

void add_nodes(MetricsText& text, const ControllerStatus& status) {
  const auto each = [&](auto value) {
    for (const NodeStatus& node : status.nodes) text.sample(metric_label("node", node.name), value(node));
  };
  text.family("dfrs_node_usable", "gauge", "1: jobs may be placed on the node.");
  each([](const NodeStatus& node) { return one_if(node.usable); });
  text.family("dfrs_node_cpus", "gauge", "CPUs of the node, as Slurm counts them.");
  each([](const NodeStatus& node) { return node.cpus; });
  text.family("dfrs_node_foreign_cpus", "gauge", "CPUs of the node that jobs of other partitions hold.");
  each([](const NodeStatus& node) { return node.foreign_cpus; });
  text.family("dfrs_node_allocated_cpus", "gauge", "Sum of the quotas of jobs on the node.");
  each([](const NodeStatus& node) { return node.allocated_cpus; });
  text.family("dfrs_node_demanded_cpus", "gauge", "CPUs that the jobs on the node could use.");
  each([](const NodeStatus& node) { return node.demanded_cpus; });
  text.family("dfrs_node_memory_bytes", "gauge", "Memory of the node for jobs.");
  each([](const NodeStatus& node) { return node.memory_mib * kMib; });
  text.family("dfrs_node_used_memory_bytes", "gauge",
              "Memory of the node that running jobs of managed partitions have requested.");
  each([](const NodeStatus& node) { return node.used_memory_mib * kMib; });
  text.family("dfrs_node_running_jobs", "gauge", "Jobs of managed partitions that run on the node.");
  each([](const NodeStatus& node) { return std::uint64_t{node.jobs}; });
  text.family("dfrs_node_suspended_jobs", "gauge", "Jobs of managed partitions that are suspended on the node.");
  each([](const NodeStatus& node) { return std::uint64_t{node.suspended_jobs}; });
  if (!status.enforce_quotas) return;
  text.family("dfrs_node_agent_reachable", "gauge", "1: the node's agent answered the last request.");
  each([](const NodeStatus& node) { return one_if(node.agent_reachable); });
  text.family("dfrs_node_agent_current", "gauge", "1: the node's agent has applied the newest quotas.");
  each([](const NodeStatus& node) { return one_if(node.agent_current); });
  text.family("dfrs_node_agent_age_seconds", "gauge", "Time since the last answer of the node's agent.");
  each([](const NodeStatus& node) { return node.agent_age; });
}

}  // namespace

std::string format_metrics(const ControllerStatus& status, const HttpCounters& http) {
  MetricsText text;
  add_controller(text, status);
  add_jobs(text, status);
  add_nodes(text, status);
  add_http_families(text, http, metric_label("program", "slurmctld"));
  return text.take();
}

}  // namespace dfrs::shim
