// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/bound/divisible.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/bound/edf.h"

namespace dfrs::sim {
namespace {

/// The smallest stretch at which the time from the first release to the last deadline of a set holds all its lengths;
/// any job may have the last deadline.
double stretch_for(const std::vector<std::uint32_t>& set, std::span<const EdfJob> jobs) {
  Seconds total = 0;
  Seconds begin = kNever;
  for (const std::uint32_t j : set) {
    total += jobs[j].length;
    begin = std::min(begin, jobs[j].release);
  }
  double stretch = std::numeric_limits<double>::infinity();
  for (const std::uint32_t j : set) stretch = std::min(stretch, (total - (jobs[j].release - begin)) / jobs[j].weight);
  return stretch;
}

}  // namespace

double divisible_bound(std::span<const BoundJob> jobs, double cpu) {
  double stretch = 1;
  Edf edf;
  std::vector<EdfJob> period;
  for (std::size_t first = 0; first < jobs.size();) {
    // Busy periods do not depend on the order of jobs, so each bounds the stretch on its own. Instants count from the
    // period's beginning, to keep their precision late in a long log.
    const Seconds begin = jobs[first].release;
    Seconds busy = 0;
    period.clear();
    do {
      const BoundJob& job = jobs[first + period.size()];
      period.push_back({job.release - begin, 0, job.work / cpu, job.size});
      busy += period.back().length;
    } while (first + period.size() < jobs.size() && jobs[first + period.size()].release - begin < busy);
    first += period.size();
    for (;;) {
      for (EdfJob& job : period) job.deadline = job.release + stretch * job.weight;
      const std::vector<std::uint32_t>& critical = edf.critical_set(period);
      if (critical.empty()) break;
      const double next = stretch_for(critical, period);
      if (next <= stretch) break;  // late by rounding only
      stretch = next;
    }
  }
  return stretch;
}

}  // namespace dfrs::sim
