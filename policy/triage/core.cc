// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/core.h"

#include <algorithm>
#include <cmath>

#include "policy/triage/harm_placer.h"
#include "policy/triage/load_placer.h"

namespace dfrs::triage {
namespace {

// Waiting jobs are reconsidered when the one with the shortest wait has waited a tenth longer: by then urgencies have
// changed by a tenth at most.
constexpr double kAfterWait = 0.1;
constexpr Seconds kAfterLeast = 2;
constexpr Seconds kAfterMost = 300;

std::unique_ptr<Placer> make_placer(TriageParts::Placement placement) {
  if (placement == TriageParts::Placement::load) return std::make_unique<LoadPlacer>();
  return std::make_unique<HarmPlacer>();
}

Instant instant_of(const ClusterView& view, const ClusterState& state) {
  double heaviest = 0;
  std::size_t kept = 0;
  for (JobSlot job : state.active()) {
    heaviest = std::max(heaviest, view.jobs[job].weight);
    if (view.jobs[job].pauses == Pauses::kept) ++kept;
  }
  return {view.now, heaviest > 0 ? heaviest : 1, static_cast<double>(state.node_count()), kept > 0,
          kept == state.active().size()};
}

}  // namespace

Core::Core(const TriageParts& parts, const TriageOptions& options)
    : options_(options),
      placer_(make_placer(parts.placement)),
      admission_(parts.pauses),
      yields_(parts.yields, options) {
  if (parts.moves != TriageParts::Moves::none) moves_.emplace(parts.moves, options);
}

void Core::decide(const ClusterView& view, const Times& times, std::span<const Event> events, ClusterState& state,
                  Outcome& outcome) {
  const Seconds now = view.now;
  residents_.begin(view, events, state);
  DecisionContext context{view, state, residents_, instant_of(view, state), options_, events, times.known, times.limit};
  placer_->begin(context);
  yields_.begin(view, events, state, context.at, times.known);

  bool admitted = !events.empty() || now >= next_admission_;
  if (admitted) admission_.run(context, *placer_);
  yields_.update(view, state, residents_);
  if (moves_ && now >= next_moves_ && moves_->run(context, *placer_, yields_)) {
    admitted = true;
    if (admission_.run(context, *placer_)) yields_.update(view, state, residents_);
  }
  placer_->end(context);
  yields_.append_changes(view, state, outcome);

  if (admitted) {
    next_admission_ = admission_.waiting()
                          ? now + std::clamp(kAfterWait * admission_.shortest_wait(), kAfterLeast * options_.time_scale,
                                             kAfterMost * options_.time_scale)
                          : kNever;
  }
  if (!moves_ || !yields_.anyone_limited(state)) {
    next_moves_ = kNever;
  } else if (next_moves_ == kNever || now >= next_moves_) {
    next_moves_ = (std::floor(now / moves_->rule().period) + 1) * moves_->rule().period;
  }
  const Seconds next_look = std::max(std::nextafter(now, kNever), yields_.next_look(state));
  outcome.wake_at = std::min({next_admission_, next_moves_, next_look});
}

}  // namespace dfrs::triage
