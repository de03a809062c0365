// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/yields.h"

#include <algorithm>

namespace dfrs::oracle {

std::vector<double> max_min_yields(const World& world) {
  std::vector<double> yields(world.jobs.size(), 0.0);
  std::vector<bool> fixed(world.jobs.size(), true);
  for (JobSlot job : world.order) fixed[job] = !world.jobs[job].placed();
  constexpr double kSame = 1e-12;  // shares that differ by rounding alone
  for (;;) {
    double level = 1;
    std::vector<double> share(world.nodes.size(), 1.0);
    for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
      double left = world.nodes[n].spec.cpu;
      double open = 0;
      for (JobSlot job : world.order) {
        const double need = world.jobs[job].cpu_need * world.tasks_on(job, n);
        if (fixed[job]) {
          left -= need * yields[job];
        } else {
          open += need;
        }
      }
      if (open > 0) share[n] = left / open;
      level = std::min(level, share[n]);
    }
    bool any = false;
    for (JobSlot job : world.order) {
      if (fixed[job]) continue;
      bool stops = level >= 1;
      for (NodeIndex n : world.jobs[job].nodes) stops = stops || share[n] <= level * (1 + kSame);
      if (!stops) continue;
      yields[job] = level;
      any = true;
    }
    for (JobSlot job : world.order) fixed[job] = fixed[job] || yields[job] > 0;
    if (!any) return yields;
  }
}

double common_yield(const World& world) {
  double largest = 1;
  for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
    largest = std::max(largest, world.load(n) / world.nodes[n].spec.cpu);
  }
  return 1 / largest;
}

bool yields_fit(const World& world, const std::vector<double>& yields, double tolerance) {
  for (NodeIndex n = 0; n < world.nodes.size(); ++n) {
    double used = 0;
    for (JobSlot job : world.order) used += world.jobs[job].cpu_need * world.tasks_on(job, n) * yields[job];
    if (used > world.nodes[n].spec.cpu * (1 + tolerance)) return false;
  }
  for (JobSlot job : world.order) {
    if (world.jobs[job].placed() && (!(yields[job] > 0) || yields[job] > 1)) return false;
  }
  return true;
}

}  // namespace dfrs::oracle
