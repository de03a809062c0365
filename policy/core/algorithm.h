// SPDX-License-Identifier: GPL-2.0-or-later
// Algorithms by their names: parsed, printed, listed. What names there are says the registry (policy/core/registry.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "policy/core/error.h"
#include "policy/mcb8/remap_limit.h"

namespace dfrs {

class BatchPolicy;
class NonClairvoyantPolicy;
struct EngineOptions;

/// A DFRS algorithm of RR-7659: what happens when (table 1), and how yields are set. Named (section 4.5)
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

/// A batch algorithm: first come first served, with or without EASY's backfilling.
struct BatchAlgorithm {
  enum class Backfill {
    none,        ///< FCFS
    easy,        ///< a job may jump ahead if it ends before the shadow time or uses extra nodes only
    extra_only,  ///< extra nodes only: fits the EASY figures of RR-7659 (see docs/reference/semantics.md)
  };
  Backfill backfill = Backfill::none;
};

/// What hosts must know about a policy before they run it.
struct PolicyTraits {
  /// Jobs share nodes and their CPU. False: a node is one job's alone, and a job needs a node per task (fewer with
  /// BatchOptions::pack_tasks).
  bool shares_nodes = true;
  /// A simulator shows the submissions of one instant in a call each, and carries out what each of them brings about
  /// before the next (SimOptions::events_apart). False: all of them in one call.
  bool submissions_apart = true;
  /// EngineOptions::dfrs.lp_solver must be there.
  bool needs_lp_solver = false;
  /// A job that is not placed when it is submitted is tried again later. False: only by a resync.
  bool takes_up_waiting = true;
  /// A job that finds no room when it is submitted may have others paused or moved for it, so that a host may submit a
  /// waiting job anew when there are more of those.
  bool pauses_for_arrivals = false;
  /// After a resync it decides as it would have done without: all that it remembers can be had from the view. False:
  /// it remembers what no view tells, such as failed attempts, and has to begin with that anew.
  bool resync_forgets_nothing = false;
};

using MakeNonClairvoyant = std::function<std::unique_ptr<NonClairvoyantPolicy>(const EngineOptions&)>;
using MakeBatch = std::function<std::unique_ptr<BatchPolicy>(const EngineOptions&)>;

/// A policy with all its parameters: how it is called, and how to make it. Which of the two kinds it makes says whether
/// it ever sees an estimate.
struct NamedPolicy {
  std::string name;         ///< canonical; parses back to the same policy. No blanks, no commas
  std::string description;  ///< what it does, in one line
  PolicyTraits traits;
  std::variant<MakeNonClairvoyant, MakeBatch> make;
};

/// The first two for what is said in their terms (combinations, plain second implementations); all others by name.
using Algorithm = std::variant<DfrsAlgorithm, BatchAlgorithm, NamedPolicy>;

NamedPolicy named(const DfrsAlgorithm& algorithm);
NamedPolicy named(const BatchAlgorithm& algorithm);
NamedPolicy named(const Algorithm& algorithm);

/// The algorithm of that name. Case does not matter, blanks are ignored. Error bad_algorithm names what is wrong and
/// the nearest valid name. O(names).
tl::expected<Algorithm, Error> parse_algorithm(std::string_view name);

/// The canonical name: as its paper spells it, OPT= always given for RR-7659's. Parses back to the same algorithm.
std::string algorithm_name(const Algorithm& algorithm);

/// What the algorithm does, in one line.
std::string describe_algorithm(const Algorithm& algorithm);

PolicyTraits traits_of(const Algorithm& algorithm);

/// Whether it plans with users' estimates of run times.
bool needs_estimates(const Algorithm& algorithm);

/// RR-7659's: FCFS, EASY, EASY/extra-only and the 116 combinations, in the order of its tables. What else there is:
/// policy_families().
std::vector<Algorithm> all_algorithms();

}  // namespace dfrs
