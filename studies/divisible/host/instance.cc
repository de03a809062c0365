// SPDX-License-Identifier: GPL-2.0-or-later
#include "studies/divisible/host/instance.h"

#include <fmt/format.h>

#include <cmath>

namespace dfrs::sim::divisible {

double stretch_weight(const dfrs::divisible::Platform& platform, const Job& job, StretchBasis basis) {
  return (basis == StretchBasis::platform ? platform.power() : platform.reach(job.databank)) / job.size;
}

Result<void> check(const Instance& instance) {
  const auto fail = [&](const std::string& what) { return input_error(instance.name + ": " + what); };
  std::vector<char> held(instance.databanks, 0);
  for (std::size_t c = 0; c < instance.clusters.size(); ++c) {
    const dfrs::divisible::Cluster& cluster = instance.clusters[c];
    if (cluster.processors < 1) return fail(fmt::format("cluster {} has {} processors", c, cluster.processors));
    if (!std::isfinite(cluster.speed) || cluster.speed <= 0) {
      return fail(fmt::format("the speed of cluster {} is {}, expected a number > 0", c, cluster.speed));
    }
    for (std::size_t k = 0; k < cluster.databanks.size(); ++k) {
      const dfrs::divisible::DatabankIndex d = cluster.databanks[k];
      if (d >= instance.databanks) {
        return fail(fmt::format("cluster {} holds databank {}, but there are only {}, numbered from 0", c, d,
                                instance.databanks));
      }
      if (k > 0 && cluster.databanks[k - 1] >= d) {
        return fail(fmt::format("the databanks of cluster {} are not ascending, or one is listed twice", c));
      }
      held[d] = 1;
    }
  }
  Seconds before = 0;
  for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
    const Job& job = instance.jobs[j];
    if (!std::isfinite(job.release) || job.release < before) {
      return fail(fmt::format("job {} is released at {}, expected jobs by release from 0 on", j, job.release));
    }
    before = job.release;
    if (!std::isfinite(job.size) || job.size <= 0) {
      return fail(fmt::format("the size of job {} is {}, expected a number > 0", j, job.size));
    }
    if (job.databank >= instance.databanks || held[job.databank] == 0) {
      return fail(fmt::format("job {} needs databank {}, which no cluster holds", j, job.databank));
    }
  }
  return {};
}

}  // namespace dfrs::sim::divisible
