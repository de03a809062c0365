// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/oracle/ipdps2010.h"

#include <algorithm>
#include <cmath>

#include "tests/oracle/yields.h"

namespace dfrs::oracle {
namespace {

constexpr double kNothing = 1e-9;  // CPU of a node, relative: less is rounding

double total_need(const World& world, JobSlot job) { return world.jobs[job].cpu_need * world.jobs[job].tasks; }

double unused(const World& world, const std::vector<double>& yields, NodeIndex n) {
  double left = world.nodes[n].spec.cpu;
  for (JobSlot job : world.order) left -= world.jobs[job].cpu_need * world.tasks_on(job, n) * yields[job];
  return left > kNothing * world.nodes[n].spec.cpu ? left : 0;
}

// How much more the job could have.
double more_for(const World& world, const std::vector<double>& yields, JobSlot job) {
  double more = 1 - yields[job];
  for (NodeIndex n : world.jobs[job].nodes) {
    more = std::min(more, unused(world, yields, n) / (world.jobs[job].cpu_need * world.tasks_on(job, n)));
  }
  return more > 1e-12 ? more : 0;
}

}  // namespace

std::vector<double> lowest_need_yields(const World& world) {
  std::vector<double> yields(world.jobs.size(), 0.0);
  for (JobSlot job : world.order) {
    if (world.jobs[job].placed()) yields[job] = common_yield(world);
  }
  for (;;) {
    JobSlot chosen = kNoSlot;
    for (JobSlot job : world.order) {
      if (!world.jobs[job].placed() || more_for(world, yields, job) == 0) continue;
      if (chosen == kNoSlot || total_need(world, job) < total_need(world, chosen)) chosen = job;
    }
    if (chosen == kNoSlot) return yields;
    yields[chosen] += more_for(world, yields, chosen);
  }
}

std::vector<double> lowest_stretch_yields(const World& world, Seconds rest, bool& close_call) {
  close_call = false;
  const double floor = std::min(0.01, common_yield(world));
  const auto flow = [&](JobSlot job) { return world.flow_time(job) + rest; };
  const auto estimate = [&](JobSlot job, double yield) {
    return flow(job) / (world.jobs[job].virtual_time + yield * rest);
  };
  const auto yields_for = [&](double stretch) {
    std::vector<double> yields(world.jobs.size(), 0.0);
    for (JobSlot job : world.order) {
      if (!world.jobs[job].placed()) continue;
      yields[job] = std::clamp((flow(job) / stretch - world.jobs[job].virtual_time) / rest, floor, 1.0);
    }
    return yields;
  };
  // Some target below 1 gives everybody full speed; none is as high as the second.
  double too_low = 1e-9;
  double reached = 1e12;
  if (yields_fit(world, yields_for(too_low), 1e-10)) reached = too_low;
  for (int k = 0; k < 200 && reached > too_low; ++k) {
    const double middle = std::sqrt(too_low * reached);
    (yields_fit(world, yields_for(middle), 1e-10) ? reached : too_low) = middle;
  }
  std::vector<double> yields = yields_for(reached);
  for (;;) {
    JobSlot chosen = kNoSlot;
    double best = 0;
    for (JobSlot job : world.order) {
      if (!world.jobs[job].placed()) continue;
      const double more = more_for(world, yields, job);
      if (more == 0) continue;
      const double gain =
          (estimate(job, yields[job]) - estimate(job, yields[job] + more)) / (more * total_need(world, job));
      close_call = close_call || (chosen != kNoSlot && std::abs(gain - best) < 1e-6 * best);
      if (chosen == kNoSlot || gain > best) {
        chosen = job;
        best = gain;
      }
    }
    if (chosen == kNoSlot) return yields;
    yields[chosen] += more_for(world, yields, chosen);
  }
}

}  // namespace dfrs::oracle
