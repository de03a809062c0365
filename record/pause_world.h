// SPDX-License-Identifier: GPL-2.0-or-later
// What a pause does to the jobs of a simulated run: the worlds that sites live in, as options and records spell them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "policy/core/enum_names.h"
#include "policy/core/view.h"

namespace dfrs::record {

/// What a pause does to a job of a simulated run. Policies see a suspended job as one that keeps its work, and may not
/// move.
enum class PauseEffect : std::uint8_t {
  kept,       ///< Pauses::kept: it goes on later, on any nodes
  lost,       ///< Pauses::lost: it starts over
  none,       ///< Pauses::none: it is never paused
  suspended,  ///< it keeps its work and goes on later, on the same nodes, in whose swap its memory is meanwhile
};

/// What policies see of it.
inline Pauses pauses_seen(PauseEffect effect) {
  return effect == PauseEffect::lost ? Pauses::lost : effect == PauseEffect::none ? Pauses::none : Pauses::kept;
}

/// A part of the jobs can be paused and moved without loss. What a pause does to the others is the same for all of
/// them, unless the workload marks jobs.
struct PauseWorld {
  double kept = 1;                         ///< part of the jobs, 0 .. 1; drawn by `seed`
  PauseEffect others = PauseEffect::none;  ///< all but kept
  std::uint64_t seed = 1;                  ///< of the draw
  bool marked = false;                     ///< the workload's marks say which jobs, and nothing is drawn

  static PauseWorld all(PauseEffect effect) {
    if (effect == PauseEffect::kept) return {1, PauseEffect::none, 1, false};
    return {0, effect, 1, false};
  }
  bool draws() const { return !marked && kept > 0 && kept < 1; }
  /// Whether a job may lose work. A mark may say so of any.
  bool some_lose() const { return some(PauseEffect::lost); }
  /// Whether a job may be suspended. A mark may say so of any.
  bool some_suspended() const { return some(PauseEffect::suspended); }

  friend bool operator==(const PauseWorld&, const PauseWorld&) = default;

 private:
  bool some(PauseEffect effect) const { return marked || (others == effect && kept < 1); }
};

/// The grammar, for help texts and messages.
inline constexpr std::string_view kPauseWorlds =
    "kept, suspended, none, lost, mixed:X[:SEED][/OTHERS] or mixed:marked[/OTHERS], where OTHERS is suspended, none or "
    "lost";

/// "kept", "suspended", "none", "lost", "mixed:0.5:1/none" or "mixed:marked/lost". Parses back to an equal world.
std::string world_text(const PauseWorld& world);
/// Reads a world. Case does not matter. Error: a message that says what was expected.
tl::expected<PauseWorld, std::string> parse_world(std::string_view text);

/// A number in [0, 1) that depends only on the seed and on these properties of a job. Jobs whose number is below a part
/// X can be paused: a larger X adds jobs and takes none away.
double pause_draw(std::uint64_t seed, JobId job, std::uint64_t tasks, Seconds run_time);

}  // namespace dfrs::record

namespace dfrs {

template <>
std::span<const std::string_view> enum_names<record::PauseEffect>();

}  // namespace dfrs
