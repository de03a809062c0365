// SPDX-License-Identifier: GPL-2.0-or-later
// Takes out of the feasibility problem of a fixed stretch all that is decided anyway.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/bound/bound_job.h"

namespace dfrs::sim {

/// What a job still needs in congested time.
struct CongestedJob {
  std::uint32_t job = 0;  ///< index in the span given to congested_parts
  Seconds begin = 0;      ///< release and deadline on a clock that only runs while the platform is congested
  Seconds end = 0;
  double work = 0;   ///< not done outside congested time, > 0
  double rate = 0;   ///< at most the platform's speed
  Seconds size = 0;  ///< BoundJob::size
};

/// Jobs connected by windows that overlap in congested time, by increasing `begin`.
using CongestedPart = std::vector<CongestedJob>;

/// Time where the rates of all jobs between release and deadline fit the platform together is theirs at full speed.
/// Jobs this completes need nothing of the rest, which may leave more time uncongested, and so on. What remains falls
/// apart into parts that share no time: every job can meet its deadline for `stretch` if and only if this is so in each
/// part. `jobs` by release date, `cpu` > 0. O(n log n) and O(n) per round; rounds are few.
std::vector<CongestedPart> congested_parts(std::span<const BoundJob> jobs, double cpu, double stretch);

}  // namespace dfrs::sim
