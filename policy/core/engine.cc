// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/core/engine.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "policy/core/registry.h"

namespace dfrs {
namespace {

// Cold: code that makes messages stays out of the way of steps that succeed.
[[gnu::cold]] tl::unexpected<Error> fail(ErrorCode code, std::string_view message) {
  return tl::unexpected<Error>(Error{code, std::string(message)});
}

tl::expected<void, Error> check(const EngineOptions& options) {
  for (const OptionTable* table : option_tables()) {
    for (const OptionField& field : table->fields) {
      if (!field.is_number() || field.range.holds(std::get<double>(field.get(options)))) continue;
      return fail(ErrorCode::bad_option, std::string(table->name) + " option " + std::string(field.name) +
                                             ": expected " + std::string(field.range.expected));
    }
  }
  return {};
}

}  // namespace

tl::expected<std::unique_ptr<Engine>, Error> Engine::create(const Algorithm& algorithm,
                                                            const EngineOptions& options) noexcept {
  try {
    if (auto checked = check(options); !checked) return tl::unexpected<Error>(checked.error());
    std::unique_ptr<Engine> engine(new Engine());
    if (const auto* make = std::get_if<MakeNonClairvoyant>(&algorithm.make)) {
      engine->non_clairvoyant_ = (*make)(options);
    } else {
      engine->batch_ = std::get<MakeBatch>(algorithm.make)(options);
    }
    engine->needs_change_ = !engine->batch_ || algorithm.traits.shares_nodes;
    return engine;
  } catch (const std::bad_alloc&) {
    return tl::unexpected<Error>(Error{ErrorCode::out_of_memory, {}});
  } catch (...) {
    return tl::unexpected<Error>(Error{ErrorCode::internal, {}});
  }
}

tl::expected<const Decisions*, Error> Engine::step(const ClusterView& view, const Estimates& estimates,
                                                   std::span<const Event> events) noexcept {
  try {
    auto result = checked_step(view, estimates, events);
    in_step_with_host_ = result.has_value();
    return result;
  } catch (const std::bad_alloc&) {
    in_step_with_host_ = false;
    return tl::unexpected<Error>(Error{ErrorCode::out_of_memory, {}});
  } catch (...) {
    in_step_with_host_ = false;
    return tl::unexpected<Error>(Error{ErrorCode::internal, {}});
  }
}

tl::expected<const Decisions*, Error> Engine::checked_step(const ClusterView& view, const Estimates& estimates,
                                                           std::span<const Event> events) {
  if (auto taken = take_events(view, events); !taken) return tl::unexpected<Error>(taken.error());
  if (batch_ && estimates.run_time.size() < view.jobs.size()) {
    return fail(ErrorCode::bad_view, "a batch policy needs an estimate for every job");
  }

  decisions_.clear();
  state_.begin();
  Outcome outcome;
  outcome.yields = &decisions_.yields;
  std::span<const Event> seen = events;
  if (!in_step_with_host_) {  // tell the policy, too
    first_events_.assign(1, Event{EventKind::resync, kNoSlot});
    first_events_.insert(first_events_.end(), events.begin(), events.end());
    seen = first_events_;
  }
  if (non_clairvoyant_) {
    non_clairvoyant_->decide(view, seen, state_, outcome);
  } else {
    batch_->decide(view, estimates, seen, state_, outcome);
  }
  state_.forget_changes();
  decisions_.wake_at = outcome.wake_at;
  collect_decisions(view);
  if (const auto checked = audit_.check(view, decisions_); !checked) {
    state_.rollback(view);
    return fail(ErrorCode::bad_decision, checked.error());
  }
  last_now_ = view.now;
  return &decisions_;
}

tl::expected<void, Error> Engine::take_events(const ClusterView& view, std::span<const Event> events) {
  if (view.rigid_dims < 1 || view.rigid_dims > kMaxRigid) {
    return fail(ErrorCode::bad_view, "rigid_dims must be 1 .. " + std::to_string(kMaxRigid));
  }
  if (!std::isfinite(view.now)) return fail(ErrorCode::bad_view, "now must be a finite time");
  const bool resync = has_event(events, EventKind::resync);
  if (!in_step_with_host_ && !resync && !events.empty() && events.front().kind == EventKind::completed) {
    return fail(ErrorCode::bad_view, "the first call, and the one after an error, must have a resync event");
  }
  if (auto checked = check_events(view, events); !checked) return checked;
  if (!in_step_with_host_ || resync) {
    state_.resync(view);
    audit_.resync(view);
    return {};
  }
  if (view.now < last_now_) return fail(ErrorCode::bad_view, "time runs backwards");
  state_.grow(view.jobs.size());
  for (const Event& event : events) {
    const JobView& job = view.jobs[event.job];
    if (event.kind == EventKind::completed) {
      if (const auto entered = audit_.completed(view, event.job); !entered) {
        return fail(ErrorCode::bad_view, entered.error());
      }
      state_.drop(event.job, job);
    } else if (event.kind == EventKind::changed) {
      state_.change_need(event.job, job.cpu_need - audit_.change_need(event.job, job.cpu_need));
    } else {
      audit_.submitted(view, event.job);
      state_.add(event.job);
    }
  }
  return {};
}

// What can be seen without knowing what was before. Policies rely on it in every call, also after a resync.
tl::expected<void, Error> Engine::check_events(const ClusterView& view, std::span<const Event> events) {
  bool changes = false;
  bool submissions = false;
  submitted_in_.resize(std::max(submitted_in_.size(), view.jobs.size()));
  ++calls_;
  for (const Event& event : events) {
    if (event.kind == EventKind::resync) continue;
    if (event.job >= view.jobs.size()) return fail(ErrorCode::bad_view, "an event names a slot that does not exist");
    const JobView& job = view.jobs[event.job];
    if (event.kind == EventKind::completed) {
      if (submissions || changes) return fail(ErrorCode::bad_view, "completions must come before other events");
      if (job.state != JobState::absent) return fail(ErrorCode::bad_view, "a completed job must have left its slot");
    } else if (event.kind == EventKind::changed) {
      changes = true;
      if (submissions) return fail(ErrorCode::bad_view, "changes must come before submissions");
      if (!needs_change_) return fail(ErrorCode::bad_view, "batch policies plan with needs that do not change");
      if (job.state == JobState::absent) return fail(ErrorCode::bad_view, "a job that is not there cannot change");
      if (!(job.cpu_need > 0)) return fail(ErrorCode::bad_view, "a job needs a positive CPU need");
    } else {
      submissions = true;
      if (job.state != JobState::waiting) return fail(ErrorCode::bad_view, "a submitted job must be waiting");
      if (job.tasks < 1 || !(job.cpu_need > 0)) {
        return fail(ErrorCode::bad_view, "a job needs at least one task and a positive CPU need");
      }
      if (std::exchange(submitted_in_[event.job], calls_) == calls_) {
        return fail(ErrorCode::bad_view, "a job is submitted twice at one instant");
      }
    }
  }
  return {};
}

void Engine::collect_decisions(const ClusterView& view) {
  for (JobSlot job : state_.touched()) {
    if (state_.on_nodes_before(job)) continue;
    const std::span<const NodeIndex> before = state_.nodes_before(job);
    const std::span<const NodeIndex> after = state_.nodes_of(job);
    Decision decision;
    decision.job = job;
    if (after.empty()) {
      decision.kind = DecisionKind::pause;
    } else if (!before.empty()) {
      decision.kind = DecisionKind::move;
    } else {
      decision.kind = view.jobs[job].state == JobState::paused ? DecisionKind::resume : DecisionKind::start;
    }
    decision.first = static_cast<std::uint32_t>(decisions_.nodes.size());
    decision.count = static_cast<std::uint32_t>(after.size());
    decisions_.nodes.insert(decisions_.nodes.end(), after.begin(), after.end());
    decisions_.placements.push_back(decision);
  }
  // By kind, pauses and moves first, then by slot: the order must not depend on how the policy arrived at them.
  std::sort(decisions_.placements.begin(), decisions_.placements.end(),
            [](const Decision& a, const Decision& b) { return a.kind != b.kind ? a.kind < b.kind : a.job < b.job; });
}

}  // namespace dfrs
