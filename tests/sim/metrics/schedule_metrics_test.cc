// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/schedule_metrics.h"

#include <gtest/gtest.h>

#include "policy/core/algorithm.h"

namespace dfrs::sim {
namespace {

JobRecord ran(Seconds start, Seconds end) {
  JobRecord record;
  record.start = start;
  record.end = end;
  return record;
}

// Four nodes from 0 to 500:  a 3 nodes 0-100, b 4 nodes (submitted at 50) 100-200, c 1 node (submitted at 400) 400-500.
Instance three_jobs(RunResult& run) {
  Instance instance;
  instance.platform = Platform::homogeneous(4, 0);
  for (const auto& [submit, tasks] : {std::pair{0, 3}, {50, 4}, {400, 1}}) {
    Job job;
    job.submit = submit;
    job.tasks = tasks;
    job.run_time = job.estimate = 100;
    instance.jobs.push_back(job);
  }
  run.jobs = {ran(0, 100), ran(100, 200), ran(400, 500)};
  return instance;
}

TEST(ScheduleMetrics, ByHand) {
  RunResult run;
  const Instance instance = three_jobs(run);
  const ScheduleMetrics m = measure_schedule(instance, run);
  EXPECT_DOUBLE_EQ(m.utilization, (300 + 400 + 100) / (4.0 * 500));
  EXPECT_DOUBLE_EQ(m.loss_of_capacity, 50 / (4.0 * 500));  // one node idle while b waits, 50-100
  EXPECT_DOUBLE_EQ(m.wait, 50 / 3.0);
  EXPECT_DOUBLE_EQ(m.response, (100 + 150 + 100) / 3.0);
  EXPECT_DOUBLE_EQ(m.response_by_width, (3 * 100 + 4 * 150 + 100) / 8.0);
  EXPECT_DOUBLE_EQ(m.slowdown60_by_width, (3 + 4 * 1.5 + 1) / 8.0);
  EXPECT_DOUBLE_EQ(m.slowdown300_by_width, 1);  // all below 300 s
  EXPECT_DOUBLE_EQ(m.backlog, 50 / 500.0);
}

TEST(ScheduleMetrics, SlowdownIsBounded) {
  RunResult run;
  Instance instance = three_jobs(run);
  instance.jobs.resize(1);
  run.jobs = {ran(590, 600)};  // 10 s after a wait of 590 s
  const ScheduleMetrics m = measure_schedule(instance, run);
  EXPECT_DOUBLE_EQ(m.slowdown60_by_width, 10);
  EXPECT_DOUBLE_EQ(m.slowdown300_by_width, 2);
}

// When some job waits until the last starts, idle nodes are lost and nothing else: LOC = 1 - UTIL but for the end.
TEST(ScheduleMetrics, LossOfCapacityOfASaturatedMachine) {
  Instance instance;
  instance.platform = Platform::homogeneous(4, 0);
  RunResult run;
  for (int k = 0; k < 5; ++k) {
    Job job;
    job.tasks = 3;
    job.run_time = job.estimate = 10;
    instance.jobs.push_back(job);
    run.jobs.push_back(ran(10.0 * k, 10.0 * k + 10));
  }
  const ScheduleMetrics m = measure_schedule(instance, run);
  EXPECT_DOUBLE_EQ(m.utilization, 0.75);
  EXPECT_DOUBLE_EQ(m.loss_of_capacity, 0.25 * 4 / 5);
  EXPECT_EQ(measure_schedule({}, {}).utilization, 0);
}

TEST(DynpStatistics, CountsWhatADeciderDoes) {
  DynpStatistics statistics;
  statistics.on_decision({0, 2, DeciderCase::k7, QueueOrder::fcfs, QueueOrder::sjf});
  statistics.on_decision({1, 4, DeciderCase::k6b, QueueOrder::sjf, QueueOrder::sjf});
  statistics.on_decision({2, 6, DeciderCase::k4a, QueueOrder::sjf, QueueOrder::ljf});
  statistics.on_start(0, QueueOrder::ljf);
  statistics.on_start(1, QueueOrder::ljf);
  EXPECT_EQ(statistics.decisions(), 3U);
  EXPECT_EQ(statistics.switches(), 2U);
  EXPECT_EQ(statistics.switches_to(QueueOrder::sjf), 1U);
  EXPECT_EQ(statistics.switches_to(QueueOrder::fcfs), 0U);
  EXPECT_EQ(statistics.cases(DeciderCase::k6b), 1U);
  EXPECT_EQ(statistics.started_by(QueueOrder::ljf), 2U);
  EXPECT_DOUBLE_EQ(statistics.mean_backlog(), 4);
}

}  // namespace
}  // namespace dfrs::sim
