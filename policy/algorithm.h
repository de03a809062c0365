// SPDX-License-Identifier: GPL-2.0-or-later
// Algorithms by their paper names: parsed, printed, listed (RR-7659, section 4.5 and table 1).
//
//   SUBMISSION['*'] ['/per' | '/stretch-per'] ['/OPT=' MIN|AVG|MAX] ['/MINVT=' s | '/MINFT=' s]   or  FCFS, EASY,
//   EASY/extra-only
//
// with SUBMISSION one of Greedy, GreedyP, GreedyPM, MCB8 or nothing; spaces are ignored, case too.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "policy/error.h"
#include "policy/mcb8/repack.h"

namespace dfrs {

/// A DFRS algorithm: what happens when (RR-7659, table 1), and how yields are set.
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

/// A batch algorithm: first come first served, with or without EASY's backfilling.
struct BatchAlgorithm {
  enum class Backfill {
    none,        ///< FCFS
    easy,        ///< a job may jump ahead if it ends before the shadow time or uses extra nodes only
    extra_only,  ///< extra nodes only: fits the EASY figures of RR-7659 (see docs/semantics.md)
  };
  Backfill backfill = Backfill::none;
};

using Algorithm = std::variant<DfrsAlgorithm, BatchAlgorithm>;

/// The algorithm of that name. Error bad_algorithm names what is wrong and the nearest valid name. O(names).
tl::expected<Algorithm, Error> parse_algorithm(std::string_view name);

/// The canonical name: paper spelling, OPT= always given for DFRS algorithms. Parses back to the same algorithm.
std::string algorithm_name(const Algorithm& algorithm);

/// What the algorithm does, in one line.
std::string describe_algorithm(const Algorithm& algorithm);

/// FCFS, EASY, EASY/extra-only and the 116 combinations of RR-7659, in the order of its tables.
std::vector<Algorithm> all_algorithms();

}  // namespace dfrs
