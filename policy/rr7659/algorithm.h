// SPDX-License-Identifier: GPL-2.0-or-later
// The DFRS algorithms of RR-7659 and their parts. policy/rr7659/family.cc reads and writes their names.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "policy/core/algorithm.h"
#include "policy/mcb8/remap_limit.h"
#include "policy/mcb8/ties.h"

namespace dfrs {

/// Which rule acts at which event (table 1), and how yields are set. Names (section 4.5) have the form
///
///   SUBMISSION['*'] ['/per' | '/stretch-per'] ['/OPT=' MIN|AVG|MAX] ['/MINVT=' s | '/MINFT=' s]
///
/// where SUBMISSION is Greedy, GreedyP, GreedyPM, MCB8 or empty. Four more parts are readings of what the
/// paper leaves open: '/TIES=' PRIORITY|NEWEST, '/FILL', '/PLACE=FIRST' and '/FINE'.
struct DfrsAlgorithm {
  enum class Submission { nothing, greedy, greedy_p, greedy_pm, mcb8 };
  enum class Periodic { nothing, mcb8, mcb8_stretch };
  enum class Objective { min_yield, avg_yield, max_stretch, avg_stretch };

  Submission on_submission = Submission::nothing;
  bool opportunistic = false;  ///< "*": also act at completions, with Greedy or, if it acts on submission, MCB8
  Periodic periodic = Periodic::nothing;
  Objective objective = Objective::min_yield;
  RemapLimit limit;
  Ties ties = Ties::oldest;
  bool fills = false;         ///< "*" also acts after a periodic repack, for the jobs that it left out
  bool fine = false;          ///< MCB8-stretch: searches to an accuracy of kFineAccuracy
  bool places_first = false;  ///< GreedyP, GreedyPM: the new job is placed before it is decided which marked jobs stay
};

/// The algorithm with its canonical name.
Algorithm named(const DfrsAlgorithm& algorithm);

/// The parts of an algorithm of this family; nullopt for others.
std::optional<DfrsAlgorithm> dfrs_algorithm(const Algorithm& algorithm);

/// The 116 combinations of table 1, in the order of the table.
std::vector<DfrsAlgorithm> table1_algorithms();

/// The algorithms that RR-7659 compares: FCFS, EASY, EASY/extra-only and the 116 combinations, in the order of its
/// tables.
std::vector<Algorithm> rr7659_algorithms();

}  // namespace dfrs
