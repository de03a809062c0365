// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/job_times.h"

#include <algorithm>

namespace dfrs::sim {

void JobTimesObserver::count(JobSlot job, Seconds now) {
  Track& track = tracks_[job];
  JobTimes& times = times_[job];
  const Seconds length = now - track.since;
  switch (track.state) {
    case JobState::absent:
      break;
    case JobState::waiting:
      times.to_start += length;
      break;
    case JobState::paused:
      times.paused += length;
      break;
    case JobState::running: {
      const Seconds serving = std::clamp(track.penalty_end - track.since, 0.0, length);
      times.penalty += serving;
      times.work += track.yield * (length - serving);
      times.shared += (1 - track.yield) * (length - serving);
      break;
    }
  }
  track.since = now;
}

void JobTimesObserver::on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  const Seconds now = view.now;
  for (const Event& event : events) {
    count(event.job, now);
    if (event.kind == EventKind::submitted) tracks_[event.job].state = JobState::waiting;
    if (event.kind == EventKind::completed) tracks_[event.job].state = JobState::absent;
  }
  for (const Decision& decision : decisions.placements) {
    count(decision.job, now);
    Track& track = tracks_[decision.job];
    track.state = decision.kind == DecisionKind::pause ? JobState::paused : JobState::running;
    const bool pays = decision.kind == DecisionKind::resume || decision.kind == DecisionKind::move;
    track.penalty_end = pays ? now + penalty_ : now;
  }
  for (const YieldChange& change : decisions.yields) {
    count(change.job, now);
    tracks_[change.job].yield = change.yield;
  }
}

}  // namespace dfrs::sim
