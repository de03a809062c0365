// SPDX-License-Identifier: GPL-2.0-or-later
// Gang scheduling on leased machines, literally (docs/reference/semantics.md): machines have queues of tasks, and every
// event recomputes everything from them.
#pragma once

#include <string>
#include <vector>

#include "studies/gang/host/elastic_simulation.h"
#include "studies/gang/rules/options.h"
#include "tests/oracle/dice.h"

namespace dfrs::oracle {

struct GangCase {
  gang::Options options;
  std::vector<sim::GangJob> jobs;     ///< in the order of arrival
  std::vector<Seconds> setup_delays;  ///< by request; more than enough
};

/// What happened, a line each: "3.5 start 2". Gangs are named by their order of arrival.
struct GangStory {
  std::vector<std::string> lines;
  double lease_time = 0;
};

/// Small clusters under load with every option; times on a grid, so that events coincide, or anywhere.
GangCase random_gang_case(Dice& dice);

GangStory run_plainly(const GangCase& from);
/// The same from the product.
GangStory run_product(const GangCase& from, sim::GangObserver* also = nullptr);

}  // namespace dfrs::oracle
