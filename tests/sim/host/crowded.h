// SPDX-License-Identifier: GPL-2.0-or-later
// Random jobs on four nodes, and a run of them.
#pragma once

#include <string>

#include "policy/core/registry.h"
#include "sim/host/simulation.h"
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

/// Jobs of all kinds that options ask about: of three users, short and long, small and large, with and without a device
/// (of which there are enough); most request more CPU than they use.
inline Instance crowded_by_all_kinds(std::uint64_t seed) {
  oracle::Dice dice(seed);
  Instance instance;
  instance.name = "crowded";
  instance.platform = Platform::homogeneous(4, 100);
  instance.platform.rigid_dims = 2;
  for (NodeSpec& node : instance.platform.nodes) node.rigid[1] = 1000;
  Seconds now = 0;
  for (JobId id = 1; id <= 60; ++id) {
    Job job;
    job.id = id;
    job.submit = now;
    job.tasks = static_cast<int>(dice.between(1, 3));
    job.cpu_need = dice.pick<double>({0.05, 0.2, 0.5, 1});
    job.cpu_asked = dice.chance(70) ? 1 : 0;
    job.rigid[kMemory] = dice.chance(30) ? dice.between(1, 4) : dice.between(5, 60);
    job.rigid[1] = id % 2;
    job.user = static_cast<std::uint32_t>(dice.between(1, 3));
    job.run_time = job.estimate = dice.chance(50) ? dice.between(1, 60) : 20 * dice.between(1, 200);
    now += dice.chance(30) ? 0 : 3 * dice.between(0, 60);
    instance.jobs.push_back(job);
  }
  return instance;
}

inline RunResult run(const Instance& instance, const std::string& algorithm, const SimOptions& options,
                     StepObserver* observer = nullptr) {
  return or_throw(simulate(instance, parse_algorithm(algorithm).value(), options, observer));
}

}  // namespace dfrs::sim
