// SPDX-License-Identifier: GPL-2.0-or-later
// The DFRS algorithms of RR-7659 by their parts. Their names are read and written in policy/rr7659/family.cc.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "policy/core/algorithm.h"
#include "policy/mcb8/remap_limit.h"

namespace dfrs {

/// What happens when (table 1), and how yields are set. Named (section 4.5)
///
///   SUBMISSION['*'] ['/per' | '/stretch-per'] ['/OPT=' MIN|AVG|MAX] ['/MINVT=' s | '/MINFT=' s]
///
/// with SUBMISSION one of Greedy, GreedyP, GreedyPM, MCB8 or nothing.
struct DfrsAlgorithm {
  enum class Submission { nothing, greedy, greedy_p, greedy_pm, mcb8 };
  enum class Periodic { nothing, mcb8, mcb8_stretch };
  enum class Objective { min_yield, avg_yield, max_stretch, avg_stretch };

  Submission on_submission = Submission::nothing;
  bool opportunistic = false;  ///< "*": also act at completions, by Greedy or MCB8 as on submission
  Periodic periodic = Periodic::nothing;
  Objective objective = Objective::min_yield;
  RemapLimit limit;
};

Algorithm named(const DfrsAlgorithm& algorithm);

/// The parts of an algorithm of this family; nothing for others.
std::optional<DfrsAlgorithm> dfrs_algorithm(const Algorithm& algorithm);

/// The 116 combinations of table 1, in its order.
std::vector<DfrsAlgorithm> table1_algorithms();

/// What RR-7659 compares: FCFS, EASY, EASY/extra-only and the 116 combinations, in the order of its tables.
std::vector<Algorithm> rr7659_algorithms();

}  // namespace dfrs
