// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/controller/engine_driver.h"

#include <algorithm>
#include <utility>

#include "policy/rr7659/options.h"
#include "record/recorder.h"
#include "shim/controller/clock.h"
#include "shim/controller/pause_rules.h"

namespace dfrs::shim {
namespace {

/// A batch policy's estimate of a job without a time limit.
constexpr Seconds kNoLimitEstimate = 365.0 * 86400;

/// Calls of an engine that asks to be called again at once, in one step.
constexpr int kMostCalls = 8;

bool earlier(const Job* a, const Job* b) { return a->release != b->release ? a->release < b->release : a->id < b->id; }

Footprint footprint(const Job& job, std::span<const NodeIndex> nodes) {
  return {nodes, job.memory_per_task, job.exclusive};
}

bool nodes_usable(const Job& job, std::span<const NodeView> nodes) {
  for (NodeIndex n : job.target) {
    if (n >= nodes.size() || !nodes[n].usable) return false;
    if (!job.mask.empty() && !job.eligible.contains(n)) return false;
  }
  return job.target.size() == job.tasks;
}

void wish_running(Job& job, const std::vector<NodeIndex>& nodes) {
  job.wish = Wish::running;
  job.way = PauseWay::none;
  job.target = nodes;
}

void wish_paused(Job& job, PauseWay way) {
  job.wish = Wish::paused;
  job.way = way;
  job.target.clear();
  job.requeued_to_move = 0;
}

}  // namespace

void show_job(const Job& job, std::uint32_t reference_cpus, Seconds now, JobView& view, Seconds& estimate) {
  view.id = job.id;
  view.flags = policy_flags(job);
  view.tasks = job.tasks;
  view.cpu_need = job.need * job.cpus_per_task / reference_cpus;
  view.rigid[kMemory] = static_cast<RigidAmount>(job.memory_per_task);
  view.submit = job.release;
  view.weight = job.weight;
  view.penalty = job.pause_cost;
  view.move_penalty = job.move_cost;
  view.eligible = job.mask.empty() ? nullptr : &job.eligible;
  view.yield = 0;
  view.nodes = {};
  switch (job.wish) {
    case Wish::none:
      view.state = JobState::absent;
      break;
    case Wish::waiting:
      view.state = JobState::waiting;
      break;
    case Wish::running:
      view.state = JobState::running;
      view.nodes = job.target;
      view.yield = job.yield;
      break;
    case Wish::paused:
      view.state = JobState::paused;
      if (view.flags.may_not_move) view.nodes = job.at;
      break;
  }
  // The clock of a job that Slurm does not run stands.
  view.clock = job.clock;
  if (!job.running() && job.clock.rate != 0) view.clock = {job.clock.at(now), now, 0};
  estimate = job.time_limit == UINT32_MAX ? kNoLimitEstimate : 60.0 * job.time_limit;
}

tl::expected<void, std::string> EngineDriver::create(const Config& config) {
  EngineOptions options;
  options.of<DfrsOptions>().period = config.period;
  auto engine = Engine::create(config.algorithm, options);
  if (!engine) return tl::unexpected<std::string>(engine.error().message);
  engine_ = std::move(*engine);
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

tl::expected<void, std::string> EngineDriver::run(Books& books, const Nodes& nodes, Changes& changes, bool drop_wishes,
                                                  Seconds now) {
  if (recorder_ != nullptr && recorder_->wants_new_engine() && now < wake_at_) {
    Config same;
    same.algorithm = algorithm_;
    same.period = options_.of<DfrsOptions>().period;
    if (auto made = create(same); !made) return made;
  }
  const bool clock_set_back = now < last_now_;
  last_now_ = now;
  if (batch_ && (!changes.completed.empty() || changes.suspended_outside)) {
    // Room has come: for suspended jobs that wait for it, or for running ones whose CPUs were shared.
    books.each([&](const Job& job) {
      if ((job.suspended() && !job.in_engine()) || (job.wish == Wish::running && job.yield < 1)) must_resync_ = true;
    });
  }
  // Those that come as waiting ones already come with a picture, not with an event.
  std::erase_if(changes.entering, [&](Job* job) {
    if (!std::exchange(job->enter_quietly, false) || !takes_up_waiting_) return false;
    job->wish = job->started > 0 ? Wish::paused : Wish::waiting;
    books.open_slot(*job);
    must_resync_ = true;
    return true;
  });
  must_resync_ = must_resync_ || changes.resync || drop_wishes || clock_set_back ||
                 (changes.suspended_outside && !batch_) || (sharing_ && !changes.completed.empty());

  Outcome outcome;
  if (must_resync_) {
    outcome = resync(books, nodes, changes, drop_wishes, now);
    if (!outcome && !drop_wishes) {  // perhaps it was a wish; what is must do in any case
      log_->error("{}; trying once more from what Slurm shows", outcome.error());
      outcome = resync(books, nodes, changes, true, now);
    }
    if (!outcome) return outcome;
    changes.completed.clear();
    changes.changed.clear();  // the picture has them
  }
  if (outcome = tell_events(books, nodes, changes, now); !outcome) {
    log_->error("{}; trying once more from what Slurm shows", outcome.error());
    if (outcome = resync(books, nodes, changes, true, now); !outcome) return outcome;
    if (outcome = tell_events(books, nodes, changes, now); !outcome) return outcome;
  }
  for (int calls = 0; wake_at_ <= now && calls < kMostCalls; ++calls) {
    events_.clear();
    if (outcome = call(books, nodes, now); !outcome) return outcome;
  }
  return {};
}

tl::expected<void, std::string> EngineDriver::resync(Books& books, const Nodes& nodes, Changes& changes,
                                                     bool drop_wishes, Seconds now) {
  ++counters_.resyncs;
  believe(books, nodes, drop_wishes, now, changes.entering);
  events_.assign(1, Event{EventKind::resync, kNoSlot});
  auto outcome = call(books, nodes, now);
  must_resync_ = !outcome;
  return outcome;
}

tl::expected<void, std::string> EngineDriver::tell_events(Books& books, const Nodes& nodes, Changes& changes,
                                                          Seconds now) {
  events_.clear();
  for (JobSlot slot : changes.completed) events_.push_back({EventKind::completed, slot});
  changes.completed.clear();
  std::sort(changes.changed.begin(), changes.changed.end(), [](const Job* a, const Job* b) { return a->id < b->id; });
  changes.changed.erase(std::unique(changes.changed.begin(), changes.changed.end()), changes.changed.end());
  for (const Job* job : changes.changed) {
    // Batch policies know no changes, and look at neither.
    if (job->in_engine() && !batch_) events_.push_back({EventKind::changed, job->slot});
  }
  changes.changed.clear();
  std::sort(changes.entering.begin(), changes.entering.end(), earlier);
  changes.entering.erase(std::unique(changes.entering.begin(), changes.entering.end()), changes.entering.end());
  for (Job* job : changes.entering) {
    if (job->in_engine()) continue;
    job->wish = Wish::waiting;
    job->known_to_policy = true;
    job->told_at = now;
    events_.push_back({EventKind::submitted, books.open_slot(*job)});
  }
  changes.entering.clear();
  if (events_.empty()) return {};
  return call(books, nodes, now);
}

tl::expected<void, std::string> EngineDriver::call(Books& books, const Nodes& nodes, Seconds now) {
  books.each([&](const Job& job) {
    if (job.slot != kNoSlot) {
      show_job(job, nodes.reference_cpus(), now, books.views()[job.slot], books.estimates()[job.slot]);
    }
  });
  const ClusterView view{now, node_views_, books.views(), 1};
  const Estimates estimates{books.estimates()};
  const auto decided = engine_->step(view, estimates, events_);
  if (recorder_ != nullptr) recorder_->step(view, estimates, events_, decided);
  books.release_slots();
  if (!decided) {
    must_resync_ = true;
    wake_at_ = kNever;
    return tl::unexpected<std::string>("the policy's answer was not usable: " + decided.error().message);
  }
  wake_at_ = (*decided)->wake_at;
  take_decisions(books, **decided, now);
  return {};
}

void EngineDriver::take_decisions(Books& books, const Decisions& decisions, Seconds now) {
  counters_.decisions += decisions.placements.size();
  for (const Decision& decision : decisions.placements) {
    Job* job = books.in_slot(decision.job);
    if (job == nullptr) continue;
    job->busy_since = 0;
    if (decision.kind == DecisionKind::pause) {
      wish_paused(*job, pause_way(*job));
      continue;
    }
    const auto nodes = decisions.nodes_of(decision);
    job->target.assign(nodes.begin(), nodes.end());
    job->wish = Wish::running;
    job->way = PauseWay::none;
  }
  for (const YieldChange& change : decisions.yields) {
    Job* job = books.in_slot(change.job);
    if (job == nullptr) continue;
    job->yield = change.yield;
    // On its way elsewhere it goes on as it did until its run ends.
    if (job->running() && job->target == job->at) give_yield(*job, now, job->yield, confirm_raises_);
  }
}

// The picture for a resync: what is, and of what is under way all that can still come true together.
void EngineDriver::believe(Books& books, const Nodes& nodes, bool drop_wishes, Seconds now,
                           std::vector<Job*>& dropped) {
  room_.reset(nodes);
  candidates_.clear();
  books.each([&](Job& job) {
    if (!policy_may_have(job, now) ||
        (job.phase != DFRS_JOB_PENDING && job.phase != DFRS_JOB_REQUEUING && job.at.empty())) {
      return;
    }
    const bool drop = drop_wishes || job.to_resync;
    if (job.running()) {
      if (!job.in_engine()) books.open_slot(job);
      job.known_to_policy = true;
      if (!drop && job.wish == Wish::paused) return;
      if (!drop && job.wish == Wish::running && job.target != job.at) {
        candidates_.push_back(&job);
        return;
      }
      wish_running(job, job.at);
      room_.take(footprint(job, job.at));
    } else if (job.suspended()) {
      const bool wanted = !drop && job.wish == Wish::running;
      if (!job.in_engine()) {
        if (batch_ && job.at.size() != job.tasks) return;
        books.open_slot(job);
        job.known_to_policy = true;
        wish_paused(job, PauseWay::suspend);
      }
      if (batch_ || wanted) {
        if (!wanted) job.target = job.at;
        candidates_.push_back(&job);
      } else {
        wish_paused(job, PauseWay::suspend);
      }
    } else if (job.in_engine() && job.wish == Wish::running) {
      if (drop) job.target.clear();
      candidates_.push_back(&job);
    }
  });
  node_views_.assign(nodes.views().begin(), nodes.views().end());
  // A job that wants its nodes alone may have been brought to share them, by scontrol resume or by rules of another
  // day. That is no error, but nothing more comes there.
  sharing_ = false;
  books.each([&](Job& job) {
    job.shares = false;
    if (!job.exclusive || job.wish != Wish::running || !job.running() || job.target != job.at) return;
    for (NodeIndex n : job.at) {
      job.shares =
          job.shares || room_.tasks(n) != static_cast<std::uint32_t>(std::count(job.at.begin(), job.at.end(), n));
    }
    if (!job.shares) return;
    sharing_ = true;
    for (NodeIndex n : job.at) node_views_[n].usable = false;
  });
  std::sort(candidates_.begin(), candidates_.end(), earlier);
  for (Job* job : candidates_) {
    if (nodes_usable(*job, node_views_) && room_.fits(footprint(*job, job->target))) {
      if (job->wish != Wish::running) wish_running(*job, job->target);
      room_.take(footprint(*job, job->target));
    } else if (job->running()) {  // was to move
      wish_paused(*job, PauseWay::requeue);
    } else if (job->suspended()) {
      wish_paused(*job, PauseWay::suspend);
      if (batch_) {
        job->wish = Wish::none;
        job->way = PauseWay::none;
        books.close_slot(*job);
      }
    } else {
      job->wish = Wish::none;
      job->target.clear();
      books.close_slot(*job);
      dropped.push_back(job);
    }
  }
  for (NodeIndex n = 0; n < node_views_.size(); ++n) {
    // What runs, runs, even on a node whose memory has shrunk since; there is no room, but it is no error.
    if (room_.free_memory(n) < 0) node_views_[n].spec.rigid[kMemory] -= room_.free_memory(n);
  }
  books.each([](Job& job) { job.to_resync = false; });
  if (batch_) settle_batch_yields(books, nodes);
}

// A batch policy gives each job its nodes alone and never speaks of yields of others; those that it finds sharing
// nodes (the algorithm was changed) share the CPUs by their needs.
void EngineDriver::settle_batch_yields(Books& books, const Nodes& nodes) {
  cpu_needed_.assign(nodes.size(), 0);
  const double reference = nodes.reference_cpus();
  books.each([&](const Job& job) {
    if (job.wish != Wish::running) return;
    for (NodeIndex n : job.target) cpu_needed_[n] += job.cpus_per_task / reference;
  });
  books.each([&](Job& job) {
    if (job.wish != Wish::running) return;
    job.yield = 1;
    for (NodeIndex n : job.target) job.yield = std::min(job.yield, nodes.views()[n].spec.cpu / cpu_needed_[n]);
    if (job.running() && job.target == job.at) give_yield(job, last_now_, job.yield, confirm_raises_);
  });
}

}  // namespace dfrs::shim
