// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/story/story.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "policy/core/node_runs.h"
#include "record/story/surroundings.h"

namespace dfrs::record {
namespace {

// Smaller changes of a yield are not reported.
constexpr double kNotable = 0.05;

Totals::Phase phase_of(JobState state) {
  if (state == JobState::running) return Totals::Phase::runs;
  return state == JobState::paused ? Totals::Phase::paused : Totals::Phase::waits;
}

void count(Totals& totals, DecisionKind kind, Seconds at) {
  if (kind == DecisionKind::pause) ++totals.pauses;
  if (kind == DecisionKind::move) ++totals.moves;
  totals.enter(kind == DecisionKind::pause ? Totals::Phase::paused : Totals::Phase::runs, at);
}

}  // namespace

void Totals::enter(Phase next, Seconds at) {
  const Seconds took = std::max(0.0, at - since);
  if (phase == Phase::waits) waited += took;
  if (phase == Phase::runs) ran += took;
  if (phase == Phase::paused) paused += took;
  phase = next;
  since = at;
}

Totals Totals::until(Seconds now) const {
  Totals all = *this;
  all.enter(phase, now);
  return all;
}

bool lacks_room(ReasonKind kind) {
  return kind == ReasonKind::no_room || kind == ReasonKind::outweighed || kind == ReasonKind::none_to_pause ||
         kind == ReasonKind::left_out || kind == ReasonKind::next_try;
}

void Stories::step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  now_ = view.now;
  take_events(view, events);
  take_reasons(view, decisions);
  take_placements(view, decisions);
  Surroundings around(view, decisions);
  take_waiting(view, decisions, around);
  take_yields(view, decisions, around);
  for (const JobSlot job : touched_) {
    slots_[job].reason = kNone;
    slots_[job].placed = false;
  }
  touched_.clear();
}

const Story* Stories::find(JobId job) const {
  const auto at = stories_.find(job);
  return at == stories_.end() ? nullptr : &at->second;
}

StoryEvent& Stories::add(JobSlot where, const JobView& job, Seconds at, StoryKind kind) {
  Slot& known = slot(where);
  known.known = true;
  known.job = job.id;
  Story& story = stories_[job.id];
  story.tasks = job.tasks;
  if (story.events.size() >= most_) {
    // The first event is its submission, which stays.
    story.events.erase(story.events.begin() + 1);
    ++story.forgotten;
  }
  StoryEvent event;
  event.at = event.until = at;
  event.kind = kind;
  return story.events.emplace_back(std::move(event));
}

void Stories::take_submission(JobSlot where, const JobView& job, Seconds now) {
  const bool first = !stories_.contains(job.id);
  StoryEvent& event = add(where, job, now, StoryKind::submitted);
  if (first && now - job.submit > 1) event.at = job.submit;
  Totals& totals = stories_[job.id].totals;
  if (first) {
    totals.begin = totals.since = event.at;
  } else {
    totals.enter(Totals::Phase::waits, now);
  }
}

void Stories::take_events(const ClusterView& view, std::span<const Event> events) {
  for (const Event& event : events) {
    if (event.kind == EventKind::resync) {
      take_all(view);
    } else if (event.kind == EventKind::submitted) {
      const JobView& job = view.jobs[event.job];
      if (follows(job)) take_submission(event.job, job, view.now);
      slot(event.job).yield = 0;
    } else if (event.kind == EventKind::completed && event.job < slots_.size() && slots_[event.job].known) {
      Slot& left = slots_[event.job];
      if (only_ || keeps_ended_) {
        Story& story = stories_[left.job];
        story.totals.enter(Totals::Phase::ended, view.now);
        StoryEvent& end = story.events.emplace_back();
        end.at = end.until = view.now;
        end.kind = StoryKind::completed;
      } else {
        stories_.erase(left.job);
      }
      left = {};
    }
  }
}

// The jobs of a new view may have other slots, and some may have left without an event.
void Stories::take_all(const ClusterView& view) {
  slots_.assign(view.jobs.size(), {});
  std::unordered_set<JobId> present;
  for (JobSlot job = 0; job < view.jobs.size(); ++job) {
    const JobView& seen = view.jobs[job];
    if (seen.state == JobState::absent || !follows(seen)) continue;
    present.insert(seen.id);
    slots_[job] = {.job = seen.id, .known = true, .yield = seen.yield};
    const bool first = !stories_.contains(seen.id);
    if (first) add(job, seen, seen.submit, StoryKind::submitted);
    Totals& totals = stories_[seen.id].totals;
    if (first) {
      totals.started = seen.state != JobState::waiting;
      totals.begin = totals.since = totals.started ? view.now : seen.submit;
    }
    if (first || phase_of(seen.state) != totals.phase) totals.enter(phase_of(seen.state), view.now);
  }
  if (!only_ && !keeps_ended_)
    std::erase_if(stories_, [&](const auto& story) { return !present.contains(story.first); });
}

