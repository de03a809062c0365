// SPDX-License-Identifier: GPL-2.0-or-later
// The heuristics for CPU of IPDPS 2010, step by step as its section III tells them, over all nodes and jobs.
#pragma once

#include <vector>

#include "tests/oracle/world.h"

namespace dfrs::oracle {

/// By slot, 0 where the job is not placed: all have the highest common yield; then, as long as there is one, the job of
/// lowest total need among those that can have more gets all that it can have.
std::vector<double> lowest_need_yields(const World& world);

/// The same for DYNMCB8-STRETCH-PER, the next tick being `rest` seconds away: the lowest estimated stretch that all can
/// have together, found by bisection; then the job whose estimate falls most per CPU gets all that it can have.
/// `close_call`: two jobs were so near each other once that rounding decides.
std::vector<double> lowest_stretch_yields(const World& world, Seconds rest, bool& close_call);

}  // namespace dfrs::oracle
