// SPDX-License-Identifier: GPL-2.0-or-later
// Reduces the feasibility problem of a fixed stretch to its undecided parts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/bound/bound_job.h"

namespace dfrs::sim {

/// What a job still needs during congested time.
struct CongestedJob {
  std::uint32_t job = 0;  ///< index in the span given to congested_parts
  Seconds begin = 0;      ///< release and deadline on a clock that only runs while the platform is congested
  Seconds end = 0;
  double work = 0;   ///< not done outside congested time, > 0
  double rate = 0;   ///< at most the platform's speed
  Seconds size = 0;  ///< BoundJob::size
};

/// Jobs linked by windows that overlap in congested time, by increasing `begin`.
using CongestedPart = std::vector<CongestedJob>;

/// While the rates of all jobs between release and deadline fit the platform together, all of them run at full speed.
/// Jobs completed that way need no more time, which may leave more time uncongested, and so on. What remains splits
/// into parts that share no time: all deadlines for `stretch` can be met if and only if they can in each part. `jobs`
/// by release date, `cpu` > 0. O(n log n) plus O(n) per round; rounds are few.
std::vector<CongestedPart> congested_parts(std::span<const BoundJob> jobs, double cpu, double stretch);

}  // namespace dfrs::sim
