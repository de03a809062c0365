// SPDX-License-Identifier: GPL-2.0-or-later
// Which policy comes next: the deciders of the dynP scheduler family (Streit 2003, section 3 and table 1).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "policy/batch/planning_queue.h"

namespace dfrs {

/// Places of three schedules by their quality, by QueueOrder: 0 for the best; equal ones share a place.
using QualityRanks = std::array<int, 3>;

/// Lower qualities are better; those that same_quality() calls equal share a place with the best of them.
QualityRanks rank_qualities(const std::array<double, 3>& quality);

/// The cases of table 1. Case 5 is case 4b said in other words, and is counted as 4b.
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

/// As table 1 has it: "1", "2", "4a", ...
const char* decider_case_name(DeciderCase decided);

DeciderCase classify(const QualityRanks& ranks, QueueOrder current);

/// FCFS before SJF before LJF among the best.
QueueOrder decide_simple(const QualityRanks& ranks);
/// Stays with the policy if none is better, else as the simple one.
QueueOrder decide_advanced(const QualityRanks& ranks, QueueOrder current);

/// Bounds of basic dynP on the average estimated run time of waiting jobs: SJF in (0, lower], FCFS in (lower, upper],
/// LJF above.
struct BasicBounds {
  Seconds lower = 7200;
  Seconds upper = 9000;
};
/// Nothing where the average is 0: the policy stays.
std::optional<QueueOrder> decide_basic(Seconds average_estimate, const BasicBounds& bounds);

}  // namespace dfrs
