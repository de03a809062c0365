// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/engine_driver.h"

#include <algorithm>
#include <utility>

#include "record/recorder.h"
#include "shim/controller/clock.h"
#include "shim/controller/pause_rules.h"

namespace dfrs::shim {
namespace {

/// A batch policy's estimate of a job without a time limit.
constexpr Seconds kNoLimitEstimate = 365.0 * 86400;

/// Calls of an engine that asks to be called again at once, in one step.
constexpr int kMostCalls = 8;

bool earlier(const Job* a, const Job* b) {
  return a->history.release != b->history.release ? a->history.release < b->history.release : a->id < b->id;
}

Footprint footprint(const Job& job, std::span<const NodeIndex> nodes) {
  return {nodes, job.facts.memory_per_task, job.facts.exclusive};
}

bool nodes_usable(const Job& job, std::span<const NodeView> nodes) {
  for (NodeIndex n : job.desired.nodes) {
    if (n >= nodes.size() || !nodes[n].usable) return false;
    if (!job.facts.eligible_mask.empty() && !job.facts.eligible_nodes.contains(n)) return false;
  }
  return job.desired.nodes.size() == job.facts.tasks;
}

void desire_running(Job& job, const std::vector<NodeIndex>& nodes) {
  job.desired.state = DesiredState::running;
  job.desired.pause_way = PauseWay::none;
  job.desired.nodes = nodes;
}

void desire_paused(Job& job, PauseWay way) {
  job.desired.state = DesiredState::paused;
  job.desired.pause_way = way;
  job.desired.nodes.clear();
  job.requeue.moving_since = 0;
}

}  // namespace

void show_job(const Job& job, std::uint32_t reference_cpus, Seconds now, JobView& view, Seconds& estimate) {
  view.id = job.id;
  view.flags = policy_flags(job);
  view.tasks = job.facts.tasks;
  view.cpu_need = job.need.value * job.facts.cpus_per_task / reference_cpus;
  view.rigid[kMemory] = static_cast<RigidAmount>(job.facts.memory_per_task);
  view.submit = job.history.release;
  view.weight = job.policy.weight;
  view.penalty = job.pausing.pause_cost;
  view.move_penalty = job.pausing.move_cost;
  view.eligible = job.facts.eligible_mask.empty() ? nullptr : &job.facts.eligible_nodes;
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
  // The clock of a job that Slurm does not run stands.
  view.clock = job.progress.clock;
  if (!job.running() && job.progress.clock.rate != 0) view.clock = {job.progress.clock.at(now), now, 0};
  estimate = job.facts.time_limit == UINT32_MAX ? kNoLimitEstimate : 60.0 * job.facts.time_limit;
}

tl::expected<void, std::string> EngineDriver::create(const Config& config) {
  EngineOptions options;
  options.dfrs.period = config.period;
  auto engine = Engine::create(config.algorithm, options);
  if (!engine) return tl::unexpected<std::string>(engine.error().message);
  engine_ = std::move(*engine);
  algorithm_ = config.algorithm;
  options_ = options;
  const PolicyTraits traits = traits_of(algorithm_);
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
  if (recorder_ != nullptr && recorder_->wants_new_engine() && now < wake_at_) {
    Config same;
    same.algorithm = algorithm_;
    same.period = options_.dfrs.period;
    if (auto made = create(same); !made) return made;
  }
  const bool clock_set_back = now < last_now_;
  last_now_ = now;
  if (batch_ && (!changes.completed.empty() || changes.suspended_outside)) {
    // Room has come: for suspended jobs that wait for it, or for running ones whose CPUs were shared.
    jobs.each([&](const Job& job) {
      if ((job.suspended() && !job.in_engine()) ||
          (job.desired.state == DesiredState::running && job.desired.yield < 1))
        must_resync_ = true;
    });
  }
  // Those that come as waiting ones already come with a picture, not with an event.
  std::erase_if(changes.entering, [&](Job* job) {
    if (!std::exchange(job->policy.enters_paused, false) || !takes_up_waiting_) return false;
    job->desired.state = job->history.first_start > 0 ? DesiredState::paused : DesiredState::waiting;
    jobs.open_slot(*job);
    must_resync_ = true;
    return true;
  });
  must_resync_ = must_resync_ || changes.resync || discard_plans || clock_set_back ||
                 (changes.suspended_outside && !batch_) || (sharing_ && !changes.completed.empty());

  Outcome outcome;
  if (must_resync_) {
    outcome = resync(jobs, nodes, changes, discard_plans, now);
    if (!outcome && !discard_plans) {  // perhaps it was a wish; what is must do in any case
      log_->error("{}; trying once more from what Slurm shows", outcome.error());
      outcome = resync(jobs, nodes, changes, true, now);
    }
    if (!outcome) return outcome;
    changes.completed.clear();
    changes.changed.clear();  // the picture has them
  }
  if (outcome = tell_events(jobs, nodes, changes, now); !outcome) {
    log_->error("{}; trying once more from what Slurm shows", outcome.error());
    if (outcome = resync(jobs, nodes, changes, true, now); !outcome) return outcome;
    if (outcome = tell_events(jobs, nodes, changes, now); !outcome) return outcome;
  }
  for (int calls = 0; wake_at_ <= now && calls < kMostCalls; ++calls) {
    events_.clear();
    if (outcome = call(jobs, nodes, now); !outcome) return outcome;
  }
  return {};
}

tl::expected<void, std::string> EngineDriver::resync(JobTable& jobs, const Nodes& nodes, Changes& changes,
                                                     bool discard_plans, Seconds now) {
  ++counters_.resyncs;
  rebuild_view(jobs, nodes, discard_plans, now, changes.entering);
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
    // Batch policies know no changes, and look at neither.
    if (job->in_engine() && !batch_) events_.push_back({EventKind::changed, job->policy.slot});
  }
  changes.changed.clear();
  std::sort(changes.entering.begin(), changes.entering.end(), earlier);
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
    }
  });
  const ClusterView view{now, node_views_, jobs.views(), 1};
  const Estimates estimates{jobs.estimates()};
  const auto decided = engine_->step(view, estimates, events_);
  if (recorder_ != nullptr) recorder_->step(view, estimates, events_, decided);
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
      desire_paused(*job, pause_way(*job));
      continue;
    }
    const auto nodes = decisions.nodes_of(decision);
    job->desired.nodes.assign(nodes.begin(), nodes.end());
    job->desired.state = DesiredState::running;
    job->desired.pause_way = PauseWay::none;
  }
  for (const YieldChange& change : decisions.yields) {
    Job* job = jobs.in_slot(change.job);
    if (job == nullptr) continue;
    job->desired.yield = change.yield;
    // On its way elsewhere it goes on as it did until its run ends.
    if (job->running() && job->desired.nodes == job->facts.nodes)
      grant_yield(*job, now, job->desired.yield, confirm_raises_);
  }
}

