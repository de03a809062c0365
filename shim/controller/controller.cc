// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/controller.h"

#include <algorithm>
#include <chrono>

#include "shim/controller/clock.h"
#include "shim/controller/offers.h"
#include "shim/controller/results.h"
#include "shim/controller/state_writer.h"
#include "shim/controller/timing.h"
#include "shim/controller/weights.h"

namespace dfrs::shim {

Controller::Controller(const Config& config, SavedState saved, Parts parts)
    : config_(config),
      parts_(std::move(parts)),
      log_(parts_.log),
      saved_(std::move(saved)),
      totals_(saved_.totals),
      quotas_in_force_(saved_.quotas_in_force),
      observer_(config_, log_),
      driver_(parts_.recorder, log_) {}

Controller::~Controller() = default;

tl::expected<std::unique_ptr<Controller>, std::string> Controller::create(const Config& config, SavedState saved,
                                                                          Parts parts) {
  std::unique_ptr<Controller> controller(new Controller(config, std::move(saved), std::move(parts)));
  if (auto made = controller->driver_.create(config); !made) return tl::unexpected<std::string>(made.error());
  return controller;
}

tl::expected<void, std::string> Controller::reconfigure(const Config& config) {
  const std::lock_guard lock(mutex_);
  const bool other_engine =
      algorithm_name(config.algorithm) != algorithm_name(config_.algorithm) || config.period != config_.period;
  if (other_engine) {
    if (auto made = driver_.create(config); !made) return made;
    log_.warn("the policy is now {}, period {} s", algorithm_name(config.algorithm), config.period);
  }
  if (config_.enforce_quotas != config.enforce_quotas || config_.agent_port != config.agent_port) agents_set_ = false;
  config_ = config;
  pause_rules_.forget();
  wake_at_ = 0;
  return {};
}

bool Controller::step(const dfrs_snapshot& snapshot, dfrs_operations& operations) {
  const std::lock_guard lock(mutex_);
  const auto begin = std::chrono::steady_clock::now();
  bool good = false;
  try {
    good = checked_step(snapshot, operations);
  } catch (...) {
    discard_plans_ = true;  // half a step: the next one begins with what is
    throw;
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  last_step_ms_ = took.count();
  max_step_ms_ = std::max(max_step_ms_, last_step_ms_);
  ++steps_;
  return good;
}

void Controller::take_nodes(const dfrs_snapshot& snapshot, bool& other_nodes) {
  const Nodes::Changes nodes = nodes_.update(snapshot);
  other_nodes = nodes.list;
  if (nodes.list) {
    // Indices of the last list mean nothing now. Placements of jobs that hold nodes come anew with the snapshot.
    jobs_.each([](Job& job) { job.facts.last_nodes.clear(); });
    quotas_.forget();
    pause_rules_.forget();
  }
  if (nodes.addresses) agents_set_ = false;
  if (!agents_set_) set_agents();
}

void Controller::set_agents() {
  agents_set_ = true;
  quotas_.forget();
  if (parts_.agents == nullptr || (!config_.enforce_quotas && !quotas_in_force_)) return;
  std::vector<AgentAddress> addresses;
  for (NodeIndex n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    addresses.push_back({node.name, node.address, config_.agent_port.of(node.slurmd_port)});
  }
  parts_.agents->set_agents(addresses);
  if (config_.enforce_quotas) {
    quotas_in_force_ = state_dirty_ = true;
    return;
  }
  // QuotaMode=off, and it was not always so: the quotas are lifted, by a state without any.
  for (NodeIndex n = 0; n < nodes_.size(); ++n) parts_.agents->set_desired(n, {});
}

// Raises of yields count from when the agents have taken them. Returns when to look again.
Seconds Controller::confirm_raises(Seconds now) {
  NodeAgents* const agents = this->agents();
  driver_.confirm_raises(agents != nullptr);
  Seconds again = kNever;
  jobs_.each([&](Job& job) {
    if (!job.progress.raise_unconfirmed || !job.running()) return;
    bool in_force = true;
    bool reachable = true;
    for (std::size_t k = 0; agents != nullptr && in_force && k < job.facts.nodes.size();) {
      const NodeIndex n = job.facts.nodes[k];
      std::size_t end = k + 1;
      while (end < job.facts.nodes.size() && job.facts.nodes[end] == n) ++end;
      // A raise may wait for another job's last checkpoint: then the quota is not what the yield says.
      in_force = quotas_.handed_over(
          n, job.id,
          job.progress.granted_yield * job.need.value * static_cast<double>(end - k) * job.facts.cpus_per_task);
      if (in_force) {
        const NodeReport report = agents->report(n);
        in_force = report.current;
        reachable = report.reachable;
      }
      k = end;
    }
    if (!in_force) {
      again = std::min(again, now + (reachable ? kPoll : kHousekeeping));
      return;
    }
    job.progress.raise_unconfirmed = false;
    set_rate(job.progress.clock, now, job.progress.granted_yield);
  });
  return again;
}

bool Controller::checked_step(const dfrs_snapshot& snapshot, dfrs_operations& operations) {
  operations_.clear();
  operations_.publish(operations, snapshot.now + kHousekeeping);
  const Seconds now = snapshot.now;
  now_ = now;
  Changes changes;
  bool other_nodes = false;
  take_nodes(snapshot, other_nodes);
  const std::size_t known = jobs_.size();
  observer_.observe(snapshot, !other_nodes, saved_, totals_, jobs_, changes);
  held_.assign(nodes_.size(), 0);
  jobs_.each([&](const Job& job) {
    if (!job.user_suspended() || !job.facts.keeps_memory) return;
    for (NodeIndex n : job.facts.nodes) held_[n] += job.facts.memory_per_task;
  });
  if (nodes_.settle(held_)) changes.resync = true;
  state_dirty_ = state_dirty_ || known != jobs_.size() || !changes.completed.empty() || !changes.entering.empty() ||
                 changes.resync;
  const Seconds confirm_again = confirm_raises(now);
  pause_rules_.apply(jobs_, nodes_, agents(), config_, now);
  if (agents() != nullptr) pause_costs_.watch(jobs_, nodes_, *agents(), now);
  pause_costs_.apply(jobs_, config_, now);
  set_weights(jobs_, config_.weight, changes);
  cpu_needs_.look(jobs_, nodes_, driver_.batch() ? nullptr : agents(), quotas_, config_, now, changes);
  offer_again(jobs_, changes, now);

  const std::uint64_t decided = driver_.counters().decisions;
  if (const auto ran = driver_.run(jobs_, nodes_, changes, other_nodes || discard_plans_, now); !ran) {
    ++errors_;
    last_error_ = ran.error();
    log_.error("{}; nothing is done in this step", ran.error());
    discard_plans_ = true;
    return false;
  }
  discard_plans_ = false;
  state_dirty_ = state_dirty_ || decided != driver_.counters().decisions;

  const Seconds offer_at = plan_offers(jobs_, driver_.pauses_for_arrivals(), now);
  const Seconds again = std::min({confirm_again, offer_at, reconciler_.reconcile(jobs_, nodes_, now, operations_)});
  for (std::size_t k = 0; k < operations_.size(); ++k) {
    // Whose requeue it was must be known even if slurmctld ends right behind it.
    if (operations_[k].kind == DFRS_OP_REQUEUE) state_dirty_ = state_urgent_ = true;
  }
  set_end_times(jobs_, now, operations_);
  const Seconds comments = set_comments(jobs_, config_, now, operations_);
  if (agents() != nullptr) quotas_.build(jobs_, nodes_, config_, reconciler_.arrivals());
  save_if_due(now);
  wake_at_ = std::min(next_wake(now, again), comments);
  operations_.publish(operations, wake_at_);
  return true;
}

Seconds Controller::next_wake(Seconds now, Seconds reconcile_again) const {
  Seconds next = std::min(driver_.wake_at(), reconcile_again);
  bool jobs = false;
  jobs_.each([&](const Job& job) {
    jobs = true;
    if (job.in_engine()) return;
    const Seconds at = available_at(job);
    if (at > now) next = std::min(next, at);
  });
  if (jobs) next = std::min(next, now + kHousekeeping);
  if (state_dirty_) next = std::min(next, now + kStateInterval);
  return std::max(next, now);
}

bool Controller::deliver(std::uint32_t wait_ms) {
  // Written by this thread alone, so that reading needs no lock; waiting under it would hold up inspections.
  NodeAgents* const agents = this->agents();
  if (agents == nullptr) return true;
  {
    const std::lock_guard lock(mutex_);
    quotas_.send(*agents);
  }
  const auto nodes = quotas_.arrival_nodes();
  return nodes.empty() || agents->wait(nodes, wait_ms);
}

void Controller::applied(std::span<const std::size_t> index, std::span<const dfrs_result> results, Seconds now) {
  const std::lock_guard lock(mutex_);
  ResultEffects effects;
  effects.confirm_raises = agents() != nullptr;
  for (std::size_t k = 0; k < index.size() && k < results.size(); ++k) {
    if (index[k] >= operations_.size()) continue;
    apply_result(operations_[index[k]], results[k], now, config_, log_, jobs_, totals_, effects);
  }
  state_dirty_ = state_dirty_ || effects.state_changed;
  if (effects.swap_promised) pause_rules_.forget();
  for (const Seconds took : effects.restarts_took) pause_costs_.restart_took(took);
}

void Controller::save_if_due(Seconds now) {
  if (!state_dirty_) return;
  if (!state_urgent_ && now - state_saved_ < kStateInterval && now >= state_saved_) return;
  state_saved_ = now;
  state_dirty_ = state_urgent_ = false;
  if (parts_.state_writer == nullptr) return;
  SavedState state;
  state.epoch = saved_.epoch;
  state.saved_at = now;
  state.totals = totals_;
  state.quotas_in_force = quotas_in_force_;
  jobs_.each([&](const Job& job) {
    if (job.facts.phase != DFRS_JOB_ENDING) state.jobs.emplace(job.id, save_job(job));
  });
  // Those of the file that no snapshot has shown yet.
  for (const auto& [id, job] : saved_.jobs) state.jobs.emplace(id, job);
  parts_.state_writer->put(std::move(state));
}

void Controller::save() {
  const std::lock_guard lock(mutex_);
  state_dirty_ = state_urgent_ = true;
  save_if_due(now_);
}

}  // namespace dfrs::shim
