// SPDX-License-Identifier: GPL-2.0-or-later
// Small random instances of divisible load: many ties and coincidences, or none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/workload/random.h"
#include "studies/divisible/host/instance.h"

namespace dfrs::sim::divisible {

/// 1 .. most_jobs jobs on 1 .. 3 clusters with 1 .. 3 databanks. Every third seed has whole numbers throughout; every
/// third has release dates that differ by less than a picosecond, where milestones nearly coincide.
inline Instance random_instance(std::uint64_t seed, int most_jobs) {
  Random random(seed, 77);
  const bool whole = seed % 3 == 0;
  const bool close = seed % 3 == 1;
  Instance instance;
  instance.name = "random-" + std::to_string(seed);
  instance.databanks = static_cast<std::size_t>(random.uniform_integer(1, 3));
  instance.clusters.resize(static_cast<std::size_t>(random.uniform_integer(1, 3)));
  for (dfrs::divisible::Cluster& cluster : instance.clusters) {
    cluster.processors = random.uniform_integer(1, 2);
    cluster.speed = whole ? random.uniform_integer(1, 3) : random.uniform(0.5, 3);
    for (dfrs::divisible::DatabankIndex d = 0; d < instance.databanks; ++d) {
      if (random.uniform() < 0.6) cluster.databanks.push_back(d);
    }
  }
  for (dfrs::divisible::DatabankIndex d = 0; d < instance.databanks; ++d) {
    std::vector<dfrs::divisible::DatabankIndex>& first = instance.clusters.front().databanks;
    const bool held = std::any_of(instance.clusters.begin(), instance.clusters.end(), [&](const auto& cluster) {
      return std::binary_search(cluster.databanks.begin(), cluster.databanks.end(), d);
    });
    if (!held) first.insert(std::lower_bound(first.begin(), first.end(), d), d);
  }
  const int jobs = random.uniform_integer(1, most_jobs);
  for (int j = 0; j < jobs; ++j) {
    Job job;
    job.release = whole ? random.uniform_integer(0, 6) : random.uniform(0, 6);
    if (close) job.release = random.uniform_integer(0, 2) + 1e-13 * random.uniform_integer(0, 3);
    job.size = whole || close ? random.uniform_integer(1, 5) : random.uniform(0.5, 8);
    job.databank = static_cast<dfrs::divisible::DatabankIndex>(
        random.uniform_integer(0, static_cast<int>(instance.databanks) - 1));
    instance.jobs.push_back(job);
  }
  std::stable_sort(instance.jobs.begin(), instance.jobs.end(),
                   [](const Job& a, const Job& b) { return a.release < b.release; });
  return instance;
}

}  // namespace dfrs::sim::divisible
