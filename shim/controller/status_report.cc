// SPDX-License-Identifier: GPL-2.0-or-later
// Reports the state of the controller, its nodes and its jobs as values.
#include <fmt/format.h>

#include <algorithm>

#include "policy/core/engine.h"
#include "policy/core/node_runs.h"
#include "shim/controller/inspection.h"
#include "shim/controller/memory_ledger.h"
#include "shim/controller/pause_reasons.h"
#include "shim/controller/pause_rules.h"
#include "shim/controller/situation.h"
#include "shim/controller/story_names.h"

namespace dfrs::shim {
namespace {

ControllerStatus report_controller(const LiveState& live) {
  ControllerStatus status;
  status.cluster = live.cluster;
  status.algorithm = algorithm_name(live.config.algorithm);
  status.period = live.config.period;
  status.config_in_force = live.config_in_force;
  status.enforce_quotas = live.config.enforce_quotas;
  status.now = live.counters.now;
  status.utc_offset = utc_offset(status.now);
  status.wake_at = live.counters.wake_at;
  status.steps = live.counters.steps;
  status.decisions = live.driver.counters().decisions;
  status.resyncs = live.driver.counters().resyncs;
  status.errors = live.counters.errors;
  status.last_error = live.counters.last_error;
  status.lost_runs = live.totals.lost_runs;
  status.lost_work = live.totals.lost_work;
  status.last_step_ms = live.counters.last_step_ms;
  status.max_step_ms = live.counters.max_step_ms;
  status.checkpoints = live.checkpoints;
  status.checkpoint_rates = {live.pause_costs.write_rate(live.config), live.pause_costs.read_rate(live.config),
                             live.pause_costs.restart(live.config)};
  if (live.agents != nullptr) status.deliveries = live.agents->counters();
  return status;
}

NodeStatus report_node(const Node& node, NodeIndex index, const NodeAgents* agents) {
  NodeStatus out;
  out.name = node.name;
  out.usable = node.usable;
  out.completing = node.completing;
  out.cpus = node.cpus;
  out.foreign_cpus = node.foreign_cpus;
  out.memory_mib = node.memory;
  out.foreign_memory_mib = node.foreign_memory;
  if (agents == nullptr) return out;
  const NodeReport report = agents->report(index);
  out.agent_reachable = report.reachable;
  out.agent_current = report.current;
  out.agent_age = report.age;
  out.agent_request = report.last_request;
  out.swap_total_mib = report.swap_total_mib;
  out.swap_free_mib = report.swap_free_mib;
  return out;
}

void report_request(const Job& job, JobStatus& out) {
  out.tasks = job.facts.tasks;
  out.cpus_per_task = job.facts.cpus_per_task;
  out.cpu_need = job.need.value;
  out.weight = job.policy.weight;
  out.memory_per_task_mib = job.facts.memory_per_task;
  out.time_limit_minutes = job.facts.time_limit;
}

void report_progress(const Job& job, Seconds now, JobStatus& out) {
  const Seconds release = job.history.release;
  out.yield = job.running() ? job.progress.granted_yield : 0;
  out.virtual_time = job.virtual_time(now);
  out.run_virtual_time = job.run_virtual_time(now);
  out.submit = release != 0 ? release : static_cast<Seconds>(job.submit);
  out.flow_time = release != 0 ? std::max(0.0, now - release) : 0;
  out.started = job.history.first_start;
  out.priority = priority_of(job, now);
  out.pauses = job.history.pauses;
  out.moves = job.history.moves;
  out.lost_runs = job.history.lost_runs;
  out.lost_work = job.history.lost_work;
}

void report_pausing(const Job& job, JobStatus& out) {
  out.pause_cost = job.running() ? job.pausing.pause_cost : -1;
  if (!job.running() && !job.suspended()) return;
  const JobFlags flags = policy_flags(job);
  out.may_pause = !flags.may_not_pause;
  out.may_move = !flags.may_not_move;
}

CheckpointStage stage_of(const Checkpointing& state) {
  switch (state.phase) {
    case Checkpointing::Phase::none:
      return state.restoring ? CheckpointStage::restoring : CheckpointStage::none;
    case Checkpointing::Phase::freezing:
      return CheckpointStage::freezing;
    case Checkpointing::Phase::dumping:
      return CheckpointStage::dumping;
    case Checkpointing::Phase::complete:
      return CheckpointStage::complete;
    case Checkpointing::Phase::resuming:
      return CheckpointStage::resuming;
  }
  return CheckpointStage::none;
}

std::optional<JobCheckpoints> report_checkpoints(const Job& job, const Config& config, Seconds now) {
  const Checkpointing& state = job.checkpointing;
  if (!job.pausing.checkpointable && state.attempts == 0) return std::nullopt;
  JobCheckpoints out{stage_of(state), job.pausing.can_checkpoint, {}, state.attempts, state.failed, state.bytes};
  if (job.running() && job.pausing.checkpointable && !out.possible) out.why = why_no_checkpoint(job, config, now);
  return out;
}

// Why the policy lets jobs wait, or has paused them, with the room that there is for them now.
class PolicyReasons {
 public:
  explicit PolicyReasons(const LiveState& live) : live_(live) {}

