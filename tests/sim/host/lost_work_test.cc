// SPDX-License-Identifier: GPL-2.0-or-later
// Pauses that lose a job's work: schedules by hand, and what holds for every run.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sim/host/simulation.h"
#include "tests/oracle/dice.h"
#include "tests/sim/host/serial_job.h"

namespace dfrs::sim {
namespace {

class LostWork : public ::testing::Test {
 protected:
  LostWork() {
    instance_.name = "by-hand";
    instance_.platform = Platform::homogeneous(1, 100);
    options_.pauses = PauseWorld::all(PauseEffect::lost);
  }
  RunResult run(const char* algorithm = "GreedyP*") {
    return or_throw(simulate(instance_, *parse_algorithm(algorithm), options_));
  }

  Instance instance_;
  SimOptions options_;
};

// At 500 the first is paused for the second, which does not fit beside it.
TEST_F(LostWork, APausedJobBeginsAgainFromNothing) {
  instance_.jobs = {serial_job(1, 0, 60, 1000), serial_job(2, 500, 60, 100)};
  RunResult r = run();
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 500);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 600);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 1600);  // 1000 again, no penalty: there is nothing to restore
  EXPECT_EQ(r.jobs[0].lost_runs, 1U);
  EXPECT_DOUBLE_EQ(r.jobs[0].lost_time, 500);
  EXPECT_DOUBLE_EQ(r.lost_work, 500);
  EXPECT_DOUBLE_EQ(r.paused_mib, 0);  // nothing to save
  EXPECT_EQ(r.jobs[0].pauses, 1U);
  options_.pauses = PauseWorld{};
  r = run();
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 600 + 300 + 500);
  EXPECT_EQ(r.jobs[0].lost_runs, 0U);
  EXPECT_DOUBLE_EQ(r.paused_mib, 60);
}

TEST_F(LostWork, ANextRunMayTakeARestart) {
  instance_.jobs = {serial_job(1, 0, 60, 1000), serial_job(2, 500, 60, 100)};
  options_.restart = 30;
  RunResult r = run();
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 600);  // its first run begins at once
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 600 + 30 + 1000);
  EXPECT_DOUBLE_EQ(r.lost_work, 500);
  // The least progress counts from the end of the restart, at 630.
  instance_.jobs.push_back(serial_job(3, 689, 60, 100));
  EXPECT_DOUBLE_EQ(run().jobs[2].start, 1630);
  instance_.jobs.back().submit = 690;
  EXPECT_DOUBLE_EQ(run().jobs[2].start, 690);
  // A job that keeps its work pays the penalty alone.
  options_.pauses = PauseWorld{};
  instance_.jobs.pop_back();
  EXPECT_DOUBLE_EQ(run().jobs[0].end, 600 + 300 + 500);
}

// Policies see the restart in what ending a run costs.
TEST_F(LostWork, PoliciesSeeTheRestart) {
  class Look final : public StepObserver {
   public:
    void on_step(const ClusterView& view, std::span<const Event>, const Decisions&) override {
      if (view.now == 500) running = view.jobs[0].penalty;
      if (view.now == 600) paused = view.jobs[0].penalty;
    }
    Seconds running = -1, paused = -1;
  };
  instance_.jobs = {serial_job(1, 0, 60, 1000), serial_job(2, 500, 60, 100)};
  options_.restart = 30;
  Look look;
  or_throw(simulate(instance_, *parse_algorithm("GreedyP*"), options_, {.observer = &look}));
  EXPECT_DOUBLE_EQ(look.running, 530);
  EXPECT_DOUBLE_EQ(look.paused, 30);
}

TEST_F(LostWork, ARunIsNotEndedBeforeItsLeastProgress) {
  instance_.jobs = {serial_job(1, 0, 60, 1000), serial_job(2, 59, 60, 100)};
  EXPECT_DOUBLE_EQ(run().jobs[1].start, 1000);  // nothing happens between: it waits until the first ends
  instance_.jobs[1].submit = 60;
  EXPECT_DOUBLE_EQ(run().jobs[1].start, 60);
  options_.lost_work.min_progress = 0;
  instance_.jobs[1].submit = 1;
  EXPECT_DOUBLE_EQ(run().jobs[1].start, 1);
}

