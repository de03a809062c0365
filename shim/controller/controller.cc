// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/controller.h"

#include <algorithm>
#include <chrono>

#include "shim/controller/bounds.h"
#include "shim/controller/lifecycle.h"
#include "shim/controller/results.h"
#include "shim/controller/timing.h"
#include "shim/controller/usage.h"

namespace dfrs::shim {

Controller::Controller(const Config& config, SavedState saved, Parts parts)
    : config_(config),
      parts_(std::move(parts)),
      log_(parts_.log),
      state_(std::move(saved), parts_.state_writer),
      observer_(config_, log_),
      quota_link_(config_, parts_.agents, state_.saved().quotas_in_force),
      driver_(parts_.recorder, log_) {
  driver_.confirm_raises(quota_link_.agents() != nullptr);
}

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
  if (config_.enforce_quotas != config.enforce_quotas || config_.agent_port != config.agent_port) {
    quota_link_.disconnect();
  }
  config_ = config;
  driver_.confirm_raises(quota_link_.agents() != nullptr);
  inputs_.forget_swap();
  counters_.wake_at = 0;
  return {};
}

bool Controller::step(const dfrs_snapshot& snapshot, dfrs_operations& operations) {
  const std::lock_guard lock(mutex_);
  const auto begin = std::chrono::steady_clock::now();
  bool done = false;
  try {
    done = run_stages(snapshot, operations);
  } catch (...) {
    discard_plans_ = true;  // half a step was done: the next one starts over from Slurm's state
    throw;
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  counters_.last_step_ms = took.count();
  counters_.max_step_ms = std::max(counters_.max_step_ms, counters_.last_step_ms);
  ++counters_.steps;
  return done;
}

bool Controller::run_stages(const dfrs_snapshot& snapshot, dfrs_operations& operations) {
  operations_.clear();
  if (!is_instant(snapshot.now)) {
    operations_.publish(operations, counters_.now + kHousekeeping);
    return fail(fmt::format("the host's clock says {:g} s after 1970", snapshot.now));
  }
  const Seconds now = counters_.now = snapshot.now;
  operations_.publish(operations, now + kHousekeeping);  // in case this step fails
  jobs_.tidy();
  Changes changes = observe(snapshot);
  const Seconds raises_at = quota_link_.confirm_raises(jobs_, now);
  const Checkpoints::Sources sources{config_, nodes_, quota_link_.agents(), log_, state_.totals()};
  checkpoints_.watch(sources, jobs_, changes, now);
  for (const ImageTransfer& dump : checkpoints_.take_dumps()) inputs_.image_written(dump);
  for (const ImageTransfer& restore : checkpoints_.take_restores()) inputs_.image_read(restore);
  inputs_.update({config_, nodes_, quota_link_.agents(), quota_link_.quotas(), !driver_.batch()}, jobs_, changes, now);
  if (!decide(changes, now)) return false;
  const Seconds reconcile_at = reconcile(now);
  quota_link_.build(jobs_, nodes_, reconciler_.arrivals());
  state_.save_if_due(jobs_, quota_link_.in_force(), now);
  publish_usage(now);
  history_.sample(jobs_, nodes_, now);
  counters_.wake_at = next_wake(std::min(raises_at, reconcile_at), now);
  operations_.publish(operations, counters_.wake_at);
  return true;
}

Changes Controller::observe(const dfrs_snapshot& snapshot) {
  Changes changes = observer_.observe(snapshot, state_.saved(), state_.totals(), jobs_, nodes_);
  const bool agents_told = quota_link_.connect(nodes_, changes);
  quota_link_.retry_launched(changes);
  if (agents_told || changes.worth_saving()) state_.mark_changed();
  return changes;
}

bool Controller::decide(Changes& changes, Seconds now) {
  const std::uint64_t before = driver_.counters().decisions;
  const bool discard = changes.node_list || discard_plans_;
  const auto ran = driver_.run(jobs_, nodes_, changes, discard, now);
  discard_plans_ = !ran;
  if (!ran) return fail(ran.error());
  if (driver_.counters().decisions != before) state_.mark_changed();
  return true;
}

bool Controller::fail(const std::string& why) {
  ++counters_.errors;
  counters_.last_error = why;
  log_.error("{}; this step changes nothing", why);
  return false;
}

Seconds Controller::reconcile(Seconds now) {
  const Checkpoints::Sources sources{config_, nodes_, quota_link_.agents(), log_, state_.totals()};
  const Seconds settle_at = checkpoints_.settle(sources, jobs_, now);
  if (checkpoints_.take_changed()) state_.mark_changed();
  const Seconds again = std::min(settle_at, reconciler_.reconcile(jobs_, nodes_, config_, now, operations_));
  // Even if slurmctld ends right after it, the next one must know that the requeue was ours.
  if (operations_.has(DFRS_OP_REQUEUE)) state_.mark_urgent();
  return again;
}

void Controller::publish_usage(Seconds now) const {
  if (parts_.usage == nullptr) return;
  if (config_.charge_by_yield) {
    shim::publish_usage(jobs_, now, *parts_.usage);
  } else {
    parts_.usage->clear();
  }
}

void Controller::publish_usage(const Job* job, Seconds now) const {
  if (job != nullptr && parts_.usage != nullptr && config_.charge_by_yield)
    shim::publish_usage(*job, now, *parts_.usage);
}

// `asked`: the time that the stages of this step ask for.
Seconds Controller::next_wake(Seconds asked, Seconds now) const {
  Seconds next = std::min({asked, driver_.wake_at(), state_.due_at(now)});
  jobs_.each([&](const Job& job) {
    const Seconds at = job.in_engine() ? kNever : available_at(job);
    if (at > now) next = std::min(next, at);
  });
  if (jobs_.size() != 0) next = std::min(next, now + kHousekeeping);
  return std::max(next, now);
}

bool Controller::deliver(std::uint32_t wait_ms) {
  {
    const std::lock_guard lock(mutex_);
    quota_link_.send();
  }
  // No lock: only this thread writes what is read here, and inspections must not wait for the agents.
  return quota_link_.wait(wait_ms);
}

bool Controller::applied(std::span<const std::size_t> index, std::span<const dfrs_result> results, Seconds now) {
  const std::lock_guard lock(mutex_);
  ResultEffects effects;
  effects.confirm_raises = quota_link_.agents() != nullptr;
  for (std::size_t k = 0; k < index.size() && k < results.size(); ++k) {
    if (index[k] >= operations_.size()) continue;
    const dfrs_operation& operation = operations_[index[k]];
    apply_result(operation, results[k], now, config_, log_, jobs_, state_.totals(), effects);
    publish_usage(jobs_.find(operation.key.job_id), now);
  }
  for (const Job* const task : effects.tasks_split_off) publish_usage(task, now);
  if (effects.state_changed) state_.mark_changed();
  if (effects.swap_promised) inputs_.forget_swap();
  for (const Seconds took : effects.restarts_took) inputs_.restart_took(took);
  if (effects.tasks_split_off.empty() || quota_link_.agents() == nullptr) return false;
  quota_link_.build(jobs_, nodes_, effects.tasks_split_off);
  return true;
}

void Controller::save() {
  const std::lock_guard lock(mutex_);
  state_.mark_urgent();
  state_.save_if_due(jobs_, quota_link_.in_force(), counters_.now);
}

tl::expected<void, std::string> Controller::check() const {
  const std::lock_guard lock(mutex_);
  tl::expected<void, std::string> found;
  jobs_.each([&](const Job& job) {
    if (auto checked = check_job(job); found && !checked) found = std::move(checked);
  });
  return found;
}

LiveState Controller::live_state() const {
  return {config_, config_in_force_,     parts_.cluster,        counters_, state_.totals(), jobs_,
          nodes_,  quota_link_.agents(), inputs_.pause_costs(), driver_,   reconciler_,     checkpoints_.counters()};
}

void Controller::set_config_in_force(tl::expected<void, std::string> outcome) {
  const std::lock_guard lock(mutex_);
  config_in_force_ = std::move(outcome);
}

ControllerStatus Controller::status() const {
  const std::lock_guard lock(mutex_);
  return report_status(live_state());
}

tl::expected<JobExplanation, std::string> Controller::explain(std::uint32_t job_id) const {
  const std::lock_guard lock(mutex_);
  return explain_job(live_state(), job_id);
}

tl::expected<RepackPlan, std::string> Controller::repack_dry_run() const {
  tl::expected<RepackInput, std::string> input = [&] {
    const std::lock_guard lock(mutex_);
    return copy_for_repack(live_state());
  }();
  // Without the lock, since a repack of a large cluster takes a while.
  return input ? plan_repack(std::move(*input)) : tl::unexpected<std::string>(input.error());
}

ObservedPast Controller::past() const {
  const std::lock_guard lock(mutex_);
  return {history_.observed().schedule(), history_.observed().reference_cpus()};
}

}  // namespace dfrs::shim
