// SPDX-License-Identifier: GPL-2.0-or-later
// Simulations of instances small enough to follow by hand: nodes of CPU 1 and 100 MiB, jobs one by one.
#pragma once

#include <gtest/gtest.h>

#include "sim/host/simulation.h"

namespace dfrs::sim {

class ByHand : public testing::Test {
 protected:
  ByHand() { instance_.name = "by-hand"; }
  void nodes(std::size_t count) { instance_.platform = Platform::homogeneous(count, 100); }
  /// Without an estimate, the estimate is the run time.
  void job(Seconds submit, int tasks, double need, RigidAmount memory, Seconds run_time, Seconds estimate = -1) {
    Job job;
    job.id = instance_.jobs.size() + 1;
    job.submit = submit;
    job.tasks = tasks;
    job.cpu_need = need;
    job.rigid[kMemory] = memory;
    job.run_time = run_time;
    job.estimate = estimate < 0 ? run_time : estimate;
    instance_.jobs.push_back(job);
  }
  RunOutcome outcome(const char* algorithm) const {
    return simulate(instance_, parse_algorithm(algorithm).value(), options_);
  }
  RunResult run(const char* algorithm) const { return or_throw(outcome(algorithm)); }

  Instance instance_;
  SimOptions options_;
};

}  // namespace dfrs::sim
