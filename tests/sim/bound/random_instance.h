// SPDX-License-Identifier: GPL-2.0-or-later
// Small instances that are about as often congested as not.
#pragma once

#include <algorithm>
#include <random>

#include "sim/host/instance.h"

namespace dfrs::sim {

/// `jobs` jobs on 1 to 4 nodes, integer seconds, with run times of 0 to 60 s, equal releases, jobs wider than the
/// platform and needs of 0.25 to 1. The same for the same state of `random` with every standard library.
inline Instance random_instance(std::mt19937& random, std::size_t jobs) {
  Instance instance;
  const auto nodes = 1 + random() % 4;
  instance.platform = Platform::homogeneous(nodes, 1024);
  const auto spacing = 1 + random() % 40;
  Seconds submit = 0;
  for (std::size_t i = 0; i < jobs; ++i) {
    Job job;
    job.id = i + 1;
    if (random() % 4 != 0) submit += static_cast<double>(random() % spacing);
    job.submit = submit;
    job.run_time = random() % 10 == 0 ? 0 : static_cast<double>(random() % (random() % 2 == 0 ? 12 : 60));
    job.estimate = job.run_time;
    job.tasks = static_cast<int>(1 + random() % (nodes + 1));
    job.cpu_need = 0.25 * static_cast<double>(1 + random() % 4);
    instance.jobs.push_back(job);
  }
  return instance;
}

}  // namespace dfrs::sim
