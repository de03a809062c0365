// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/pause_rules.h"

#include <algorithm>

#include "policy/core/node_runs.h"
#include "policy/core/requeue_rule.h"
#include "shim/controller/comment_tag.h"
#include "shim/controller/timing.h"

namespace dfrs::shim {

const PauseRules& pause_rules_of(const Job& job, const Config& config) {
  const PartitionConfig* partition = config.partition(job.facts.partition);
  return partition != nullptr ? partition->pausing : config.pausing;
}

bool checkpoints(const Job& job, const Config& config) {
  return job.has(DFRS_JOB_CHECKPOINTS) || has_word(job.facts.comment.words(), config.checkpoint_mark);
}

bool checkpointable(const Job& job, const Config& config) {
  return pause_rules_of(job, config).checkpoint && has_word(job.facts.comment.words(), config.criu_mark);
}

bool on_one_node(const Job& job) {
  const std::vector<NodeIndex>& nodes = job.facts.nodes;
  return std::all_of(nodes.begin(), nodes.end(), [&](NodeIndex n) { return n == nodes.front(); });
}

namespace {

// The next run of a job goes on where its images are.
void tie_to_images(Job& job, std::size_t nodes, const Config& config) {
  JobFacts& facts = job.facts;
  facts.tied_to_images = !config.checkpoint_folder_shared && job.checkpointing.restoring && !job.running() &&
                         !job.suspended() && !facts.last_nodes.empty();
  if (!facts.tied_to_images) return;
  facts.image_nodes = NodeSet(nodes);
  for (const NodeIndex n : facts.last_nodes) {
    const bool may = facts.eligible_mask.empty() || facts.eligible_nodes.contains(n);
    if (may && n < nodes) facts.image_nodes.insert(n);
  }
}

// Without regard to MinProgress and the wait after a failure.
bool checkpoint_allowed(const Job& job, const Config& config) {
  const Checkpointing& state = job.checkpointing;
  return checkpointable(job, config) && job.has(DFRS_JOB_MAY_REQUEUE) && !job.pausing.requeue_refused &&
         state.phase == Checkpointing::Phase::none && state.verdict == Checkpointing::Verdict::able &&
         state.agents_answer && (config.checkpoint_folder_shared || on_one_node(job));
}

// Without regard to MinProgress.
bool requeue_allowed(const Job& job, const Config& config) {
  const PauseRules& rules = pause_rules_of(job, config);
  if (!rules.requeue || !job.has(DFRS_JOB_MAY_REQUEUE) || job.pausing.requeue_refused) return false;
  // Stopped processes are ended only by an attempt that is complete.
  if (job.checkpointing.phase != Checkpointing::Phase::none) return false;
  return checkpoints(job, config) ||
         (rules.accept_lost_work && may_lose_a_run(job.history.lost_runs, config.max_lost_runs));
}

}  // namespace

bool may_checkpoint(const Job& job, const Config& config, Seconds now) {
  if (!job.running()) return false;
  if (job.checkpointing.under_way()) return !job.pausing.requeue_refused;
  return checkpoint_allowed(job, config) && now >= job.checkpointing.not_before &&
         may_end_run(job.run_virtual_time(now), config.min_progress);
}

bool may_requeue(const Job& job, const Config& config, Seconds now) {
  return requeue_allowed(job, config) && may_end_run(job.run_virtual_time(now), config.min_progress);
}

namespace {

// Whether or not the job may be paused now, if there is swap to suspend it or not.
Pauses what_pauses_do(const Job& job, const Config& config, bool swap) {
  const PauseRules& rules = pause_rules_of(job, config);
  if (rules.suspend && swap) return Pauses::kept;
  const bool unable = job.checkpointing.verdict == Checkpointing::Verdict::unable;
  if (checkpointable(job, config) && job.has(DFRS_JOB_MAY_REQUEUE) && !unable) return Pauses::kept;
  if (!rules.requeue || !job.has(DFRS_JOB_MAY_REQUEUE)) return Pauses::none;
  if (checkpoints(job, config)) return Pauses::kept;
  const bool may_lose = rules.accept_lost_work && may_lose_a_run(job.history.lost_runs, config.max_lost_runs);
  return may_lose ? Pauses::lost : Pauses::none;
}

// When a running job that cannot be paused now becomes pausable by the passing of time alone.
Seconds pausable_at(const Job& job, const Config& config, Seconds now) {
  const PauseRules& rules = pause_rules_of(job, config);
  Seconds at = kNever;
  if (rules.suspend && !job.pausing.suspend_refused && now < job.suspendable_at(now)) at = job.suspendable_at(now);
  const Seconds left = config.min_progress - job.run_virtual_time(now);
  const Seconds progress_at = left <= 0                     ? now
                              : job.progress.clock.rate > 0 ? now + left / job.progress.clock.rate
                                                            : kNever;
  if (left > 0 && requeue_allowed(job, config)) at = std::min(at, progress_at);
  const Seconds checkpoint_at = std::max(progress_at, job.checkpointing.not_before);
  if (checkpoint_at > now && checkpoint_allowed(job, config)) at = std::min(at, checkpoint_at);
  return at;
}

}  // namespace

void ReportedSwap::refresh(const JobTable& jobs, const Nodes& nodes, const NodeAgents& agents, Seconds now) {
  const bool all = read_all_.due(now) || idle_.size() != nodes.size();
  idle_.resize(nodes.size());
  std::vector<RigidAmount> free = idle_;
  most_of_job_.clear();
  std::vector<NodeReport> reports(nodes.size());
  std::vector<bool> read(nodes.size(), false);
  const auto report = [&](NodeIndex n) -> const NodeReport& {
    if (!read[n]) {
      reports[n] = agents.report(n);
      read[n] = true;
      free[n] = reports[n].reachable ? static_cast<RigidAmount>(reports[n].swap_free_mib) : 0;
      idle_[n] = free[n];
      for (const JobUse& use : reports[n].jobs) {
        if (use.swap_left_mib) most_of_job_[{n, use.job_id}] = use.swap_mib + *use.swap_left_mib;
      }
    }
    return reports[n];
  };
  for (NodeIndex n = 0; all && n < nodes.size(); ++n) report(n);
  jobs.each([&](const Job& job) {
    for (NodeIndex n : job.facts.nodes) {
      if (n < nodes.size()) report(n);
    }
  });
  jobs.each([&](const Job& job) {
    if (job.facts.phase != DFRS_JOB_SUSPENDED || (job.user_suspended() && job.facts.keeps_memory)) return;
    each_node_run(job.facts.nodes, [&](NodeIndex n, std::uint32_t tasks) {
      if (n >= nodes.size()) return;
      std::uint64_t missing = tasks * job.facts.memory_per_task;
      // What is in swap already is not free in the node's report.
      if (const JobUse* const use = report(n).use_of(job.id)) missing -= std::min(use->swap_mib, missing);
      free[n] -= static_cast<RigidAmount>(missing);
    });
  });
  free_ = SwapBudget(std::move(free));
}

bool ReportedSwap::may_have(const Job& job) const {
  if (most_of_job_.empty()) return true;
  return all_node_runs(job.facts.nodes, [&](NodeIndex n, std::uint32_t tasks) {
    const auto most = most_of_job_.find({n, job.id});
    return most == most_of_job_.end() || tasks * job.facts.memory_per_task <= most->second;
  });
}

void PauseRulebook::apply(JobTable& jobs, const Nodes& nodes, const NodeAgents* agents, const Config& config,
                          Seconds now) {
  if (config.suspend_needs_swap && agents != nullptr && read_reports_.due(now)) {
    reported_.refresh(jobs, nodes, *agents, now);
  }
  may_suspend_.clear();
  jobs.each([&](Job& job) {
    job.pausing.pauses = what_pauses_do(job, config, true);
    job.pausing.can_suspend = job.pausing.can_requeue = false;
    job.pausing.checkpointable = checkpointable(job, config);
    job.pausing.images_stay = !config.checkpoint_folder_shared;
    tie_to_images(job, nodes.size(), config);
    job.pausing.can_checkpoint = may_checkpoint(job, config, now);
    job.pausing.pausable_at = kNever;
    if (!job.running() && !job.suspended()) return;
    job.pausing.can_requeue = may_requeue(job, config, now);
    if (job.running() && !job.pausing.can_requeue && !job.pausing.can_checkpoint)
      job.pausing.pausable_at = pausable_at(job, config, now);
    if (job.running() && pause_rules_of(job, config).suspend && !job.pausing.suspend_refused &&
        (now >= job.suspendable_at(now) || job.desired.state == DesiredState::paused)) {
      may_suspend_.push_back(&job);
    }
  });
  if (!config.suspend_needs_swap) {
    for (Job* job : may_suspend_) job->pausing.can_suspend = true;
    return;
  }
  left_ = SwapBudget();
  if (agents != nullptr) promise_swap(now);
  see_lack_of_swap(jobs, config);
}

// As the simulator sees it (sim/host/suspension.cc). A run that is spared from suspends for a moment counts by its
// nodes.
void PauseRulebook::see_lack_of_swap(JobTable& jobs, const Config& config) {
  SwapOutlook outlook(left_);
  jobs.each([&](Job& job) {
    if (!pause_rules_of(job, config).suspend || job.pausing.can_suspend || !(job.running() || job.queued())) return;
    const auto memory = static_cast<RigidAmount>(job.facts.memory_per_task);
    const bool swap = job.running() ? left_.holds(job.facts.nodes, memory) && reported_.may_have(job)
                                    : outlook.has_room(job.facts.tasks, memory);
    if (!swap) job.pausing.pauses = what_pauses_do(job, config, false);
  });
}

void PauseRulebook::promise_swap(Seconds now) {
  claims_.clear();
  for (std::size_t k = 0; k < may_suspend_.size(); ++k) {
    const Job& job = *may_suspend_[k];
    if (!reported_.may_have(job)) continue;
    claims_.push_back({.nodes = job.facts.nodes,
                       .memory = static_cast<RigidAmount>(job.facts.memory_per_task),
                       .leaving = job.desired.state == DesiredState::paused,
                       .virtual_time = job.virtual_time(now),
                       .number = job.id,
                       .owner = k});
  }
  left_ = reported_.free();
  dfrs::promise_swap(left_, claims_);
  for (const SwapClaim& claim : claims_) may_suspend_[claim.owner]->pausing.can_suspend = claim.promised;
}

PauseWay pause_way(const Job& job) {
  if (!job.running()) return job.suspended() ? PauseWay::suspend : PauseWay::none;
  if (job.checkpointing.under_way()) return PauseWay::checkpoint;
  if (job.pausing.can_suspend && job.checkpointing.phase == Checkpointing::Phase::none) return PauseWay::suspend;
  if (job.pausing.can_checkpoint) return PauseWay::checkpoint;
  return job.pausing.can_requeue ? PauseWay::requeue : PauseWay::none;
}

PauseWay way_to_leave(const Job& job) {
  if (!job.running()) return PauseWay::requeue;
  if (job.checkpointing.under_way() || job.pausing.can_checkpoint) return PauseWay::checkpoint;
  // A job that relies on checkpoints keeps its work, whatever was decided before.
  const bool relies = job.pausing.checkpointable || job.checkpointing.phase != Checkpointing::Phase::none;
  return job.pausing.can_requeue || !relies ? PauseWay::requeue : PauseWay::none;
}

JobFlags policy_flags(const Job& job) {
  JobFlags flags;
  flags.exclusive = job.facts.exclusive && !job.policy.shares_nodes;
  if (!job.running() && !job.suspended()) return flags;
  // Its run is about to end anyway, and it may then go anywhere.
  const bool leaves_nodes =
      job.to_run_elsewhere() ||
      (job.desired.state == DesiredState::paused &&
       (job.desired.pause_way == PauseWay::requeue || job.desired.pause_way == PauseWay::checkpoint));
  if (leaves_nodes) return flags;
  const bool can_leave = job.pausing.can_checkpoint ? !job.pausing.images_stay : job.pausing.can_requeue;
  flags.may_not_move = !can_leave || job.has(DFRS_JOB_STOCK_PLACED);
  flags.may_not_pause = job.running() && job.desired.state == DesiredState::running && pause_way(job) == PauseWay::none;
  return flags;
}

}  // namespace dfrs::shim
