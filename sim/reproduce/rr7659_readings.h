// SPDX-License-Identifier: GPL-2.0-or-later
// Readings of what RR-7659 leaves open, by name, for `reproduce rr7659 --assume`. Each changes one thing, or two that
// go together. Those that only count differently are in sim/reproduce/assumptions.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/host/simulation.h"
#include "sim/reproduce/reproduction.h"
#include "sim/workload/lublin.h"

namespace dfrs::sim::rr7659 {

/// Everything that a reading can change; the default is the project's own.
struct Assumed {
  SimOptions sim;
  RigidAmount memory_mib = LublinOptions{}.memory_mib;  ///< of a node of generated workloads
  bool resumes_count = false;  ///< numbers of pauses count the resumes, too; all jobs end, so there are as many
  /// What follows an algorithm's name. Of several, the first that the algorithm takes.
  std::vector<std::string_view> suffixes = {};

  /// The algorithm under these readings, of which some concern only some algorithms.
  std::string algorithm(std::string_view name) const;
};

/// Names and what they assume.
std::span<const ReproductionPart> readings();

/// Applies readings in turn. Errors: kExitInternal for an unknown name.
Result<Assumed> assumed(std::span<const std::string> names);

}  // namespace dfrs::sim::rr7659
