// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/metrics.h"

#include <gtest/gtest.h>

#include "policy/core/registry.h"
#include "sim/metrics/schedule_metrics.h"

namespace dfrs::sim {
namespace {

Job job_of(Seconds submit, Seconds run_time, int tasks = 1, double need = 1) {
  Job job;
  job.submit = submit;
  job.run_time = run_time;
  job.tasks = tasks;
  job.cpu_need = need;
  return job;
}

TEST(BoundedStretch, ByHand) {
  EXPECT_DOUBLE_EQ(bounded_stretch(job_of(100, 50), {100, 250, 0, 0}, 10), 3);
  EXPECT_DOUBLE_EQ(bounded_stretch(job_of(100, 1), {100, 121, 0, 0}, 10), 2.1);  // 21 / 10
  EXPECT_DOUBLE_EQ(bounded_stretch(job_of(100, 1), {100, 105, 0, 0}, 10), 1);    // both below the bound
  EXPECT_DOUBLE_EQ(bounded_stretch(job_of(100, 1), {100, 160, 0, 0}, 30), 2);    // IPDPS 2010
  EXPECT_DOUBLE_EQ(bounded_stretch(job_of(100, 0), {100, 100, 0, 0}, 10), 1);
}

// Two nodes. Job 0: 100 s on one node from 10, done at 110. Job 1: two tasks of need 0.5, 200 s, from 10 to 310 with
// 100 s waiting.
class TwoJobs : public testing::Test {
 protected:
  void SetUp() override {
    instance_.platform = Platform::homogeneous(2, 1024);
    instance_.jobs = {job_of(10, 100), job_of(10, 200, 2, 0.5)};
    run_.jobs = {{10, 110, 0, 1}, {110, 310, 2, 0}};
    run_.demand = 100 * 2 + 200 * 1;
    run_.paused_mib = 3 * 1024;
    run_.moved_mib = 512;
    run_.idle_while_waiting = 60;
  }
  Instance instance_;
  RunResult run_;
};

TEST_F(TwoJobs, Measured) {
  const Metrics m = measure(instance_, run_, 10);
  EXPECT_DOUBLE_EQ(m.max_stretch, 1.5);
  EXPECT_DOUBLE_EQ(m.mean_stretch, 1.25);
  EXPECT_DOUBLE_EQ(m.mean_wait, 50);
  EXPECT_DOUBLE_EQ(m.mean_turnaround, 200);
  EXPECT_DOUBLE_EQ(m.makespan, 300);
  EXPECT_DOUBLE_EQ(m.utilization, 300.0 / (2 * 300));  // 100 + 200 of two nodes for 300 s
  EXPECT_DOUBLE_EQ(m.underutilization, (400.0 - 300) / 300);
  EXPECT_DOUBLE_EQ(m.pauses_per_job, 1);
  EXPECT_DOUBLE_EQ(m.moves_per_job, 0.5);
  EXPECT_DOUBLE_EQ(m.pauses, 2);
  EXPECT_DOUBLE_EQ(m.moves, 1);
  EXPECT_DOUBLE_EQ(m.stretch_p50, 1);
  EXPECT_DOUBLE_EQ(m.stretch_p90, 1.5);
  EXPECT_DOUBLE_EQ(m.response_by_width, (100 + 2 * 300) / 3.0);
  EXPECT_DOUBLE_EQ(m.slowdown60_by_width, (1 + 2 * 1.5) / 3);
  EXPECT_DOUBLE_EQ(m.loss_of_capacity, 0.1);  // 60 of two nodes for 300 s
  EXPECT_DOUBLE_EQ(m.pauses_per_hour, 24);
  EXPECT_DOUBLE_EQ(m.moves_per_hour, 12);
  EXPECT_DOUBLE_EQ(m.pause_gb_per_s, 0.01);
  EXPECT_DOUBLE_EQ(m.move_gb_per_s, 0.5 / 300);
  EXPECT_DOUBLE_EQ(m.short_wait, 50);
  EXPECT_DOUBLE_EQ(m.short_wait_p95, 100);
  EXPECT_DOUBLE_EQ(m.user_fairness, 1);  // one user
  EXPECT_DOUBLE_EQ(m.worst_user, 1.25);
}

TEST_F(TwoJobs, UsersAndShortJobs) {
  instance_.jobs[0].user = 7;
  instance_.jobs[1].user = 8;
  instance_.jobs[1].run_time = 601;  // not short; turnaround 902 of 601
  run_.jobs[1].end = 912;
  const Metrics m = measure(instance_, run_, 10);
  EXPECT_DOUBLE_EQ(m.short_wait, 0);
  const double other = 902.0 / 601;
  EXPECT_DOUBLE_EQ(m.worst_user, other);
  EXPECT_DOUBLE_EQ(m.user_fairness, (1 + other) * (1 + other) / (2 * (1 + other * other)));
}

TEST(NearestRank, ByHand) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(nearest_rank(values, 0), 1);
  EXPECT_EQ(nearest_rank(values, 0.5), 5);
  EXPECT_EQ(nearest_rank(values, 0.51), 6);
  EXPECT_EQ(nearest_rank(values, 0.95), 10);
  EXPECT_EQ(nearest_rank(values, 1), 10);
  std::vector<double> mixed{7, 2, 10, 5, 1, 9, 3, 8, 6, 4};
  for (const double share : {0.0, 0.5, 0.51, 0.3, 0.95, 1.0}) {
    EXPECT_EQ(take_nearest_rank(mixed, share), nearest_rank(values, share)) << share;
  }
}

// Job 1 needs both nodes and waits 100 s while one of them is idle; nobody waits for the node that job 2 leaves idle.
TEST(LossOfCapacity, IsIdleNodesWhileAJobWaits) {
  Instance instance;
  instance.platform = Platform::homogeneous(2, 1024);
  instance.jobs = {job_of(0, 100), job_of(0, 100, 2), job_of(200, 50)};
  for (Job& job : instance.jobs) job.estimate = job.run_time;
  const RunResult run = or_throw(simulate(instance, parse_algorithm("FCFS").value(), {}, Watch{.policy_times = true}));
  EXPECT_DOUBLE_EQ(run.idle_while_waiting, 100);
  EXPECT_DOUBLE_EQ(measure(instance, run).loss_of_capacity, 100.0 / (2 * 250));
  EXPECT_DOUBLE_EQ(measure_schedule(instance, run).loss_of_capacity, 100.0 / (2 * 250));
  EXPECT_GT(run.longest_policy_call, 0);
  EXPECT_GE(run.policy_seconds, run.longest_policy_call);
}

TEST(Measure, NoJobsAndJobsWithoutWork) {
  Instance instance;
  instance.platform = Platform::homogeneous(1, 1);
  const Metrics none = measure(instance, {});
  EXPECT_EQ(none.max_stretch, 1);
  EXPECT_EQ(none.makespan, 0);
  instance.jobs = {job_of(0, 0)};
  RunResult run;
  run.jobs = {{0, 0, 0, 0}};
  const Metrics zero = measure(instance, run);
  EXPECT_EQ(zero.max_stretch, 1);
  EXPECT_EQ(zero.utilization, 0);
  EXPECT_EQ(zero.underutilization, 0);
}

TEST(Summarize, ByHand) {
  const std::vector<double> values{5, 1, 4, 2, 3, 10, 6, 7, 8, 9};
  const Summary s = summarize(values);
  EXPECT_EQ(s.count, 10u);
  EXPECT_DOUBLE_EQ(s.mean, 5.5);
  EXPECT_DOUBLE_EQ(s.stddev, 3.0276503540974917);  // sqrt(82.5 / 9)
  EXPECT_DOUBLE_EQ(s.median, 5.5);
  EXPECT_DOUBLE_EQ(s.p90, 9);
  EXPECT_DOUBLE_EQ(s.max, 10);
}

TEST(Summarize, FewValues) {
  const std::vector<double> one{-3};
  const Summary s = summarize(one);
  EXPECT_EQ(s.stddev, 0);
  EXPECT_EQ(s.median, -3);
  EXPECT_EQ(s.p90, -3);
  EXPECT_EQ(s.max, -3);
  EXPECT_EQ(summarize({}).count, 0u);
  const std::vector<double> three{3, 1, 2};
  EXPECT_EQ(summarize(three).median, 2);
  EXPECT_EQ(summarize(three).p90, 3);
}

}  // namespace
}  // namespace dfrs::sim
