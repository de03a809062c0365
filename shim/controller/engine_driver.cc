// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/engine_driver.h"

#include <algorithm>
#include <utility>

#include "policy/rr7659/options.h"
#include "record/recorder.h"
#include "shim/controller/clock.h"
#include "shim/controller/offers.h"
#include "shim/controller/pause_rules.h"

namespace dfrs::shim {
namespace {

/// A batch policy's estimate of a job without a time limit.
constexpr Seconds kNoLimitEstimate = 365.0 * 86400;

/// Most calls in one step of an engine that asks to be called again at once.
constexpr int kMostCalls = 8;

}  // namespace

void show_job(const Job& job, std::uint32_t reference_cpus, Seconds now, JobView& view, Seconds& estimate) {
  view.id = job.id;
  view.flags = policy_flags(job);
  view.pauses = job.pausing.pauses;
  view.lost_runs = job.history.lost_runs;
  view.longest_run = job.history.longest_run;
  view.tasks = job.facts.tasks;
  view.cpu_need = job.need.value * job.facts.cpus_per_task / reference_cpus;
  view.rigid[kMemory] = static_cast<RigidAmount>(job.facts.memory_per_task);
  view.submit = job.history.release;
  view.weight = job.policy.weight;
  view.penalty = job.pausing.pause_cost;
  view.move_penalty = job.pausing.move_cost;
  view.eligible = job.facts.usable_nodes();
  view.yield = 0;
  view.nodes = {};
  switch (job.desired.state) {
    case DesiredState::none:
      view.state = JobState::absent;
      break;
    case DesiredState::waiting:
      view.state = JobState::waiting;
      break;
    case DesiredState::running:
      view.state = JobState::running;
      view.nodes = job.desired.nodes;
      view.yield = job.desired.yield;
      break;
    case DesiredState::paused:
      view.state = JobState::paused;
      if (view.flags.may_not_move) view.nodes = job.facts.nodes;
      break;
  }
  // The clock of a job that does not run stands still.
  view.clock = job.progress.clock;
  if (!job.running() && job.progress.clock.rate != 0) view.clock = {job.progress.clock.at(now), now, 0};
  estimate = job.facts.time_limit == UINT32_MAX ? kNoLimitEstimate : 60.0 * job.facts.time_limit;
}

// From 1 in order of appearance: records need not tell who it is.
std::uint32_t EngineDriver::user_number(std::uint32_t user_id) {
  return users_.try_emplace(user_id, static_cast<std::uint32_t>(users_.size()) + 1).first->second;
}

tl::expected<void, std::string> EngineDriver::create(const Config& config) {
  EngineOptions options;
  options.of<DfrsOptions>().period = config.period;
  auto engine = Engine::create(config.algorithm, options);
  if (!engine) return tl::unexpected<std::string>(engine.error().message);
  engine_ = std::move(*engine);
  engine_->explain(true);
  algorithm_ = config.algorithm;
  options_ = options;
  const PolicyTraits traits = algorithm_.traits;
  batch_ = !traits.shares_nodes;
  takes_up_waiting_ = traits.takes_up_waiting;
  pauses_for_arrivals_ = traits.pauses_for_arrivals;
  must_resync_ = true;
  wake_at_ = kNever;
  if (recorder_ != nullptr) recorder_->begin(algorithm_, options_);
  return {};
}

tl::expected<void, std::string> EngineDriver::run(JobTable& jobs, const Nodes& nodes, Changes& changes,
                                                  bool discard_plans, Seconds now) {
  offer_again(jobs, changes, now);
  if (auto renewed = renew_engine_for_record(now); !renewed) return renewed;
  if (needs_resync(jobs, changes, discard_plans, now)) must_resync_ = true;
  enter_without_events(jobs, changes);
  if (must_resync_) {
    if (auto done = resync_or_discard(jobs, nodes, changes, discard_plans, now); !done) return done;
  }
  if (auto done = tell_events_or_resync(jobs, nodes, changes, now); !done) return done;
  if (auto done = call_while_due(jobs, nodes, now); !done) return done;
  offer_at_ = plan_offers(jobs, pauses_for_arrivals_, now);
  return {};
}

// A record begins with a new engine, so that a replay needs no earlier history.
tl::expected<void, std::string> EngineDriver::renew_engine_for_record(Seconds now) {
  if (recorder_ == nullptr || !recorder_->wants_new_engine() || now >= wake_at_) return {};
  Config same;
  same.algorithm = algorithm_;
  same.period = options_.of<DfrsOptions>().period;
  return create(same);
}

bool EngineDriver::needs_resync(const JobTable& jobs, const Changes& changes, bool discard_plans, Seconds now) {
  const bool clock_set_back = now < last_now_;
  last_now_ = now;
  bool needed = changes.resync || discard_plans || clock_set_back || (changes.suspended_outside && !batch_) ||
                (views_.exclusive_job_shares() && !changes.completed.empty());
  if (batch_ && (!changes.completed.empty() || changes.suspended_outside)) {
    // Suspended jobs may find room now, and running jobs that share CPUs may get more.
    jobs.each([&](const Job& job) {
      const bool waits = job.suspended() && !job.in_engine();
      if (waits || (job.desired.state == DesiredState::running && job.desired.yield < 1)) needed = true;
    });
  }
  return needed;
}

// Some jobs (re)enter with a new view instead of an event, so that no job is paused for them.
void EngineDriver::enter_without_events(JobTable& jobs, Changes& changes) {
  std::erase_if(changes.entering, [&](Job* job) {
    if (!std::exchange(job->policy.enters_without_event, false) || !takes_up_waiting_) return false;
    job->desired.state = job->history.first_start > 0 ? DesiredState::paused : DesiredState::waiting;
    jobs.open_slot(*job);
    must_resync_ = true;
    return true;
  });
}

tl::expected<void, std::string> EngineDriver::resync_or_discard(JobTable& jobs, const Nodes& nodes, Changes& changes,
                                                                bool discard_plans, Seconds now) {
  auto outcome = resync(jobs, nodes, changes, discard_plans, now);
  if (!outcome && !discard_plans) {  // a decision under way may be at fault; Slurm's state alone must be consistent
    log_->error("{}; trying once more from what Slurm shows", outcome.error());
    outcome = resync(jobs, nodes, changes, true, now);
  }
  if (!outcome) return outcome;
  changes.completed.clear();
  changes.changed.clear();  // the new view has them
  return {};
}

tl::expected<void, std::string> EngineDriver::tell_events_or_resync(JobTable& jobs, const Nodes& nodes,
                                                                    Changes& changes, Seconds now) {
  auto outcome = tell_events(jobs, nodes, changes, now);
  if (outcome) return outcome;
  log_->error("{}; trying once more from what Slurm shows", outcome.error());
  if (outcome = resync(jobs, nodes, changes, true, now); !outcome) return outcome;
  return tell_events(jobs, nodes, changes, now);
}

tl::expected<void, std::string> EngineDriver::call_while_due(JobTable& jobs, const Nodes& nodes, Seconds now) {
  for (int calls = 0; wake_at_ <= now && calls < kMostCalls; ++calls) {
    events_.clear();
    if (auto outcome = call(jobs, nodes, now); !outcome) return outcome;
  }
  return {};
}

tl::expected<void, std::string> EngineDriver::resync(JobTable& jobs, const Nodes& nodes, Changes& changes,
                                                     bool discard_plans, Seconds now) {
  ++counters_.resyncs;
  views_.rebuild(jobs, nodes, {batch_, confirm_raises_, discard_plans}, now, changes.entering);
  events_.assign(1, Event{EventKind::resync, kNoSlot});
  auto outcome = call(jobs, nodes, now);
  must_resync_ = !outcome;
  return outcome;
}

tl::expected<void, std::string> EngineDriver::tell_events(JobTable& jobs, const Nodes& nodes, Changes& changes,
                                                          Seconds now) {
  events_.clear();
  for (JobSlot slot : changes.completed) events_.push_back({EventKind::completed, slot});
  changes.completed.clear();
  std::sort(changes.changed.begin(), changes.changed.end(), [](const Job* a, const Job* b) { return a->id < b->id; });
  changes.changed.erase(std::unique(changes.changed.begin(), changes.changed.end()), changes.changed.end());
  for (const Job* job : changes.changed) {
    // Batch policies do not take this event: they use neither needs nor weights.
    if (job->in_engine() && !batch_) events_.push_back({EventKind::changed, job->policy.slot});
  }
  changes.changed.clear();
  std::sort(changes.entering.begin(), changes.entering.end(), released_earlier);
  changes.entering.erase(std::unique(changes.entering.begin(), changes.entering.end()), changes.entering.end());
  for (Job* job : changes.entering) {
    if (job->in_engine()) continue;
    job->desired.state = DesiredState::waiting;
    job->policy.known = true;
    job->policy.submitted_at = now;
    events_.push_back({EventKind::submitted, jobs.open_slot(*job)});
  }
  changes.entering.clear();
  if (events_.empty()) return {};
  return call(jobs, nodes, now);
}

tl::expected<void, std::string> EngineDriver::call(JobTable& jobs, const Nodes& nodes, Seconds now) {
  jobs.each([&](const Job& job) {
    if (job.policy.slot != kNoSlot) {
      show_job(job, nodes.reference_cpus(), now, jobs.views()[job.policy.slot], jobs.estimates()[job.policy.slot]);
      jobs.views()[job.policy.slot].user = user_number(job.user);
    }
  });
  const ClusterView view{now, views_.node_views(), jobs.views(), 1};
  const Estimates estimates{jobs.estimates()};
  const auto decided = engine_->step(view, estimates, events_);
  if (recorder_ != nullptr) recorder_->step(view, estimates, events_, decided);
  if (decided) stories_.step(view, events_, **decided);
  jobs.release_slots();
  if (!decided) {
    must_resync_ = true;
    wake_at_ = kNever;
    return tl::unexpected<std::string>("the policy's answer was not usable: " + decided.error().message);
  }
  wake_at_ = (*decided)->wake_at;
  take_decisions(jobs, **decided, now);
  return {};
}

void EngineDriver::take_decisions(JobTable& jobs, const Decisions& decisions, Seconds now) {
  counters_.decisions += decisions.placements.size();
  for (const Decision& decision : decisions.placements) {
    Job* job = jobs.in_slot(decision.job);
    if (job == nullptr) continue;
    job->attempts.busy_since = 0;
    if (decision.kind == DecisionKind::pause) {
      job->desire_pause(pause_way(*job));
      continue;
    }
    job->desired.run_on(decisions.nodes_of(decision));
  }
  for (const YieldChange& change : decisions.yields) {
    Job* job = jobs.in_slot(change.job);
    if (job == nullptr) continue;
    job->desired.yield = change.yield;
  }
  // A job that is to run elsewhere keeps its present yield until this run ends. If it may stay after all, the policy
  // may change no yield, for it knows the job's other one already.
  jobs.each([&](Job& job) {
    if (job.running() && job.to_run_in_place() && job.progress.granted_yield != job.desired.yield)
      grant_yield(job, now, job.desired.yield, confirm_raises_);
  });
}

}  // namespace dfrs::shim
