// SPDX-License-Identifier: GPL-2.0-or-later
// The deciders of the dynP scheduler family, which choose the next policy (Streit 2003, section 3 and table 1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "policy/batch/planning_queue.h"

namespace dfrs {

/// Ranks of the schedules of the three policies, by QueueOrder: 0 is the best; equal schedules share a rank.
using QualityRanks = std::array<int, 3>;

/// Ranks qualities, of which lower ones are better. Those that are equal to the best of a rank by same_quality() share
/// it.
QualityRanks rank_qualities(const std::array<double, 3>& quality);

/// The cases of table 1. Case 5 describes the same situation as case 4b and counts as 4b.
enum class DeciderCase : std::uint8_t {
  k1,    ///< FCFS = SJF = LJF
  k2,    ///< SJF alone is best, FCFS and LJF differ
  k3,    ///< FCFS alone is best, SJF and LJF differ
  k4a,   ///< LJF alone is best, FCFS < SJF
  k4b,   ///< LJF alone is best, FCFS = SJF
  k4c,   ///< LJF alone is best, FCFS > SJF
  k6a,   ///< FCFS = SJF < LJF, and the policy is FCFS
  k6b,   ///< ... SJF
  k6c,   ///< ... LJF
  k7,    ///< SJF alone is best, FCFS = LJF
  k8a,   ///< FCFS = LJF < SJF, and the policy is FCFS
  k8b,   ///< ... SJF
  k8c,   ///< ... LJF
  k9,    ///< FCFS alone is best, SJF = LJF
  k10a,  ///< SJF = LJF < FCFS, and the policy is FCFS
  k10b,  ///< ... SJF
  k10c,  ///< ... LJF
};
inline constexpr std::size_t kDeciderCases = 17;

/// The name in table 1: "1", "2", "4a", ...
const char* decider_case_name(DeciderCase decided);

/// The case that applies while the policy is `current`.
DeciderCase classify(const QualityRanks& ranks, QueueOrder current);

/// The simple decider: the first of FCFS, SJF and LJF that is best.
QueueOrder decide_simple(const QualityRanks& ranks);
/// The advanced decider: keeps the policy if none is better, and otherwise decides like the simple one.
QueueOrder decide_advanced(const QualityRanks& ranks, QueueOrder current);

/// Bounds of basic dynP on the average estimate of waiting jobs, in seconds: SJF in (0, lower], FCFS in (lower, upper],
/// LJF above.
struct BasicBounds {
  Seconds lower = 7200;
  Seconds upper = 9000;
};
/// The policy for that average; nullopt if it is 0, and the policy stays.
std::optional<QueueOrder> decide_basic(Seconds average_estimate, const BasicBounds& bounds);

}  // namespace dfrs
