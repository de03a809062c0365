// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/triage/triage_policy.h"

#include <algorithm>
#include <cmath>

#include "policy/triage/harm_placer.h"
#include "policy/triage/load_placer.h"

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
    report_yields(view, state, outcome);
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

void TriagePolicy::report_yields(const ClusterView& view, const ClusterState& state, Outcome& outcome) const {
  std::size_t limited = 0;  // sharing's jobs are a subsequence of all that run
  const Sharing& sharing = yields_.sharing();
  for (JobSlot job : sharing.running()) {
    double yield = 1;
    if (limited < sharing.jobs().size() && sharing.jobs()[limited].slot == job) yield = yields_.limited()[limited++];
    const JobView& spec = view.jobs[job];
    const std::span<const NodeIndex> before = state.nodes_before(job);
    const std::span<const NodeIndex> after = state.nodes_of(job);
    const bool stayed =
        spec.state == JobState::running && std::equal(before.begin(), before.end(), after.begin(), after.end());
    if (!stayed || yield != spec.yield) outcome.yields->push_back({job, yield});
  }
}

}  // namespace dfrs
