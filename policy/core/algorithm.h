// SPDX-License-Identifier: GPL-2.0-or-later
// Algorithms by their names: parsed, printed, listed. What names there are says the registry (policy/core/registry.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>

#include "policy/core/error.h"

namespace dfrs {

class BatchPolicy;
class NonClairvoyantPolicy;
class EngineOptions;

/// What hosts must know about a policy before they run it.
struct PolicyTraits {
  /// Jobs share nodes and their CPU. False: a node is one job's alone, and a job needs a node per task (fewer with
  /// BatchOptions::pack_tasks).
  bool shares_nodes = true;
  /// A simulator shows the submissions of one instant in a call each, and carries out what each of them brings about
  /// before the next (SimOptions::events_apart). False: all of them in one call.
  bool submissions_apart = true;
  /// EngineOptions::lp_solver must be there.
  bool needs_lp_solver = false;
  /// A job that is not placed when it is submitted is tried again later. False: only by a resync.
  bool takes_up_waiting = true;
  /// A job that finds no room when it is submitted may have others paused or moved for it, so that a host may submit a
  /// waiting job again when there are more of those.
  bool pauses_for_arrivals = false;
  /// After a resync it decides as it would have done without: all that it remembers can be had from the view. False:
  /// it remembers what no view tells, such as failed attempts, and has to start over with that.
  bool resync_forgets_nothing = false;
};

using MakeNonClairvoyant = std::function<std::unique_ptr<NonClairvoyantPolicy>(const EngineOptions&)>;
using MakeBatch = std::function<std::unique_ptr<BatchPolicy>(const EngineOptions&)>;

/// A policy with all its parameters: how it is called, and how to make it. Which of the two kinds it makes says whether
/// it ever sees an estimate.
struct Algorithm {
  std::string name;         ///< canonical: parses back to the same policy. No blanks, no commas
  std::string description;  ///< what it does, in one line
  PolicyTraits traits;
  std::variant<MakeNonClairvoyant, MakeBatch> make;
};

/// The algorithm of that name. Case does not matter, blanks are ignored. Error bad_algorithm names what is wrong and
/// the nearest valid name. O(names).
tl::expected<Algorithm, Error> parse_algorithm(std::string_view name);

/// The canonical name: as its paper spells it, OPT= always given for RR-7659's. Parses back to the same algorithm.
inline std::string algorithm_name(const Algorithm& algorithm) { return algorithm.name; }

/// Whether it plans with users' estimates of run times.
inline bool needs_estimates(const Algorithm& algorithm) { return std::holds_alternative<MakeBatch>(algorithm.make); }

}  // namespace dfrs
