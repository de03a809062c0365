// SPDX-License-Identifier: GPL-2.0-or-later
// The algorithms of RR-5724's table 1, by name.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <tl/expected.hpp>

#include "policy/core/error.h"
#include "studies/divisible/rules/flow_solver.h"
#include "studies/divisible/rules/model.h"
#include "studies/divisible/rules/readings.h"

namespace dfrs::divisible {

enum class Algorithm {
  offline,
  online,
  online_edf,
  online_egdf,
  bender98,
  swrpt,
  srpt,
  spt,
  bender02,
  mct_div,
  mct,
};

/// All algorithms, in the order of the paper's table.
std::span<const Algorithm> all_algorithms();

/// As the paper spells it: "Online-EGDF".
std::string_view algorithm_name(Algorithm algorithm);
/// A line on what it does.
std::string_view describe(Algorithm algorithm);
/// Ignores case. Errors: bad_algorithm, naming the nearest.
tl::expected<Algorithm, Error> parse_algorithm(std::string_view name);

/// A new scheduler. `jobs`: all jobs of the instance, which only Offline uses, to plan during this call, and
/// Bender02Reading::instance. `platform` and `solver` must outlive it.
std::unique_ptr<Scheduler> make_scheduler(Algorithm algorithm, const Platform& platform, std::span<const JobView> jobs,
                                          FlowSolver& solver, const Readings& readings = {});

}  // namespace dfrs::divisible