// Of several reasons that concern one job the last one holds.
void Stories::take_reasons(const ClusterView& view, const Decisions& decisions) {
  for (std::size_t k = 0; k < decisions.reasons.size(); ++k) {
    const JobSlot job = decisions.reasons[k].job;
    if (!follows(view.jobs[job])) continue;
    if (slot(job).reason == kNone) touched_.push_back(job);
    slot(job).reason = k;
  }
}

Why Stories::why_of(const ClusterView& view, const Reason& reason) const {
  Why why{reason.kind, std::nullopt, reason.value, reason.limit};
  if (reason.other != kNoSlot) why.other = view.jobs[reason.other].id;
  return why;
}

void Stories::say_why(const ClusterView& view, const Decisions& decisions, JobSlot job, StoryEvent& event) const {
  const std::size_t reason = slots_[job].reason;
  if (reason != kNone) event.why = why_of(view, decisions.reasons[reason]);
}

void Stories::take_placements(const ClusterView& view, const Decisions& decisions) {
  for (const Decision& decision : decisions.placements) {
    const JobView& job = view.jobs[decision.job];
    if (!follows(job)) continue;
    constexpr StoryKind kKinds[] = {StoryKind::paused, StoryKind::moved, StoryKind::resumed, StoryKind::started};
    StoryEvent& event = add(decision.job, job, view.now, kKinds[static_cast<std::size_t>(decision.kind)]);
    count(stories_[job.id].totals, decision.kind, view.now);
    const std::span<const NodeIndex> nodes = decisions.nodes_of(decision);
    event.node_count = distinct_nodes(nodes);
    const std::size_t most = only_ ? nodes.size() : kNodesNamed;
    all_node_runs(nodes, [&](NodeIndex n, std::uint32_t tasks) {
      if (event.nodes.size() >= most) return false;
      event.nodes.push_back({n, tasks});
      return true;
    });
    say_why(view, decisions, decision.job, event);
    Slot& remembered = slot(decision.job);
    if (remembered.reason == kNone) touched_.push_back(decision.job);
    remembered.placed = true;
    if (decision.kind == DecisionKind::pause) remembered.yield = 0;
  }
}

// A wait is reported once for as long as its kind of reason stays, with its first and its newest numbers.
void Stories::take_waiting(const ClusterView& view, const Decisions& decisions, Surroundings& around) {
  for (const JobSlot where : touched_) {
    const Slot& remembered = slots_[where];
    const JobView& job = view.jobs[where];
    if (remembered.placed || remembered.reason == kNone || job.state == JobState::running ||
        job.state == JobState::absent)
      continue;
    const Why why = why_of(view, decisions.reasons[remembered.reason]);
    std::vector<StoryEvent>& events = stories_[job.id].events;
    if (!events.empty() && events.back().kind == StoryKind::waits && events.back().why->kind == why.kind) {
      StoryEvent& last = events.back();
      last.until = view.now;
      last.newest.reset();
      if (why != *last.why) last.newest = why;
      continue;
    }
    StoryEvent& event = add(where, job, view.now, StoryKind::waits);
    event.why = why;
    if (looks_around(view) && lacks_room(why.kind)) event.room = around.room_for(job);
  }
}

void Stories::take_yields(const ClusterView& view, const Decisions& decisions, Surroundings& around) {
  for (const YieldChange& change : decisions.yields) {
    const JobView& job = view.jobs[change.job];
    if (!follows(job)) continue;
    Slot& remembered = slot(change.job);
    if (remembered.placed) {
      StoryEvent& event = stories_[job.id].events.back();
      event.yield = change.yield;
      if (looks_around(view) && change.yield < 1) event.crowd = around.crowd_of(change.job);
    } else if (!keeps_ended_) {
      if (std::abs(change.yield - remembered.yield) < kNotable * remembered.yield) continue;
      const double before = remembered.yield;
      StoryEvent& event =
          add(change.job, job, view.now, change.yield < before ? StoryKind::slowed : StoryKind::sped_up);
      event.before = before;
      event.yield = change.yield;
      if (only_ && change.yield < 1) event.crowd = around.crowd_of(change.job);
    }
    remembered.yield = change.yield;
  }
}

}  // namespace dfrs::record
