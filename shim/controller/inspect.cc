// SPDX-License-Identifier: GPL-2.0-or-later
// Controller's answers for dfrsctl: the state as values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "policy/mcb8/priority.h"
#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/options.h"
#include "shim/controller/controller.h"

namespace dfrs::shim {
namespace {

using Places = std::vector<std::pair<std::string, std::uint32_t>>;

Places places(std::span<const NodeIndex> list, const Nodes& nodes) {
  Places out;
  NodeIndex last = 0;
  for (NodeIndex n : list) {
    if (n >= nodes.size()) continue;
    if (!out.empty() && last == n) {
      ++out.back().second;
    } else {
      out.emplace_back(nodes[n].name, 1);
    }
    last = n;
  }
  return out;
}

JobSituation situation_of(const Job& job, Seconds now) {
  if (job.user_suspended()) return JobSituation::user_suspended;
  if (job.phase == DFRS_JOB_BLOCKED) return JobSituation::blocked;
  switch (job.wish) {
    case Wish::none:
      if (job.running()) return JobSituation::running;
      if (job.retry_at > now) return JobSituation::backing_off;
      return job.suspended() ? JobSituation::suspended : JobSituation::blocked;
    case Wish::waiting:
      return JobSituation::waiting;
    case Wish::paused:
      if (job.running()) return JobSituation::pausing;
      return job.suspended() ? JobSituation::suspended : JobSituation::requeued;
    case Wish::running:
      if (job.queued()) return JobSituation::starting;
      if (job.target != job.at) return JobSituation::moving;
      return job.suspended() ? JobSituation::resuming : JobSituation::running;
  }
  return JobSituation::blocked;
}

std::string time_left(Seconds until, Seconds now) { return fmt::format("{:.0f} s", std::max(0.0, until - now)); }

std::string reason_of(const Job& job, JobSituation situation, const Reconciler& reconciler, const Nodes& nodes,
                      Seconds now) {
  switch (situation) {
    case JobSituation::running:
      return {};
    case JobSituation::blocked:
      if (!job.blocked_reason.empty()) return job.blocked_reason;
      if (static_cast<Seconds>(job.begin_time) > now) {
        return "its begin time is in " + time_left(static_cast<Seconds>(job.begin_time), now);
      }
      if (job.phase == DFRS_JOB_REQUEUING) return "its last run is being cleaned up";
      return "not the policy's yet";
    case JobSituation::backing_off:
      return fmt::format("Slurm would not start it ({}); tried again in {}", job.refusal, time_left(job.retry_at, now));
    case JobSituation::user_suspended:
      return job.keeps_memory
                 ? "suspended by scontrol suspend; scontrol resume lets it go on"
                 : "suspended by scontrol suspend after the policy had paused it; scontrol resume lets it go "
                   "on when its memory is free";
    case JobSituation::waiting:
      return "waits for the policy to place it";
    case JobSituation::suspended:
    case JobSituation::requeued:
      return "paused by the policy";
    case JobSituation::pausing:
      return job.way == PauseWay::requeue ? "is being requeued" : "is being suspended";
    case JobSituation::starting:
    case JobSituation::resuming:
    case JobSituation::moving: {
      std::string why = reconciler.held_back(job, nodes, now);
      if (why.empty() && job.busy_since != 0) why = job.refusal;
      return why.empty() ? "under way" : why;
    }
  }
  return {};
}

double priority_of(const Job& job, Seconds now) {
  const Seconds progress = job.virtual_time(now);
  if (progress <= 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, now - job.release) / (progress * progress);
}

// Ticks fall on multiples of the period: all times are shifted so that one is due now.
void shift_to_tick(ClusterView& view, std::vector<JobView>& jobs, Seconds period) {
  Seconds tick = std::ceil(view.now / period) * period;
  while (std::ceil(tick / period) * period > tick) tick = (std::ceil(tick / period) + 1) * period;
  const Seconds shift = tick - view.now;
  view.now = tick;
  for (JobView& job : jobs) {
    job.submit += shift;
    job.clock.since += shift;
  }
}

std::string join(const Places& places) {
  std::string text;
  for (const auto& [name, tasks] : places) text += fmt::format("{}{}:{}", text.empty() ? "" : " ", name, tasks);
  return text;
}

std::string why_weight(const Job& job, WeightRule rule) {
  switch (rule) {
    case WeightRule::none:
      break;
    case WeightRule::priority:
      return fmt::format("from Slurm's priority of {}", job.priority);
    case WeightRule::qos:
      return fmt::format("from a QOS of priority {}", job.qos_priority);
    case WeightRule::fair_share:
      return job.fair_share < 0 ? "having no fair-share factor"
                                : fmt::format("from a fair-share factor of {:.3g}", job.fair_share);
  }
  return {};
}

std::string why_cost(const Job& job, const PauseCosts& costs, const Config& config, Seconds now) {
  if (pause_way(job) == PauseWay::suspend) {
    if (!config.suspend_needs_swap) {
      return fmt::format("A pause would cost it about {:.3g} s: it would be stopped where it is.", job.pause_cost);
    }
    return fmt::format("A pause would cost it about {:.3g} s: its memory to swap and back, at {:.3g} MiB/s.",
                       job.pause_cost, costs.swap_rate(config));
  }
  const bool loses = !checkpoints(job, config);
  return fmt::format(
      "A pause would cost it about {:.3g} s: {:.3g} s for another start{}.", job.pause_cost, costs.restart(config),
      loses ? fmt::format(", and {:.0f} s of work that would be lost", job.virtual_time(now)) : std::string());
}

}  // namespace

ControllerStatus Controller::status() const {
  const std::lock_guard lock(mutex_);
  ControllerStatus status;
  status.cluster = parts_.cluster;
  status.algorithm = algorithm_name(config_.algorithm);
  status.period = config_.period;
  status.enforce_quotas = config_.enforce_quotas;
  status.now = now_;
  status.wake_at = wake_at_;
  status.steps = steps_;
  status.decisions = driver_.counters().decisions;
  status.resyncs = driver_.counters().resyncs;
  status.errors = errors_;
  status.last_error = last_error_;
  status.lost_runs = totals_.lost_runs;
  status.lost_work = totals_.lost_work;
  status.last_step_ms = last_step_ms_;
  status.max_step_ms = max_step_ms_;

  const NodeAgents* agents = config_.enforce_quotas ? parts_.agents : nullptr;
  status.nodes.resize(nodes_.size());
  for (NodeIndex n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    NodeStatus& out = status.nodes[n];
    out.name = node.name;
    out.usable = node.usable;
    out.completing = node.completing;
    out.cpus = node.cpus;
    out.foreign_cpus = node.foreign_cpus;
    out.memory_mib = node.memory;
    out.foreign_memory_mib = node.foreign_memory;
    if (agents == nullptr) continue;
    const NodeReport report = agents->report(n);
    out.agent_reachable = report.reachable;
    out.agent_current = report.current;
    out.agent_age = report.age;
    out.agent_error = report.error;
    out.swap_total_mib = report.swap_total_mib;
    out.swap_free_mib = report.swap_free_mib;
  }
  books_.each([&](const Job& job) {
    if (job.phase == DFRS_JOB_ENDING) return;
    JobStatus out;
    out.job_id = job.id;
    out.user_id = job.user;
    out.name = job.name;
    out.partition = job.partition;
    out.situation = situation_of(job, now_);
    out.yield = job.running() ? job.given : 0;
    out.virtual_time = job.virtual_time(now_);
    out.run_virtual_time = job.run_virtual_time(now_);
    out.submit = job.release != 0 ? job.release : static_cast<Seconds>(job.submit);
    out.flow_time = job.release != 0 ? std::max(0.0, now_ - job.release) : 0;
    out.started = job.started;
    out.priority = priority_of(job, now_);
    out.tasks = job.tasks;
    out.cpus_per_task = job.cpus_per_task;
    out.cpu_need = job.need;
    out.weight = job.weight;
    out.pause_cost = job.running() ? job.pause_cost : -1;
    out.memory_per_task_mib = job.memory_per_task;
    out.time_limit_minutes = job.time_limit;
    out.nodes = places(job.at, nodes_);
    if (job.wish == Wish::running && job.target != job.at) out.target = places(job.target, nodes_);
    out.pauses = job.pauses;
    out.moves = job.moves;
    out.lost_runs = job.lost_runs;
    out.lost_work = job.lost_work;
    if (job.running() || job.suspended()) {
      const JobFlags flags = policy_flags(job);
      out.may_pause = !flags.may_not_pause;
      out.may_move = !flags.may_not_move;
    }
    out.reason = reason_of(job, out.situation, reconciler_, nodes_, now_);
    NodeIndex last = std::numeric_limits<NodeIndex>::max();
    for (NodeIndex n : job.at) {
      if (n == last || n >= nodes_.size()) continue;
      last = n;
      NodeStatus& node = status.nodes[n];
      const auto tasks = static_cast<double>(std::count(job.at.begin(), job.at.end(), n));
      if (job.running()) {
        ++node.jobs;
        node.allocated_cpus += out.yield * tasks * job.cpus_per_task * job.need;
        node.demanded_cpus += tasks * job.cpus_per_task * job.need;
        node.used_memory_mib += static_cast<std::uint64_t>(tasks) * job.memory_per_task;
      } else {
        ++node.suspended_jobs;
      }
      if (agents != nullptr && !node.agent_current) out.quota_pending = true;
    }
    status.jobs.push_back(std::move(out));
  });
  return status;
}

tl::expected<std::vector<std::string>, std::string> Controller::explain(std::uint32_t job_id) const {
  const std::lock_guard lock(mutex_);
  const Job* job = books_.find(job_id);
  if (job == nullptr) {
    return tl::unexpected<std::string>(
        fmt::format("job {} is not in a partition managed by dfrs, or has ended", job_id));
  }
  std::vector<std::string> lines;
  const JobSituation situation = situation_of(*job, now_);
  if (job->phase == DFRS_JOB_ENDING) {
    lines.push_back("It has ended; its nodes are being cleaned up.");
    return lines;
  }
  lines.push_back(fmt::format("It is {}.", situation_name(situation)));
  if (const std::string why = reason_of(*job, situation, reconciler_, nodes_, now_); !why.empty()) {
    lines.push_back("Why: " + why + ".");
  }
  if (!job->at.empty()) {
    lines.push_back(fmt::format("Nodes: {}{}.", join(places(job->at, nodes_)),
                                job->running() ? "" : " (it holds no memory there)"));
  }
  if (job->wish == Wish::running && job->target != job->at) {
    lines.push_back(fmt::format("The policy has placed it on {}.", join(places(job->target, nodes_))));
  }
  lines.push_back(fmt::format("It asks for {} task{} of {} CPU{} and {} MiB each.", job->tasks,
                              job->tasks == 1 ? "" : "s", job->cpus_per_task, job->cpus_per_task == 1 ? "" : "s",
                              job->memory_per_task));
  if (config_.measure_cpu_need && job->need < 1) {
    lines.push_back(
        fmt::format("It has been seen to need {:.2f} of each of these CPUs; CPU is shared by that.", job->need));
  }
  if (config_.weight != WeightRule::none) {
    lines.push_back(fmt::format("Its weight is {:.3g}, {}.", job->weight, why_weight(*job, config_.weight)));
  }
  if (situation == JobSituation::waiting || situation == JobSituation::suspended ||
      situation == JobSituation::requeued) {
    Room room;
    room.reset(nodes_);
    books_.each([&](const Job& other) {
      if (other.wish == Wish::running) room.take({other.target, other.memory_per_task, other.exclusive});
    });
    const JobFlags flags = policy_flags(*job);
    std::uint64_t fit = 0;
    std::size_t eligible = 0, unusable = 0, short_of_memory = 0, alone = 0;
    for (NodeIndex n = 0; n < nodes_.size(); ++n) {
      if (!job->mask.empty() && !job->eligible.contains(n)) continue;
      ++eligible;
      if (!nodes_.views()[n].usable) {
        ++unusable;
        continue;
      }
      const std::uint32_t here = room.tasks_that_fit(n, job->memory_per_task, job->exclusive);
      fit += std::min(here, job->tasks);
      if (here != 0) continue;
      if (room.free_memory(n) >= 0 && static_cast<std::uint64_t>(room.free_memory(n)) >= job->memory_per_task) {
        ++alone;
      } else {
        ++short_of_memory;
      }
    }
    lines.push_back(
        fmt::format("Of {} node{} that it may use, {} {} not usable, {} {} too little memory free, {} {} "
                    "kept from it by exclusive use; there is room for {} of {} tasks.",
                    eligible, eligible == 1 ? "" : "s", unusable, unusable == 1 ? "is" : "are", short_of_memory,
                    short_of_memory == 1 ? "has" : "have", alone, alone == 1 ? "is" : "are",
                    std::min<std::uint64_t>(fit, job->tasks), job->tasks));
    if (flags.may_not_move) {
      lines.push_back(fmt::format(
          "It can go on only where it is, on {}{}.", join(places(job->at, nodes_)),
          room.fits({job->at, job->memory_per_task, job->exclusive}) ? "" : "; memory there is taken by others"));
    }
    lines.push_back(fmt::format("Its priority is {:.4g} (flow time {:.0f} s, virtual time {:.0f} s).",
                                priority_of(*job, now_), std::max(0.0, now_ - job->release), job->virtual_time(now_)));
  }
  if (job->running()) {
    lines.push_back(fmt::format("Its yield is {:.3f}; virtual time {:.0f} s in {:.0f} s since its release.", job->given,
                                job->virtual_time(now_), std::max(0.0, now_ - job->release)));
    const JobFlags flags = policy_flags(*job);
    lines.push_back(fmt::format("It may {}be paused and may {}be moved now.", flags.may_not_pause ? "not " : "",
                                flags.may_not_move ? "not " : ""));
    if (!flags.may_not_pause && job->pause_cost >= 0) lines.push_back(why_cost(*job, pause_costs_, config_, now_));
    if (agents() != nullptr) {
      for (NodeIndex n : job->at) {
        const NodeReport report = n < nodes_.size() ? agents()->report(n) : NodeReport{};
        if (report.current) continue;
        lines.push_back(fmt::format("Its newest quota is not in force on {}: {}.", nodes_[n].name,
                                    report.error.empty() ? "the node's agent has not answered yet" : report.error));
        break;
      }
    }
  }
  if (job->time_limit != UINT32_MAX && job->started > 0) {
    lines.push_back(fmt::format("Of its time limit of {} min it has used {:.1f} min of virtual time in this run.",
                                job->time_limit, job->run_virtual_time(now_) / 60));
  }
  if (job->lost_runs > 0) {
    lines.push_back(fmt::format("It has lost the work of {} run{}, {:.0f} s of virtual time.", job->lost_runs,
                                job->lost_runs == 1 ? "" : "s", job->lost_work));
  }
  return lines;
}

tl::expected<RepackPlan, std::string> Controller::repack_dry_run() const {
  const auto fail = [](std::string why) { return tl::unexpected<std::string>(std::move(why)); };
  // A copy of the view to work on without the lock: a repack of a large cluster takes a while.
  struct CopiedJob {
    std::vector<NodeIndex> nodes;
    NodeSet eligible;
  };
  std::vector<JobView> views;
  std::vector<CopiedJob> copies;
  std::vector<NodeView> nodes;
  std::vector<std::string> names;
  ClusterView view;
  Algorithm algorithm;
  EngineOptions options;
  {
    const std::lock_guard lock(mutex_);
    if (steps_ == 0) return fail("slurmctld has not shown its jobs yet; try again in a second");
    const ClusterView live = driver_.view(books_, now_);
    views.assign(live.jobs.begin(), live.jobs.end());
    nodes.assign(live.nodes.begin(), live.nodes.end());
    copies.resize(views.size());
    for (std::size_t k = 0; k < views.size(); ++k) {
      if (const Job* job = books_.in_slot(static_cast<JobSlot>(k))) {
        Seconds estimate = 0;
        show_job(*job, nodes_.reference_cpus(), now_, views[k], estimate);
      }
      copies[k].nodes.assign(views[k].nodes.begin(), views[k].nodes.end());
      views[k].nodes = copies[k].nodes;
      if (views[k].eligible == nullptr) continue;
      copies[k].eligible = *views[k].eligible;
      views[k].eligible = &copies[k].eligible;
    }
    for (NodeIndex n = 0; n < nodes_.size(); ++n) names.push_back(nodes_[n].name);
    view = live;
    view.jobs = views;
    view.nodes = nodes;
    if (driver_.batch()) return fail("a batch algorithm is configured: it never repacks");
    algorithm = driver_.algorithm();
    options = driver_.options();
  }
  // Of other families it is what the algorithm would do if it began anew now.
  if (auto dfrs = dfrs_algorithm(algorithm)) {
    if (dfrs->periodic == DfrsAlgorithm::Periodic::nothing) dfrs->periodic = DfrsAlgorithm::Periodic::mcb8;
    shift_to_tick(view, views, options.of<DfrsOptions>().period);
    dfrs->opportunistic = false;
    dfrs->on_submission = DfrsAlgorithm::Submission::nothing;
    algorithm = named(*dfrs);
  }
  RepackPlan plan;
  plan.algorithm = algorithm_name(algorithm);
  auto engine = Engine::create(algorithm, options);
  if (!engine) return fail(engine.error().message);
  const std::vector<Seconds> estimates(views.size(), 0.0);
  const Event resync{EventKind::resync, kNoSlot};
  const auto decided = (*engine)->step(view, Estimates{estimates}, {&resync, 1});
  if (!decided) return fail(decided.error().message);

  const auto name_places = [&](std::span<const NodeIndex> list) {
    Places out;
    for (NodeIndex n : list) {
      if (!out.empty() && out.back().first == names[n]) {
        ++out.back().second;
      } else {
        out.emplace_back(names[n], 1);
      }
    }
    return out;
  };
  std::vector<double> yields(views.size(), 0);
  for (std::size_t k = 0; k < views.size(); ++k) {
    if (views[k].state == JobState::running) yields[k] = views[k].yield;
  }
  const auto least = [&] {
    double found = 0;
    for (double yield : yields) {
      if (yield > 0 && (found == 0 || yield < found)) found = yield;
    }
    return found;
  };
  plan.min_yield_before = least();
  for (const Decision& decision : (*decided)->placements) {
    const JobView& job = views[decision.job];
    PlannedMove move;
    move.job_id = static_cast<std::uint32_t>(job.id);
    switch (decision.kind) {
      case DecisionKind::pause:
        move.kind = PlannedMove::Kind::pause;
        yields[decision.job] = 0;
        break;
      case DecisionKind::move:
        move.kind = PlannedMove::Kind::migrate;
        break;
      case DecisionKind::resume:
        move.kind = PlannedMove::Kind::resume;
        break;
      case DecisionKind::start:
        move.kind = PlannedMove::Kind::start;
        break;
    }
    if (job.state == JobState::running) move.from = name_places(job.nodes);
    move.to = name_places((*decided)->nodes_of(decision));
    plan.moves.push_back(std::move(move));
  }
  for (const YieldChange& change : (*decided)->yields) {
    const double before = views[change.job].state == JobState::running ? views[change.job].yield : 0;
    plan.yields.push_back({static_cast<std::uint32_t>(views[change.job].id), before, change.yield});
    yields[change.job] = change.yield;
  }
  plan.min_yield_after = least();
  return plan;
}

}  // namespace dfrs::shim
