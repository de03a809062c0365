// SPDX-License-Identifier: GPL-2.0-or-later
// A controller's status by hand, and an Inspection that shows one.
#pragma once

#include <mutex>

#include "shim/admin/status.h"
#include "timeline/observed.h"

namespace dfrs::shim {

inline ControllerStatus sample_status() {
  ControllerStatus status;
  status.cluster = "test";
  status.algorithm = "GreedyPM*/per/OPT=MIN/MINVT=600";
  status.period = 600;
  status.now = 1700000000.25;
  status.wake_at = 1700000400;
  status.steps = 1234;
  status.decisions = 56;
  status.resyncs = 1;
  status.lost_runs = 2;
  status.lost_work = 3700;
  status.checkpoint_rates = {210.5, 340, 6.5};
  status.last_step_ms = 0.31;
  status.max_step_ms = 4.5;

  JobStatus running;
  running.job_id = 7;
  running.user_id = 1000;
  running.name = "simulate";
  running.partition = "dfrs";
  running.situation = JobSituation::running;
  running.yield = 1.0 / 3;
  running.virtual_time = 125.5;
  running.flow_time = 90061;
  running.submit = 1699909939;
  running.started = 1699909940;
  running.priority = 5.72;
  running.tasks = 4;
  running.cpus_per_task = 2;
  running.cpu_need = 0.3;
  running.weight = 2;
  running.pause_cost = 12;
  running.memory_per_task_mib = 512;
  running.time_limit_minutes = 60;
  running.nodes = {{"n1", 3}, {"n2", 1}};
  running.pauses = 1;
  running.moves = 2;
  running.may_pause = true;
  running.may_move = true;
  running.quota_pending = true;
  status.jobs.push_back(running);

  JobStatus moving = running;
  moving.job_id = 12;
  moving.name = "a job with quite a long name of its own";
  moving.situation = JobSituation::moving;
  moving.target = {{"n3", 4}};
  moving.lost_runs = 2;
  moving.lost_work = 3700;
  moving.quota_pending = false;
  moving.reason = "is being requeued";
  status.jobs.push_back(moving);

  JobStatus waiting;
  waiting.job_id = 100000;
  waiting.user_id = 1001;
  waiting.name = "evil\x1b[2Jname\n\xc2\x9b!";
  waiting.partition = "short";
  waiting.situation = JobSituation::waiting;
  waiting.priority = std::numeric_limits<double>::infinity();
  waiting.reason = "waits for the policy to place it";
  status.jobs.push_back(waiting);

  NodeStatus node;
  node.name = "n1";
  node.cpus = 64;
  node.foreign_cpus = 2;
  node.allocated_cpus = 61.5;
  node.demanded_cpus = 128;
  node.memory_mib = 257000;
  node.foreign_memory_mib = 500;
  node.used_memory_mib = 6144;
  node.jobs = 3;
  node.suspended_jobs = 1;
  node.agent_reachable = true;
  node.agent_current = true;
  node.agent_age = 0.5;
  node.swap_total_mib = 2048;
  node.swap_free_mib = 1000;
  status.nodes.push_back(node);
  node.name = "n2";
  node.agent_current = false;
  node.completing = true;
  node.swap_total_mib = 0;
  status.nodes.push_back(node);
  node.name = "n3";
  node.usable = false;
  node.completing = false;
  node.agent_reachable = false;
  node.agent_age = 75;
  node.agent_request = tl::unexpected<std::string>("Connection refused");
  status.nodes.push_back(node);
  node.name = "n4";
  node.usable = true;
  node.agent_age = std::numeric_limits<double>::infinity();
  node.agent_request = {};
  status.nodes.push_back(node);
  return status;
}

inline RepackPlan sample_plan() {
  RepackPlan plan;
  plan.algorithm = "GreedyPM*/per/OPT=MIN/MINVT=600";
  plan.min_yield_before = 0.25;
  plan.min_yield_after = 0.5;
  plan.decisions = {{DecisionKind::move, 12, {{"n1", 4}}, {{"n2", 2}, {"n3", 2}}},
                    {DecisionKind::start, 100000, {}, {{"n1", 1}}}};
  plan.yields = {{7, 0.25, 0.5}, {100000, 0, 1}};
  return plan;
}

class FakeInspection final : public Inspection {
 public:
  ControllerStatus status() const override {
    const std::lock_guard lock(mutex);
    return shown;
  }
  tl::expected<JobExplanation, std::string> explain(std::uint32_t job_id) const override {
    if (job_id == 7) {
      record::Story story;
      record::StoryEvent started;
      started.at = started.until = 100;
      started.kind = record::StoryKind::started;
      started.node_count = 2;
      started.why = record::Why{};
      story.events = {started};
      return JobExplanation{{"job 7 runs on n1:3 n2:1", "its yield is 0.333"},
                            story,
                            {[](NodeIndex n) { return "n" + std::to_string(n); },
                             [](Seconds time) { return std::to_string(static_cast<int>(time)) + " s"; }},
                            {.begin = 90, .waited = 10, .ran = 50, .pauses = 2}};
    }
    return tl::unexpected<std::string>("job " + std::to_string(job_id) + " is not in a managed partition");
  }
  tl::expected<RepackPlan, std::string> repack_dry_run() const override {
    const std::lock_guard lock(mutex);
    ++plans_made;
    if (!plan_error.empty()) return tl::unexpected<std::string>(plan_error);
    return sample_plan();
  }

  ObservedPast past() const override {
    timeline::ObservedSchedule observed(100);
    observed.begin_sample(1000);
    const NodeIndex nodes[] = {observed.node("n1", 8, 1000), observed.node("n2", 4, 500)};
    observed.see({.id = 7, .user_id = 0, .submit = 900, .cpus = 3, .memory = 100, .nodes = {nodes, 2}, .yield = 0.5});
    observed.end_sample();
    return {observed.schedule(), observed.reference_cpus()};
  }

  mutable std::mutex mutex;
  ControllerStatus shown = sample_status();
  std::string plan_error;
  mutable int plans_made = 0;
};

}  // namespace dfrs::shim