  std::optional<std::string> of(const Job& job, JobSituation situation) {
    using S = JobSituation;
    if (situation != S::waiting && situation != S::suspended && situation != S::requeued) return std::nullopt;
    const record::Story* const story = live_.driver.stories().find(job.id);
    if (story == nullptr || story->events.empty()) return std::nullopt;
    const std::optional<record::Why>& why = story->events.back().why_now();
    if (!why) return std::nullopt;
    return record::clause(*why, {{}, local_time}) + (record::lacks_room(why->kind) ? room_of(job) : std::string());
  }

 private:
  // The caller holds the controller's lock: a long queue on many nodes is told in part.
  static constexpr std::size_t kMostLooks = 1000000;

  std::string room_of(const Job& job) {
    looks_ += live_.nodes.size();
    if (looks_ > kMostLooks) return {};
    if (!ledger_) ledger_ = ledger_of_desired(live_.jobs, live_.nodes);
    const record::FreeRoom room = room_for(job, policy_flags(job).may_not_move, live_.nodes, *ledger_);
    return fmt::format(" ({})", record::room_words(room, job.facts.tasks));
  }

  const LiveState& live_;
  std::size_t looks_ = 0;
  std::optional<MemoryLedger> ledger_;
};

JobStatus report_job(const LiveState& live, const Job& job, PolicyReasons& reasons) {
  const Seconds now = live.counters.now;
  JobStatus out;
  out.job_id = job.id;
  out.user_id = job.user;
  out.name = job.facts.name;
  out.partition = job.facts.partition;
  out.situation = situation_of(job, now);
  report_request(job, out);
  report_progress(job, now, out);
  report_pausing(job, out);
  out.checkpoints = report_checkpoints(job, live.config, now);
  out.nodes = places(job.facts.nodes, live.nodes);
  if (job.to_run_elsewhere()) out.target = places(job.desired.nodes, live.nodes);
  out.reason = reason_of(job, out.situation, live.reconciler, live.nodes, now);
  out.policy_reason = reasons.of(job, out.situation);
  return out;
}

// Adds what the job has on its nodes to their reports. `out` is the job's report.
void add_to_nodes(const LiveState& live, const Job& job, JobStatus& out, std::vector<NodeStatus>& nodes) {
  each_node_run(job.facts.nodes, [&](NodeIndex n, std::uint32_t tasks) {
    if (n >= nodes.size()) return;
    NodeStatus& node = nodes[n];
    if (live.agents != nullptr && !node.agent_current) out.quota_pending = true;
    if (!job.running()) {
      ++node.suspended_jobs;
      return;
    }
    ++node.jobs;
    node.allocated_cpus += out.yield * tasks * job.facts.cpus_per_task * job.need.value;
    node.demanded_cpus += static_cast<double>(tasks) * job.facts.cpus_per_task * job.need.value;
    node.used_memory_mib += tasks * job.facts.memory_per_task;
  });
}

}  // namespace

ControllerStatus report_status(const LiveState& live) {
  ControllerStatus status = report_controller(live);
  for (NodeIndex n = 0; n < live.nodes.size(); ++n) {
    status.nodes.push_back(report_node(live.nodes[n], n, live.agents));
  }
  PolicyReasons reasons(live);
  live.jobs.each([&](const Job& job) {
    if (job.facts.phase == DFRS_JOB_ENDING) return;
    JobStatus out = report_job(live, job, reasons);
    add_to_nodes(live, job, out, status.nodes);
    status.jobs.push_back(std::move(out));
  });
  return status;
}

}  // namespace dfrs::shim
