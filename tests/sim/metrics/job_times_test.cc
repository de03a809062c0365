// SPDX-License-Identifier: GPL-2.0-or-later
// Where the jobs' time goes: schedules by hand, and sums that hold under any policy.
#include "sim/metrics/job_times.h"

#include <gtest/gtest.h>

#include <cmath>

#include "policy/core/algorithm.h"
#include "sim/workload/lublin.h"

namespace dfrs::sim {
namespace {

Job make(JobId id, Seconds submit, Seconds run_time, double cpu, RigidAmount memory) {
  Job job;
  job.id = id;
  job.submit = submit;
  job.run_time = job.estimate = run_time;
  job.cpu_need = cpu;
  job.rigid[kMemory] = memory;
  return job;
}

std::vector<JobTimes> times_of(const std::vector<Job>& jobs, const char* algorithm, Seconds penalty = 300,
                               std::size_t nodes = 1) {
  Instance instance{"by-hand", Platform::homogeneous(nodes, 100), jobs};
  SimOptions options;
  options.penalty = penalty;
  JobTimesObserver observer(jobs.size(), penalty);
  or_throw(simulate(instance, *parse_algorithm(algorithm), options, &observer));
  return observer.times();
}

void expect_times(const JobTimes& times, Seconds to_start, Seconds paused, Seconds penalty, Seconds shared,
                  Seconds work) {
  EXPECT_NEAR(times.to_start, to_start, 1e-6);
  EXPECT_NEAR(times.paused, paused, 1e-6);
  EXPECT_NEAR(times.penalty, penalty, 1e-6);
  EXPECT_NEAR(times.shared, shared, 1e-6);
  EXPECT_NEAR(times.work, work, 1e-6);
}

// The second waits for the first one's node.
TEST(JobTimes, WaitingToStart) {
  const std::vector<JobTimes> times = times_of({make(1, 0, 100, 1, 10), make(2, 10, 50, 1, 10)}, "FCFS");
  expect_times(times[0], 0, 0, 0, 0, 100);
  expect_times(times[1], 90, 0, 0, 0, 50);
  EXPECT_NEAR(times[1].lost(), 90, 1e-6);
}

// Half a node each until the short one ends at 100 s; the other goes on alone.
TEST(JobTimes, SharingANode) {
  const std::vector<JobTimes> times = times_of({make(1, 0, 100, 1, 10), make(2, 0, 50, 1, 10)}, "Greedy*");
  expect_times(times[0], 0, 0, 0, 50, 100);
  expect_times(times[1], 0, 0, 0, 50, 50);
}

// The second needs the memory of the first, which is paused from 500 to 510 s and then pays.
TEST(JobTimes, PausedAndPenalty) {
  const std::vector<JobTimes> times = times_of({make(1, 0, 1000, 1, 60), make(2, 500, 10, 1, 60)}, "GreedyP*", 300);
  expect_times(times[0], 0, 10, 300, 0, 1000);
  expect_times(times[1], 0, 0, 0, 0, 10);
}

// Whatever happens: to the start, from start to end, and the run time, as the simulator itself has them.
TEST(JobTimes, AddUpUnderEveryPolicy) {
  for (const char* name : {"EASY", "Triage", "GreedyPM*/per/OPT=MIN/MINVT=600", "MCB8*/OPT=AVG/MINVT=300"}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      LublinOptions model;
      model.seed = seed;
      model.jobs = 120;
      model.nodes = 16;
      const Instance instance = or_throw(lublin_instance(model));
      SimOptions options;
      JobTimesObserver observer(instance.jobs.size(), options.penalty);
      const RunResult run = or_throw(simulate(instance, *parse_algorithm(name), options, &observer));
      double penalties = 0;
      double operations = 0;
      for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
        const JobTimes& times = observer.times()[k];
        const Job& job = instance.jobs[k];
        const double near = 1e-6 * (1 + run.jobs[k].end);
        EXPECT_NEAR(times.to_start, run.jobs[k].start - job.submit, near) << name << " " << k;
        EXPECT_NEAR(times.work, job.run_time, near) << name << " " << k;
        EXPECT_NEAR(times.lost() + times.work, run.jobs[k].end - job.submit, near) << name << " " << k;
        EXPECT_LE(times.penalty, 300 * (run.jobs[k].pauses + run.jobs[k].moves) + near) << name << " " << k;
        penalties += times.penalty;
        operations += run.jobs[k].pauses + run.jobs[k].moves;
      }
      EXPECT_EQ(penalties > 0, operations > 0) << name;
    }
  }
}

}  // namespace
}  // namespace dfrs::sim
