// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/triage_policy.h"

#include <algorithm>
#include <cmath>

#include "policy/triage/harm_placer.h"
#include "policy/triage/load_placer.h"
#include "policy/yield/changes.h"

namespace dfrs {
namespace {

// While jobs wait, they are looked at again when the youngest has waited a tenth longer: urgencies have then changed by
// a tenth at the most.
constexpr double kLookAgain = 0.1;
constexpr Seconds kLookAgainLeast = 2;
constexpr Seconds kLookAgainMost = 300;

std::unique_ptr<triage::Placer> make_placer(TriageParts::Placement placement, const TriageOptions& options) {
  if (placement == TriageParts::Placement::load) return std::make_unique<triage::LoadPlacer>();
  return std::make_unique<triage::HarmPlacer>(options);
}

}  // namespace

TriagePolicy::TriagePolicy(const TriageParts& parts, const TriageOptions& options)
    : options_(options), placer_(make_placer(parts.placement, options)), yields_(parts.yields, options) {
  if (parts.moves != TriageParts::Moves::none) moves_.emplace(parts.moves, parts.yields, options);
}

void TriagePolicy::decide(const ClusterView& view, std::span<const Event> events, ClusterState& state,
                          Outcome& outcome) {
  const Seconds now = view.now;
  placer_->begin(view, state);
  bool admitted = !events.empty() || now >= next_admission_;
  const bool changed = admitted && admission_.run(view, state, *placer_, options_);
  const bool move = moves_ && now >= next_moves_;
  if (changed || move || !events.empty() || now >= next_level_) {
    yields_.solve(view, state);
    if (move && moves_->run(view, state, *placer_, options_, yields_)) {
      admitted = true;
      if (admission_.run(view, state, *placer_, options_)) yields_.solve(view, state);
    }
    name_yields(yields_.sharing(), yields_.limited(), view, state, outcome);
    next_level_ = std::max(std::nextafter(now, kNever), yields_.next_level(view));
  }
  if (admitted) {
    next_admission_ = admission_.waiting() ? now + std::clamp(kLookAgain * admission_.shortest_wait(),
                                                              kLookAgainLeast * options_.time_scale,
                                                              kLookAgainMost * options_.time_scale)
                                           : kNever;
  }
  if (!moves_ || yields_.limited().empty()) {
    next_moves_ = kNever;
  } else if (next_moves_ == kNever || now >= next_moves_) {
    next_moves_ = (std::floor(now / moves_->rule().period) + 1) * moves_->rule().period;
  }
  outcome.wake_at = std::min({next_admission_, next_moves_, next_level_});
}

}  // namespace dfrs
