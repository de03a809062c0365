// SPDX-License-Identifier: GPL-2.0-or-later
// What a pause does to the jobs of a simulated run: the worlds that sites live in, as options and records spell them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "policy/core/view.h"

namespace dfrs::record {

/// A part of the jobs can be paused and moved without loss. What a pause does to the others is the same for all of
/// them, unless the workload marks jobs.
struct PauseWorld {
  double kept = 1;               ///< part of the jobs, 0 .. 1; drawn by `seed`
  Pauses others = Pauses::none;  ///< none or lost
  std::uint64_t seed = 1;        ///< of the draw
  bool marked = false;           ///< the workload's marks say which jobs, and nothing is drawn

  static PauseWorld all(Pauses pauses) {
    return {pauses == Pauses::kept ? 1.0 : 0.0, pauses == Pauses::lost ? Pauses::lost : Pauses::none, 1, false};
  }
  bool draws() const { return !marked && kept > 0 && kept < 1; }
  /// Whether a job may lose work. A mark may say so of any.
  bool some_lose() const { return marked || (others == Pauses::lost && kept < 1); }

  friend bool operator==(const PauseWorld&, const PauseWorld&) = default;
};

/// The grammar, for help texts and messages.
inline constexpr std::string_view kPauseWorlds =
    "kept, none, lost, mixed:X[:SEED][/none|/lost] or mixed:marked[/none|/lost]";

/// "kept", "none", "lost", "mixed:0.5:1/none" or "mixed:marked/lost". Parses back to an equal world.
std::string world_text(const PauseWorld& world);
/// Reads a world. Case does not matter. Error: a message that says what was expected.
tl::expected<PauseWorld, std::string> parse_world(std::string_view text);

/// A number in [0, 1) that depends only on the seed and on these properties of a job. Jobs whose number is below a part
/// X can be paused: a larger X adds jobs and takes none away.
double pause_draw(std::uint64_t seed, JobId job, std::uint64_t tasks, Seconds run_time);

}  // namespace dfrs::record
