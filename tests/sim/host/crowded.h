// SPDX-License-Identifier: GPL-2.0-or-later
// Random jobs on four nodes.
#pragma once

#include "sim/host/instance.h"
#include "tests/oracle/dice.h"

namespace dfrs::sim {

/// Memory is scarce, so that every policy that may pause or move jobs does.
inline Instance crowded(std::uint64_t seed, std::size_t jobs = 60) {
  oracle::Dice dice(seed);
  Instance instance;
  instance.name = "random";
  instance.platform = Platform::homogeneous(4, 100);
  Seconds now = 0;
  for (std::uint64_t k = 1; k <= jobs; ++k) {
    Job job;
    job.id = k;
    job.submit = now;
    job.tasks = static_cast<int>(dice.between(1, 3));
    job.cpu_need = 0.25 * dice.between(1, 4);
    job.rigid[kMemory] = dice.between(10, 90);
    job.run_time = job.estimate = 20 * dice.between(1, 60);
    now += 10 * dice.between(0, 12);
    instance.jobs.push_back(job);
  }
  return instance;
}

}  // namespace dfrs::sim