// The picture for a resync: what is, and of what is under way all that can still come true together.
void EngineDriver::rebuild_view(JobTable& jobs, const Nodes& nodes, bool discard_plans, Seconds now,
                                std::vector<Job*>& dropped) {
  ledger_.reset(nodes);
  candidates_.clear();
  jobs.each([&](Job& job) {
    if (!available_to_policy(job, now) ||
        (job.facts.phase != DFRS_JOB_PENDING && job.facts.phase != DFRS_JOB_REQUEUING && job.facts.nodes.empty())) {
      return;
    }
    const bool drop = discard_plans || job.policy.contradicted;
    if (job.running()) {
      if (!job.in_engine()) jobs.open_slot(job);
      job.policy.known = true;
      if (!drop && job.desired.state == DesiredState::paused) return;
      if (!drop && job.desired.state == DesiredState::running && job.desired.nodes != job.facts.nodes) {
        candidates_.push_back(&job);
        return;
      }
      desire_running(job, job.facts.nodes);
      ledger_.take(footprint(job, job.facts.nodes));
    } else if (job.suspended()) {
      const bool wanted = !drop && job.desired.state == DesiredState::running;
      if (!job.in_engine()) {
        if (batch_ && job.facts.nodes.size() != job.facts.tasks) return;
        jobs.open_slot(job);
        job.policy.known = true;
        desire_paused(job, PauseWay::suspend);
      }
      if (batch_ || wanted) {
        if (!wanted) job.desired.nodes = job.facts.nodes;
        candidates_.push_back(&job);
      } else {
        desire_paused(job, PauseWay::suspend);
      }
    } else if (job.in_engine() && job.desired.state == DesiredState::running) {
      if (drop) job.desired.nodes.clear();
      candidates_.push_back(&job);
    }
  });
  node_views_.assign(nodes.views().begin(), nodes.views().end());
  // A job that wants its nodes alone may have been brought to share them, by scontrol resume or by rules of another
  // day. That is no error, but nothing more comes there.
  sharing_ = false;
  jobs.each([&](Job& job) {
    job.policy.shares_nodes = false;
    if (!job.facts.exclusive || job.desired.state != DesiredState::running || !job.running() ||
        job.desired.nodes != job.facts.nodes)
      return;
    for (NodeIndex n : job.facts.nodes) {
      job.policy.shares_nodes =
          job.policy.shares_nodes ||
          ledger_.tasks(n) != static_cast<std::uint32_t>(std::count(job.facts.nodes.begin(), job.facts.nodes.end(), n));
    }
    if (!job.policy.shares_nodes) return;
    sharing_ = true;
    for (NodeIndex n : job.facts.nodes) node_views_[n].usable = false;
  });
  std::sort(candidates_.begin(), candidates_.end(), earlier);
  for (Job* job : candidates_) {
    if (nodes_usable(*job, node_views_) && ledger_.fits(footprint(*job, job->desired.nodes))) {
      if (job->desired.state != DesiredState::running) desire_running(*job, job->desired.nodes);
      ledger_.take(footprint(*job, job->desired.nodes));
    } else if (job->running()) {  // was to move
      desire_paused(*job, PauseWay::requeue);
    } else if (job->suspended()) {
      desire_paused(*job, PauseWay::suspend);
      if (batch_) {
        job->desired.state = DesiredState::none;
        job->desired.pause_way = PauseWay::none;
        jobs.close_slot(*job);
      }
    } else {
      job->desired.state = DesiredState::none;
      job->desired.nodes.clear();
      jobs.close_slot(*job);
      dropped.push_back(job);
    }
  }
  for (NodeIndex n = 0; n < node_views_.size(); ++n) {
    // What runs, runs, even on a node whose memory has shrunk since; there is no room, but it is no error.
    if (ledger_.free_memory(n) < 0) node_views_[n].spec.rigid[kMemory] -= ledger_.free_memory(n);
  }
  jobs.each([](Job& job) { job.policy.contradicted = false; });
  if (batch_) share_cpu_by_need(jobs, nodes);
}

// A batch policy gives each job its nodes alone and never speaks of yields of others; those that it finds sharing
// nodes (the algorithm was changed) share the CPUs by their needs.
void EngineDriver::share_cpu_by_need(JobTable& jobs, const Nodes& nodes) {
  cpu_needed_.assign(nodes.size(), 0);
  const double reference = nodes.reference_cpus();
  jobs.each([&](const Job& job) {
    if (job.desired.state != DesiredState::running) return;
    for (NodeIndex n : job.desired.nodes) cpu_needed_[n] += job.facts.cpus_per_task / reference;
  });
  jobs.each([&](Job& job) {
    if (job.desired.state != DesiredState::running) return;
    job.desired.yield = 1;
    for (NodeIndex n : job.desired.nodes)
      job.desired.yield = std::min(job.desired.yield, nodes.views()[n].spec.cpu / cpu_needed_[n]);
    if (job.running() && job.desired.nodes == job.facts.nodes)
      grant_yield(job, last_now_, job.desired.yield, confirm_raises_);
  });
}

}  // namespace dfrs::shim
