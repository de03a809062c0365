// SPDX-License-Identifier: GPL-2.0-or-later
// How many processors are free when: a step function of time that conservative backfilling plans on (Feitelson and
// Weil, IPPS/SPDP 1998; the full schedules of Streit, JSSPP 2003, section 5).
//
// Exact: processors are integers and instants are those of the calls, never computed but as start + duration. With n
// steps, finding a start, taking and giving back cost O(n / 64 + 64) each unless free and busy stretches alternate, in
// which case finding one costs O(n) at worst; steps lie side by side in leaves of 64, of which those are skipped that
// offer too little, or enough, as a whole. For the thousands of steps that real backlogs make this is ahead of balanced
// trees, whose searches alternate in the same way.
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
  /// Processors that become free.
  struct Release {
    Seconds time;
    Processors processors;
  };

  AvailabilityProfile() { reset(0, 0); }

  /// `free` processors from `begin` on, and more with every release. Releases are sorted by time, none before `begin`;
  /// those at kNever do not come. O(releases).
  void reset(Seconds begin, Processors free, std::span<const Release> releases = {});

  Seconds begin() const { return heads_.front().first; }
  /// Number of steps, those that equal their neighbour included.
  std::size_t steps() const;

  /// The earliest start >= max(not_before, begin()) with `width` processors free in all of [start, start + duration);
  /// kNever if there is none. Requires duration > 0 (kNever included), width >= 0.
  Seconds earliest_start(Seconds not_before, Seconds duration, Processors width) const;

  /// Free processors at t >= begin().
  Processors free_at(Seconds t) const;

  /// Takes `width` processors in [from, to), begin() <= from < to <= kNever; give() gives them back. Whether they are
  /// there is the caller's care: earliest_start() tells.
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
  // What a search needs of a leaf to pass it by.
  struct Head {
    Seconds first;     // time of its first step
    Processors delta;  // to be added to all its steps
    Processors least;  // over its steps, delta included
    Processors most;
    std::uint32_t leaf;
  };

  std::size_t head_at(Seconds t) const;
  static std::size_t step_at(const Leaf& leaf, Seconds t);
  std::size_t split_at(Seconds t, std::size_t& step);
  void append(Seconds time, Processors free);
  void summarize(Head& head) const;
  void add(Seconds from, Seconds to, Processors amount);

  std::vector<Head> heads_;  // in the order of time
  std::vector<Leaf> leaves_;
};

}  // namespace dfrs
