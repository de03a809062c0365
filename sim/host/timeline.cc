// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/timeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace dfrs::sim {

Timeline::Timeline(OutputFile& output, ConstantColumns more) : output_(&output), more_(std::move(more)) {
  // An error is that of failure() and commit(), here and below.
  (void)output_->write("job,from,to,state,yield,virtual_time,nodes" + more_.heading() + '\n');
}

Timeline::Track& Timeline::track(JobSlot job) {
  if (job >= tracks_.size()) tracks_.resize(job + 1);
  return tracks_[job];
}

void Timeline::row(const JobView& job, Seconds from, Seconds to, std::string_view state, Seconds virtual_time,
                   const Track& track) {
  if (to > from) {
    (void)output_->write(fmt::format("{},{},{},{},{},{},{}{}\n", job.id, from, to, state,
                                     state == "penalty" ? 0 : track.yield, virtual_time, fmt::join(track.nodes, " "),
                                     more_.row()));
  }
}

// The view is from before the decisions, so it has the progress of the interval that ends now.
void Timeline::close(const ClusterView& view, JobSlot job) {
  Track& t = track(job);
  const JobView& seen = view.jobs[job];
  const Seconds now = view.now;
  switch (t.state) {
    case JobState::absent:
      break;
    case JobState::waiting:
      row(seen, t.since, now, "waiting", seen.virtual_time(now), t);
      break;
    case JobState::paused:
      row(seen, t.since, now, "paused", seen.virtual_time(now), t);
      break;
    case JobState::running: {
      // A clock that is ahead of the interval's begin serves a penalty until then.
      const Seconds served = std::clamp(seen.clock.since, t.since, now);
      row(seen, t.since, served, "penalty", seen.clock.base, t);
      row(seen, served, now, "running", seen.virtual_time(now), t);
      break;
    }
  }
  t.since = now;
}

void Timeline::on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) {
  for (const Event& event : events) {
    if (event.kind == EventKind::submitted) {
      track(event.job) = {JobState::waiting, view.now, 0, {}};
    } else if (event.kind == EventKind::completed) {
      close(view, event.job);
      track(event.job) = {};
    }
  }
  for (const Decision& decision : decisions.placements) {
    close(view, decision.job);
    Track& t = track(decision.job);
    t.state = decision.kind == DecisionKind::pause ? JobState::paused : JobState::running;
    const auto nodes = decisions.nodes_of(decision);
    t.nodes.assign(nodes.begin(), nodes.end());
    if (t.state == JobState::paused) {
      t.yield = 0;
      t.nodes.clear();
    }
  }
  for (const YieldChange& change : decisions.yields) {
    close(view, change.job);
    track(change.job).yield = change.yield;
  }
}

}  // namespace dfrs::sim
