// SPDX-License-Identifier: GPL-2.0-or-later
// Algorithms by name: parsing, printing, listing. The registry (policy/core/registry.h) defines which names exist.
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

/// What a host must know about a policy before it runs it.
struct PolicyTraits {
  /// Jobs share nodes and their CPU. False: a node serves one job at a time, and a job needs a node per task (fewer
  /// with BatchOptions::pack_tasks).
  bool shares_nodes = true;
  /// A simulator shows each submission of an instant in a call of its own, and carries out its decisions before the
  /// next (SimOptions::events_apart). False: all of them in one call.
  bool submissions_apart = true;
  /// A job that is not placed when it is submitted is tried again later. False: only after a resync.
  bool takes_up_waiting = true;
  /// The policy may pause or move running jobs for a job that finds no room when it is submitted. A host may then
  /// submit a waiting job again once more jobs run that could make room.
  bool pauses_for_arrivals = false;
  /// A resync does not change what the policy decides: it can rebuild all that it remembers from the view. False: it
  /// remembers what no view shows, such as failed attempts, and loses that.
  bool resync_forgets_nothing = false;
  /// A yardstick: Estimates must be true run times, which only a simulator has.
  bool knows_run_times = false;
  /// Why no live system can run the policy, as the end of a sentence; empty if one can.
  std::string_view only_simulated = {};
};

using MakeNonClairvoyant = std::function<std::unique_ptr<NonClairvoyantPolicy>(const EngineOptions&)>;
using MakeBatch = std::function<std::unique_ptr<BatchPolicy>(const EngineOptions&)>;

/// A policy with all its parameters: its name and how to make it. Which kind it makes determines whether it sees
/// estimates.
struct Algorithm {
  std::string name;         ///< canonical: parses back to the same policy; no blanks, no commas
  std::string description;  ///< what it does, in one line
  PolicyTraits traits;
  std::variant<MakeNonClairvoyant, MakeBatch> make;
};

/// The algorithm of that name. Case and blanks do not matter. Error bad_algorithm: a message with what is wrong and the
/// nearest valid name. O(names).
tl::expected<Algorithm, Error> parse_algorithm(std::string_view name);

/// The canonical name, spelt as in its paper; RR-7659's always have OPT=. Parses back to the same algorithm.
inline std::string algorithm_name(const Algorithm& algorithm) { return algorithm.name; }

/// Whether the algorithm plans with users' estimates of run times.
inline bool needs_estimates(const Algorithm& algorithm) { return std::holds_alternative<MakeBatch>(algorithm.make); }

}  // namespace dfrs
