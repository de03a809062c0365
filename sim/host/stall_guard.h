// SPDX-License-Identifier: GPL-2.0-or-later
// Ends simulations that would never end, or only after a senseless number of ticks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "policy/core/units.h"

namespace dfrs::sim {

/// What a simulation has come to, at a tick.
struct StallSnapshot {
  Seconds now = 0;
  std::size_t jobs = 0;       ///< in the system
  std::size_t running = 0;    ///< of them
  Seconds done = 0;           ///< work of these jobs, in seconds at full speed
  Seconds left = 0;           ///< of the same
  Seconds last_penalty = 0;   ///< when the last penalty ends
  std::uint64_t changes = 0;  ///< starts, pauses, moves and resumes since the beginning
};

/// Watches ticks between which no job is submitted or completes. Pauses and moves can consume all progress, with a
/// period no longer than the penalty (RR-7659, section 6.4.2); or ticks can be so many that the end is out of reach.
class StallGuard {
 public:
  static constexpr std::uint64_t kWindow = 100'000;        ///< ticks between two snapshots
  static constexpr std::uint64_t kMostTicks = 50'000'000;  ///< that the jobs in the system may take

  /// A job was submitted or has completed.
  void progress() {
    ticks_ = 0;
    before_.reset();
  }
  /// Counts a tick. True when it is time for a snapshot.
  bool tick() { return ++ticks_ % kWindow == 0; }
  /// Error: why the simulation should end, as a sentence for users. The first snapshot is only what the next is
  /// compared with.
  tl::expected<void, std::string> judge(const StallSnapshot& now);

 private:
  std::uint64_t ticks_ = 0;
  std::optional<StallSnapshot> before_;
};

}  // namespace dfrs::sim
