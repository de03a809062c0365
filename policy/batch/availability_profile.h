// SPDX-License-Identifier: GPL-2.0-or-later
// The number of free processors as a step function of time, on which conservative backfilling plans (Feitelson and
// Weil, IPPS/SPDP 1998; the full schedules of Streit, JSSPP 2003, section 5).
//
// The profile is exact: processors are integers, and every instant comes from a call or is start + duration. Steps lie
// side by side in leaves of 64; a search skips a leaf if all of its steps have too few processors, or all have enough.
// With n steps, finding a start, taking and giving back cost O(n / 64 + 64) each; finding one costs O(n) if short free
// and busy intervals alternate. For the thousands of steps of real backlogs this beats balanced trees, which suffer
// from the same alternation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/units.h"

namespace dfrs {

/// A number of processors, or of whole nodes.
using Processors = std::int32_t;

class AvailabilityProfile {
 public:
  /// Processors that become free at an instant.
  struct Release {
    Seconds time;
    Processors processors;
  };

  AvailabilityProfile() { reset(0, 0); }

  /// Starts over with `free` processors from `begin` on, and more from each release on. Releases are sorted by time,
  /// none is before `begin`, and those at kNever are ignored. O(releases).
  void reset(Seconds begin, Processors free, std::span<const Release> releases = {});

  Seconds begin() const { return heads_.front().first; }
  /// Number of steps, including neighbours with equal values.
  std::size_t steps() const;

  /// The earliest start >= max(not_before, begin()) such that `width` processors are free throughout
  /// [start, start + duration); kNever if there is none. Requires duration > 0, possibly kNever, and width >= 0.
  Seconds earliest_start(Seconds not_before, Seconds duration, Processors width) const;

  /// Free processors at t >= begin().
  Processors free_at(Seconds t) const;

  /// Takes `width` processors in [from, to), where begin() <= from < to <= kNever; give() returns them. The caller must
  /// know from earliest_start() that they are free.
  void take(Seconds from, Seconds to, Processors width) { add(from, to, -width); }
  void give(Seconds from, Seconds to, Processors width) { add(from, to, width); }

 private:
  static constexpr std::size_t kLeaf = 64;

  // Consecutive steps: free[k] + the head's delta holds from time[k] to the next step.
  struct Leaf {
    std::size_t size = 0;
    std::array<Seconds, kLeaf> time;
    std::array<Processors, kLeaf> free;
  };
  // What a search must know to skip a leaf.
  struct Head {
    Seconds first;     // time of its first step
    Processors delta;  // to add to all its steps
    Processors least;  // over its steps, with delta
    Processors most;
    std::uint32_t leaf;
  };

  std::size_t head_at(Seconds t) const;
  static std::size_t step_at(const Leaf& leaf, Seconds t);
  std::size_t split_at(Seconds t, std::size_t& step);
  void append(Seconds time, Processors free);
  void summarize(Head& head) const;
  void add(Seconds from, Seconds to, Processors amount);

  std::vector<Head> heads_;  // in order of time
  std::vector<Leaf> leaves_;
};

}  // namespace dfrs
