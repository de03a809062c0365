// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/admin/status_json.h"

#include <cmath>
#include <optional>

#include "policy/core/enum_names.h"
#include "record/story/json.h"

namespace dfrs::shim {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

Json error_or_null(const tl::expected<void, std::string>& outcome) {
  return outcome ? Json(nullptr) : Json(outcome.error());
}

// {"n1": 3, "n2": 1}: tasks on each node, in node order.
Json places_json(const std::vector<std::pair<std::string, std::uint32_t>>& places) {
  Json out = Json::object();
  for (const auto& [node, tasks] : places) out[node] = tasks;
  return out;
}

Json checkpoints_json(const std::optional<JobCheckpoints>& job) {
  if (!job) return nullptr;
  return {{"stage", stage_name(job->stage)}, {"possible", job->possible}, {"why_not", text_or_null(job->why)},
          {"attempts", job->attempts},       {"failed", job->failed},     {"bytes", job->bytes}};
}

Json checkpoints_json(const CheckpointCounters& all, const CheckpointRates& rates) {
  return {{"attempts", all.attempts},  {"completed", all.completed},     {"failed", all.failed},
          {"given_up", all.given_up},  {"restored", all.restored},       {"started_over", all.started_over},
          {"bytes", all.bytes},        {"write_mib_per_s", rates.write}, {"read_mib_per_s", rates.read},
          {"restart_s", rates.restart}};
}

Json job_json(const JobStatus& job) {
  return {{"job", job.job_id},
          {"user_id", job.user_id},
          {"name", job.name},
          {"partition", job.partition},
          {"state", situation_name(job.situation)},
          {"reason", text_or_null(job.reason)},
          {"policy_reason", text_or_null(job.policy_reason)},
          {"yield", job.yield},
          {"virtual_time_s", job.virtual_time},
          {"run_virtual_time_s", job.run_virtual_time},
          {"flow_time_s", job.flow_time},
          {"submit", job.submit},
          {"started", job.started == 0 ? Json(nullptr) : Json(job.started)},
          {"priority", number(job.priority)},
          {"tasks", job.tasks},
          {"cpus_per_task", job.cpus_per_task},
          {"cpu_need", job.cpu_need},
          {"weight", job.weight},
          {"pause_cost_s", job.pause_cost < 0 ? Json(nullptr) : Json(job.pause_cost)},
          {"memory_per_task_mib", job.memory_per_task_mib},
          {"time_limit_min", job.time_limit_minutes == std::numeric_limits<std::uint32_t>::max()
                                 ? Json(nullptr)
                                 : Json(job.time_limit_minutes)},
          {"nodes", places_json(job.nodes)},
          {"target", job.target.empty() ? Json(nullptr) : places_json(job.target)},
          {"pauses", job.pauses},
          {"moves", job.moves},
          {"lost_runs", job.lost_runs},
          {"lost_work_s", job.lost_work},
          {"may_pause", job.may_pause},
          {"may_move", job.may_move},
          {"checkpoint", checkpoints_json(job.checkpoints)},
          {"quota_pending", job.quota_pending}};
}

Json node_json(const NodeStatus& node, bool quotas) {
  Json agent = nullptr;
  if (quotas) {
    agent = {{"reachable", node.agent_reachable},
             {"current", node.agent_current},
             {"age_s", number(node.agent_age)},
             {"error", error_or_null(node.agent_request)}};
  }
  return {{"node", node.name},
          {"usable", node.usable},
          {"completing", node.completing},
          {"cpus", node.cpus},
          {"foreign_cpus", node.foreign_cpus},
          {"allocated_cpus", node.allocated_cpus},
          {"demanded_cpus", node.demanded_cpus},
          {"memory_mib", node.memory_mib},
          {"foreign_memory_mib", node.foreign_memory_mib},
          {"used_memory_mib", node.used_memory_mib},
          {"jobs", node.jobs},
          {"suspended_jobs", node.suspended_jobs},
          {"swap_total_mib", node.swap_total_mib},
          {"swap_free_mib", node.swap_free_mib},
          {"agent", std::move(agent)}};
}

}  // namespace

Json recording_json(const record::RecordingState& recording) {
  return {{"format", kControlFormat}, {"on", recording.on},       {"path", text_or_null(recording.path)},
          {"steps", recording.steps}, {"bytes", recording.bytes}, {"stopped", error_or_null(recording.intact)}};
}

Json status_json(const ControllerStatus& status, const record::RecordingState& recording) {
  Json jobs = Json::array();
  for (const JobStatus& job : status.jobs) jobs.push_back(job_json(job));
  Json record = recording_json(recording);
  record.erase("format");
  return {{"format", kControlFormat},
          {"cluster", status.cluster},
          {"algorithm", status.algorithm},
          {"period_s", status.period},
          {"enforce_quotas", status.enforce_quotas},
          {"config_error", error_or_null(status.config_in_force)},
          {"now", status.now == 0 ? Json(nullptr) : Json(status.now)},
          {"utc_offset_s", status.utc_offset},
          {"wake_at", number(status.wake_at)},
          {"steps", status.steps},
          {"decisions", status.decisions},
          {"resyncs", status.resyncs},
          {"errors", status.errors},
          {"last_error", text_or_null(status.last_error)},
          {"lost_runs", status.lost_runs},
          {"lost_work_s", status.lost_work},
          {"checkpoints", checkpoints_json(status.checkpoints, status.checkpoint_rates)},
          {"last_step_ms", status.last_step_ms},
          {"max_step_ms", status.max_step_ms},
          {"nodes", status.nodes.size()},
          {"record", std::move(record)},
          {"jobs", std::move(jobs)}};
}

Json nodes_json(const ControllerStatus& status) {
  Json nodes = Json::array();
  for (const NodeStatus& node : status.nodes) nodes.push_back(node_json(node, status.enforce_quotas));
  return {{"format", kControlFormat},
          {"cluster", status.cluster},
          {"enforce_quotas", status.enforce_quotas},
          {"nodes", std::move(nodes)}};
}

Json repack_json(const RepackPlan& plan) {
  Json decisions = Json::array();
  for (const PlannedDecision& decision : plan.decisions) {
    decisions.push_back({{"action", enum_name(decision.kind)},
                         {"job", decision.job_id},
                         {"from", places_json(decision.from)},
                         {"to", places_json(decision.to)}});
  }
  Json yields = Json::array();
  for (const PlannedYield& yield : plan.yields) {
    yields.push_back({{"job", yield.job_id}, {"from", yield.from}, {"to", yield.to}});
  }
  return {{"format", kControlFormat},
          {"algorithm", plan.algorithm},
          {"min_yield_before", plan.min_yield_before},
          {"min_yield_after", plan.min_yield_after},
          {"moves", std::move(decisions)},
          {"yields", std::move(yields)}};
}

Json explain_json(std::uint32_t job_id, const JobExplanation& explanation) {
  return {{"format", kControlFormat},
          {"job", job_id},
          {"lines", explanation.lines},
          {"summary", record::totals_json(job_id, explanation.totals, explanation.names)},
          {"events", record::story_json(job_id, explanation.story, explanation.names)}};
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dfrs::shim
