// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that are requeued from a checkpoint of their own (--requeue-kept): no run is ended before its minimum progress.
#include <gtest/gtest.h>

#include <map>

#include "policy/core/registry.h"
#include "tests/sim/host/by_hand.h"
#include "tests/sim/host/crowded.h"

namespace dfrs::sim {
namespace {

class RequeueByHand : public ByHand {
 protected:
  // The second job finds no memory beside the first.
  RequeueByHand() {
    nodes(1);
    job(0, 1, 1, 60, 1000);
    job(59, 1, 1, 60, 100);
    options_.lost_work.requeue_kept = true;
  }
};

TEST_F(RequeueByHand, ARunIsNotEndedBeforeItsLeastProgress) {
  for (const Seconds submit : {20, 59, 60}) {
    instance_.jobs[1].submit = submit;
    const RunResult r = run("GreedyP*");
    EXPECT_DOUBLE_EQ(r.jobs[1].start, 60);
    EXPECT_DOUBLE_EQ(r.jobs[0].end, 160 + 300 + 940);  // it keeps its work
    EXPECT_EQ(r.jobs[0].lost_runs, 0U);
  }
}

// As on the live side: the job is offered again, not before half a second has passed, and not for ever.
TEST_F(RequeueByHand, AJobThatWaitsIsOfferedAgain) {
  instance_.jobs[1].submit = 59.75;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 60.25);
  // The third needs both nodes. The first may be requeued from 60 on, the second from 110 on.
  nodes(2);
  instance_.jobs[1].submit = 50;
  instance_.jobs[1].run_time = 1000;
  job(55, 2, 1, 60, 100);
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[2].start, 110);
  // The last needs all five nodes, of which each may be had 60 s after its start. After three offers it waits for room.
  instance_.jobs.clear();
  nodes(5);
  for (const Seconds submit : {0, 20, 40, 60, 80}) job(submit, 1, 1, 60, 1000);
  job(90, 5, 1, 60, 100);
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[5].start, 140) << "offered at 100, 120 and 140";
  std::swap(instance_.jobs[4], instance_.jobs[5]);
  instance_.jobs[4].submit = 70;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[4].start, 1080) << "offered at 80, 100 and 120";
}

TEST_F(RequeueByHand, ThePapersHaveNoSuchLimit) {
  options_.lost_work.requeue_kept = false;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 59);
}

TEST_F(RequeueByHand, TheLimitIsGiven) {
  options_.lost_work.min_progress = 59;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 59);
  options_.lost_work.min_progress = 200;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 200);
  options_.lost_work.min_progress = 0;
  instance_.jobs[1].submit = 1;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 1);
}

// The first has 60 s of progress when it is paused. Its next run counts from 460, the end of the penalty.
TEST_F(RequeueByHand, EachRunHasToMakeIt) {
  instance_.jobs[1].submit = 60;
  job(400, 1, 1, 60, 100);
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[2].start, 520);
  instance_.jobs[2].submit = 521;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[2].start, 521);
}

// At half the CPU it takes twice the time: the two share the node from 0 on.
TEST_F(RequeueByHand, ProgressIsVirtualTime) {
  instance_.jobs[0].rigid[kMemory] = 40;
  instance_.jobs[1].rigid[kMemory] = 40;
  instance_.jobs[1].submit = 0;
  instance_.jobs[1].run_time = instance_.jobs[1].estimate = 1000;
  job(50, 1, 1, 60, 100);
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[2].start, 120);
}

TEST_F(RequeueByHand, OnlyOfJobsThatAreRequeued) {
  options_.pauses = PauseWorld::all(PauseEffect::suspended);
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 59);
  options_.pauses = PauseWorld{1, PauseEffect::suspended, 1, true};
  instance_.jobs[0].pauses = PauseEffect::kept;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[1].start, 60);
}

// No pause and no move of a requeued job comes before the least progress of its run.
class FirstSeconds final : public StepObserver {
 public:
  FirstSeconds(const Instance& instance, const SimOptions& options) : instance_(instance), options_(options) {}
  void on_step(const ClusterView& view, std::span<const Event>, const Decisions& decisions) override {
    for (const Decision& decision : decisions.placements) {
      const PauseEffect effect = pauses_of(instance_.jobs[decision.job], options_.pauses);
      const Seconds gained = view.jobs[decision.job].virtual_time(view.now);
      const bool ends_run = decision.kind == DecisionKind::pause || decision.kind == DecisionKind::move;
      if (ends_run && effect != PauseEffect::suspended) {
        EXPECT_GE(gained - began_[decision.job], options_.lost_work.min_progress - 1e-9);
        ++ended_;
      }
      const bool lost = ends_run && effect == PauseEffect::lost;
      began_[decision.job] = lost ? 0 : gained;
    }
  }
  std::size_t ended() const { return ended_; }

 private:
  const Instance& instance_;
  const SimOptions& options_;
  std::map<JobSlot, Seconds> began_;
  std::size_t ended_ = 0;
};

TEST(RequeueRandom, NoRunIsEndedInItsFirstSeconds) {
  for (const char* algorithm : {"GreedyP*", "GreedyPM*/per", "MCB8*", "LAS/queues=2", "Triage"}) {
    for (const char* world : {"kept", "mixed:0.5/lost", "mixed:0.5/suspended"}) {
      std::size_t ended = 0;
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Instance instance = crowded(seed);
        SimOptions options;
        options.pauses = record::parse_world(world).value();
        options.lost_work = {40, 3, true};
        FirstSeconds check(instance, options);
        const RunResult seen = or_throw(simulate(instance, parse_algorithm(algorithm).value(), options, &check));
        const RunResult unseen = or_throw(simulate(instance, parse_algorithm(algorithm).value(), options));
        for (std::size_t k = 0; k < instance.jobs.size(); ++k) EXPECT_EQ(seen.jobs[k].end, unseen.jobs[k].end);
        ended += check.ended();
      }
      EXPECT_GT(ended, 0U) << algorithm << " " << world;
    }
  }
}

}  // namespace
}  // namespace dfrs::sim