TEST_F(LostWork, AJobThatHasLostEnoughRunsIsNotPausedAgain) {
  // Each comes 200 s after the first has started over, and would pause it.
  instance_.jobs = {serial_job(1, 0, 60, 1000), serial_job(2, 200, 60, 100), serial_job(3, 500, 60, 100),
                    serial_job(4, 800, 60, 100)};
  options_.lost_work.max_lost_runs = 2;
  const RunResult r = run();
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 200);
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 500);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 1600);  // starts for the third time at 600
  EXPECT_DOUBLE_EQ(r.jobs[3].start, 1600);
  EXPECT_EQ(r.jobs[0].lost_runs, 2U);
  EXPECT_DOUBLE_EQ(r.lost_work, 400);
  options_.lost_work.max_lost_runs = 0;
  EXPECT_DOUBLE_EQ(run().jobs[1].start, 1000);
}

// A job is on its nodes, at its yield, for its run time and what it lost, and no run beyond the rules is ended.
class Follow final : public StepObserver {
 public:
  explicit Follow(Seconds least) : least_(least) {}
  void on_step(const ClusterView& view, std::span<const Event>, const Decisions& decisions) override {
    for (std::size_t k = 0; k < view.jobs.size(); ++k) {
      if (view.jobs[k].state == JobState::running) progress_[k] += rate_[k] * (view.now - last_);
    }
    last_ = view.now;
    for (const Decision& decision : decisions.placements) {
      const bool ends_run = decision.kind == DecisionKind::pause || decision.kind == DecisionKind::move;
      if (ends_run) {
        EXPECT_GE(progress_[decision.job] - began_[decision.job], least_ - 1e-6);
        began_[decision.job] = progress_[decision.job];
      }
      if (decision.kind == DecisionKind::pause) rate_[decision.job] = 0;
    }
    for (const YieldChange& change : decisions.yields) rate_[change.job] = change.yield;
  }
  std::map<std::size_t, double> progress_, rate_, began_;

 private:
  Seconds least_;
  Seconds last_ = 0;
};

TEST(LostWorkRandom, AllWorkIsDoneOrLost) {
  for (const char* algorithm : {"GreedyP*", "GreedyPM*/per/MINVT=600", "MCB8*", "/stretch-per"}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      oracle::Dice dice(seed);
      Instance instance;
      instance.name = "random";
      instance.platform = Platform::homogeneous(4, 100);
      Seconds now = 0;
      for (std::uint64_t k = 1; k <= 40; ++k) {
        Job job = serial_job(k, now, dice.between(10, 90), 20 * dice.between(1, 60));
        job.tasks = static_cast<int>(dice.between(1, 3));
        job.cpu_need = 0.25 * dice.between(1, 4);
        now += 10 * dice.between(0, 12);
        instance.jobs.push_back(job);
      }
      SimOptions options;
      options.pauses = PauseWorld::all(PauseEffect::lost);
      options.lost_work = {30, 2};
      Follow follow(30);
      const RunResult r = or_throw(simulate(instance, *parse_algorithm(algorithm), options, &follow));
      double lost = 0;
      for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
        const Job& job = instance.jobs[k];
        EXPECT_LE(r.jobs[k].lost_runs, 2U);
        EXPECT_EQ(r.jobs[k].lost_runs, r.jobs[k].pauses + r.jobs[k].moves);
        // A job is gone from the view of the step at which it completes, so its progress since the previous step is
        // missing.
        EXPECT_LE(follow.progress_[k], job.run_time + r.jobs[k].lost_time + 1e-6);
        EXPECT_GE(r.jobs[k].end - job.submit, job.run_time + r.jobs[k].lost_time - 1e-6);
        lost += r.jobs[k].lost_time * job.cpu_need * job.tasks;
      }
      EXPECT_NEAR(r.lost_work, lost, 1e-6 * (1 + lost));
      EXPECT_DOUBLE_EQ(r.paused_mib + r.moved_mib, 0);
    }
  }
}

}  // namespace
}  // namespace dfrs::sim
