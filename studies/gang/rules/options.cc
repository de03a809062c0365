// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/gang/rules/options.h"

#include <utility>

#include "studies/gang/rules/machine_set.h"

namespace dfrs::gang {

tl::expected<void, std::string> check(const Options& o) {
  const auto wrong = [](std::string why) { return tl::unexpected(std::move(why)); };
  if (o.machine_limit < 1 || o.machine_limit > kMaxMachines) {
    return wrong("the limit on leased machines must be from 1 to " + std::to_string(kMaxMachines) + ", not " +
                 std::to_string(o.machine_limit));
  }
  if (o.machine_minimum > o.machine_limit) {
    return wrong(std::to_string(o.machine_minimum) + " machines are to be leased at all times, but the limit is " +
                 std::to_string(o.machine_limit));
  }
  if (!(o.starvation_threshold >= 1)) return wrong("the X-factor of starvation must be at least 1");
  if (!(o.load_threshold >= 0)) return wrong("the load threshold must not be negative");
  return {};
}

std::string_view name(Scheduler scheduler) { return scheduler == Scheduler::afcfs ? "AFCFS" : "LJFS"; }

std::string_view name(Migration migration) {
  switch (migration) {
    case Migration::none:
      return "none";
    case Migration::first_fit:
      return "FF";
    case Migration::best_fit:
      return "BF";
  }
  return "";
}

}  // namespace dfrs::gang
