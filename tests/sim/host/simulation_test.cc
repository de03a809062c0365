// SPDX-License-Identifier: GPL-2.0-or-later
// The simulator's rules one by one, on instances small enough to follow by hand.
#include "sim/host/simulation.h"
#include "policy/batch/options.h"
#include "policy/rr7659/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/errors.h"
#include "sim/host/step_log.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/host/by_hand.h"

namespace dfrs::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using SimulationByHand = ByHand;

TEST_F(SimulationByHand, AJobAloneRunsAtFullSpeedWithoutPenalty) {
  nodes(1);
  job(50, 1, 1, 10, 100);
  for (const char* name : {"FCFS", "Greedy*", "GreedyPM*/per", "MCB8*"}) {
    const RunResult r = run(name);
    EXPECT_DOUBLE_EQ(r.jobs[0].start, 50) << name;
    EXPECT_DOUBLE_EQ(r.jobs[0].end, 150) << name;
  }
}

// Two jobs of need 1 on one node: half each until the first ends.
TEST_F(SimulationByHand, SharedNode) {
  nodes(1);
  job(0, 1, 1, 10, 100);
  job(0, 1, 1, 10, 300);
  const RunResult r = run("Greedy*");
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 200);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 400);  // 100 at half speed, 200 alone
  EXPECT_DOUBLE_EQ(r.demand, 400);       // 2 wanted, 1 there is
}

// GreedyP pauses the first for the second; it comes back when that ends, and waits out the penalty.
TEST_F(SimulationByHand, PausedJobPaysThePenaltyWhenItResumes) {
  nodes(1);
  job(0, 1, 1, 60, 1000);
  job(100, 1, 1, 60, 50);
  const RunResult r = run("GreedyP*");
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 100);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 150);
  EXPECT_EQ(r.jobs[0].pauses, 1u);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 150 + 300 + 900);
  EXPECT_DOUBLE_EQ(r.paused_mib, 60);
  options_.penalty = 0;
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[0].end, 150 + 900);
}

// GreedyPM moves it to the other node: the penalty again, no pause. (Node 1 has 40 MiB left for the victim of 40.)
TEST_F(SimulationByHand, MovedJobPaysThePenalty) {
  nodes(2);
  job(0, 1, 0.5, 40, 1000);   // node 0
  job(10, 1, 0.5, 60, 2000);  // node 1
  job(100, 1, 0.5, 90, 50);   // fits nowhere; with the first away, node 0
  const RunResult r = run("GreedyPM*");
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 100);
  EXPECT_EQ(r.jobs[0].moves, 1u);
  EXPECT_EQ(r.jobs[0].pauses, 0u);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 1000 + 300);
  EXPECT_DOUBLE_EQ(r.moved_mib, 40);
}

// Moved at 100 to node 1 and at 200 back to node 0: the second move restarts the penalty, so it works again at 500.
TEST_F(SimulationByHand, AnotherMoveRestartsThePenalty) {
  nodes(2);
  job(0, 1, 0.5, 40, 1000);
  job(10, 1, 0.5, 50, 150);  // node 1 until 160
  job(100, 1, 0.5, 70, 90);  // node 0 until 190, moving the first to node 1
  job(200, 1, 0.5, 70, 10);  // nodes 0 (free) takes it at once
  RunResult r = run("GreedyPM*");
  EXPECT_EQ(r.jobs[0].moves, 1u);
  instance_.jobs.pop_back();
  job(200, 2, 0.5, 70, 10);  // one task on each node: the first must be paused, nothing holds it
  r = run("GreedyPM*");
  EXPECT_EQ(r.jobs[0].moves, 1u);
  EXPECT_EQ(r.jobs[0].pauses, 1u);
  // No progress between 100 and 210 + 300: moved at 100, paused in its penalty, resumed at 210.
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 510 + 900);
}

// A disk that gets full under a log of many steps ends the run, which would else go on for nobody.
TEST_F(SimulationByHand, ALogThatCannotBeWrittenEndsTheRun) {
  nodes(1);
  for (int k = 0; k < 20000; ++k) job(k, 1, 1, 10, 0.5);
  instance_.name = "by-hand";
  class Steps final : public StepObserver {
   public:
    explicit Steps(OutputFile& output) : log(output) {}
    void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override {
      log.on_step(view, events, decisions);
      ++steps;
    }
    const Error* failure() const override { return log.failure(); }
    StepLog log;
    int steps = 0;
  };
  OutputFile full = or_throw(OutputFile::create("/dev/full"));
  Steps observer(full);
  const RunOutcome run = simulate(instance_, *parse_algorithm("EASY"), options_, &observer);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, kExitIo);
  EXPECT_NE(run.error().message.find("/dev/full: cannot write"), std::string::npos) << run.error().message;
  EXPECT_FALSE(run.error().ran_away);
  EXPECT_LT(observer.steps, 20000);
}

// Virtual time stands still in the penalty: the job resumed at 150 has vt 100 until 450. Another one that arrives at
// 300 with vt 0 pauses it, and at 310 its priority is 310 / 100^2.
TEST_F(SimulationByHand, NoVirtualTimeInThePenalty) {
  nodes(1);
  job(0, 1, 1, 60, 1000);
  job(100, 1, 1, 60, 50);
  class LastClock final : public StepObserver {
   public:
    void on_step(const ClusterView& view, std::span<const Event>, const Decisions&) override {
      if (view.now >= 300 && view.now < 301) at_300 = view.jobs[0].virtual_time(view.now);
    }
    double at_300 = -1;
  } clock;
  job(300, 1, 1, 10, 10);
  instance_.name = "by-hand";
  or_throw(simulate(instance_, *parse_algorithm("GreedyP*"), options_, &clock));
  EXPECT_DOUBLE_EQ(clock.at_300, 100);
}

// At 600 the third job has never run, so its priority is the highest, and the repack leaves out all others for its 80
// of 100 MiB. The first needs only 15: /FILL lets it run on.
TEST_F(SimulationByHand, FillStartsWhatARepackLeftOutWithoutNeed) {
  nodes(1);
  job(0, 1, 0.25, 15, 1000);
  job(0, 1, 0.25, 30, 1000);
  job(10, 1, 0.25, 80, 10);
  job(20, 1, 0.25, 60, 10);
  EXPECT_EQ(run("Greedy*/per").jobs[0].pauses, 1u);
  const RunResult filled = run("Greedy*/per/FILL");
  EXPECT_EQ(filled.jobs[0].pauses, 0u);
  EXPECT_EQ(filled.jobs[1].pauses, 1u);
}

// Two equal jobs, a node each. The second starts at 1200, where it has the higher priority.
TEST_F(SimulationByHand, TiesByPriorityGiveAnotherPacking) {
  nodes(2);
  job(0, 1, 1, 60, 1500);
  job(700, 1, 1, 60, 1500);
  EXPECT_EQ(run("/per").jobs[0].moves, 0u);
  EXPECT_EQ(run("/per/TIES=PRIORITY").jobs[0].moves, 1u);
  EXPECT_EQ(run("DYNMCB8-PER/TIES=PRIORITY").jobs[0].moves, 1u);
}

// Ticks are multiples of the period from time 0, wherever jobs arrive.
TEST_F(SimulationByHand, TicksAreMultiplesOfThePeriod) {
  nodes(1);
  job(601, 1, 1, 10, 100);
  job(1200, 1, 1, 10, 100);
  const RunResult r = run("/per");
  EXPECT_DOUBLE_EQ(r.jobs[0].start, 1200);
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 1200);  // the tick comes after the arrivals of its instant
  options_.engine.of<DfrsOptions>().period = 250;
  EXPECT_DOUBLE_EQ(run("/per").jobs[0].start, 750);
}

// A job that starts at the instant of a tick and is moved by it: apart, it pays for the move; together, it starts where
// the tick puts it. Greedy puts the arrival on node 1 (node 0 is loaded); MCB8 packs both onto node 0.
TEST_F(SimulationByHand, TicksApartOrTogether) {
  nodes(2);
  job(0, 1, 0.5, 10, 5000);
  job(600, 1, 0.5, 10, 1000);
  RunResult r = run("Greedy/per");
  EXPECT_EQ(r.jobs[1].moves, 1u);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 600 + 300 + 1000);
  options_.events_apart = false;
  r = run("Greedy/per");
  EXPECT_EQ(r.jobs[1].moves, 0u);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 600 + 1000);
}

// Two submissions of one instant, of which the second pauses the first. Apart, the first has started and pays on
// resuming; merged, it never ran.
TEST_F(SimulationByHand, SubmissionsApartOrTogether) {
  nodes(1);
  job(0, 1, 1, 60, 100);
  job(0, 1, 1, 90, 50);
  RunResult r = run("GreedyP*");
  EXPECT_EQ(r.jobs[0].pauses, 1u);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 50 + 300 + 100);
  options_.events_apart = false;
  r = run("GreedyP*");
  EXPECT_EQ(r.jobs[0].pauses, 0u);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 50 + 100);
}

// MINVT keeps it where it is until the tick at which it has 600 s of virtual time.
TEST_F(SimulationByHand, MinvtDelaysTheMove) {
  nodes(2);
  job(0, 1, 0.5, 10, 5000);
  job(601, 1, 0.5, 10, 2000);
  RunResult r = run("Greedy/per");
  EXPECT_EQ(r.jobs[1].moves, 1u);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 601 + 2000 + 300);
  // vt at 1200 is 599: stays; at 1800 it is 1199: moves all the same.
  r = run("Greedy/per/MINVT=600");
  EXPECT_EQ(r.jobs[1].moves, 1u);
  r = run("Greedy/per/MINVT=3000");
  EXPECT_EQ(r.jobs[1].moves, 0u);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 2601);
}

TEST_F(SimulationByHand, AJobWithoutWorkEndsWhenItStarts) {
  nodes(1);
  job(10, 1, 1, 10, 0);
  job(10, 1, 1, 10, 5);
  for (const char* name : {"FCFS", "EASY", "Greedy*", "GreedyP*/per", "MCB8*", "Greedy*/OPT=MIN"}) {
    const RunResult r = run(name);
    EXPECT_DOUBLE_EQ(r.jobs[0].end, 10) << name;
    EXPECT_GE(r.jobs[1].end, 15) << name;
  }
  EXPECT_DOUBLE_EQ(run("/per").jobs[0].end, 600);
}

// "*": of the postponed jobs the one with the highest priority first, then the next that fits. All have vt 0, so
// the earlier submission is first; the second does not fit beside the first, the third does.
TEST_F(SimulationByHand, OpportunisticStartsSkipWhatDoesNotFit) {
  nodes(1);
  job(0, 1, 1, 90, 100);
  job(1, 1, 1, 60, 100);
  job(2, 1, 1, 60, 100);
  job(3, 1, 1, 30, 100);
  const RunResult r = run("Greedy*");
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 100);
  EXPECT_DOUBLE_EQ(r.jobs[3].start, 100);
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 300);
}

// 4 nodes. a: 2 nodes until 100. b: 4 nodes, waits: shadow 100, extra 0. c: 2 nodes for 90 s, ends before. d as c but
// longer must wait.
TEST_F(SimulationByHand, EasyBackfillsWhatEndsBeforeTheShadowTime) {
  nodes(4);
  job(0, 2, 1, 10, 100);
  job(1, 4, 1, 10, 50);
  job(2, 2, 1, 10, 90);
  RunResult r = run("EASY");
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 2);
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 100);
  EXPECT_DOUBLE_EQ(run("EASY/extra-only").jobs[2].start, 150);
  EXPECT_DOUBLE_EQ(run("FCFS").jobs[2].start, 150);
  instance_.jobs[2].estimate = 99;  // 2 + 99 > 100
  EXPECT_DOUBLE_EQ(run("EASY").jobs[2].start, 150);
  instance_.jobs[2].estimate = 98;  // just in time
  EXPECT_DOUBLE_EQ(run("EASY").jobs[2].start, 2);
}

// b needs 3 of 4 nodes at 100: one is extra. c takes it for long; d, too, would take it, but it is gone.
TEST_F(SimulationByHand, EasyUsesExtraNodes) {
  nodes(4);
  job(0, 2, 1, 10, 100);
  job(1, 3, 1, 10, 50);
  job(2, 1, 1, 10, 1000);
  job(3, 1, 1, 10, 1000);
  for (const char* name : {"EASY", "EASY/extra-only"}) {
    const RunResult r = run(name);
    EXPECT_DOUBLE_EQ(r.jobs[2].start, 2) << name;
    EXPECT_DOUBLE_EQ(r.jobs[1].start, 100) << name;
    EXPECT_DOUBLE_EQ(r.jobs[3].start, 150) << name;
  }
  EXPECT_DOUBLE_EQ(run("FCFS").jobs[2].start, 100);
}

// A job that runs longer than estimated: the shadow time is never in the past.
TEST_F(SimulationByHand, EasyWithAnOverdueJob) {
  nodes(2);
  job(0, 1, 1, 10, 100, 10);
  job(1, 2, 1, 10, 50);
  job(50, 1, 1, 10, 5);
  const RunResult r = run("EASY");
  // At 50 the first is overdue: it may end any moment, and 50 + 5 > 50.
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 150);
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 100);
}

TEST_F(SimulationByHand, FcfsIsEasyWhereNothingCanJump) {
  nodes(3);
  for (int k = 0; k < 6; ++k) job(10 * k, 3, 1, 10, 100);
  const RunResult fcfs = run("FCFS");
  for (const char* name : {"EASY", "EASY/extra-only"}) {
    const RunResult r = run(name);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_DOUBLE_EQ(r.jobs[k].start, fcfs.jobs[k].start);
      EXPECT_DOUBLE_EQ(r.jobs[k].end, 100.0 * static_cast<double>(k + 1));
    }
  }
}

// a and b hold two of the four nodes each until 100; then c (3 nodes), d (4) and e (1, for long) wait. Of both ends
// together EASY starts c, and e would delay d. Of a's end alone it reserves c's nodes for 100, when b ends; one node is
// not needed for that, and e takes it.
TEST_F(SimulationByHand, PassPerEventOrPerInstant) {
  nodes(4);
  job(0, 2, 1, 10, 100);
  job(0, 2, 1, 10, 100);
  job(5, 3, 1, 10, 50);
  job(6, 4, 1, 10, 10);
  job(7, 1, 1, 10, 1000);
  RunResult r = run("EASY");
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 100);
  EXPECT_DOUBLE_EQ(r.jobs[3].start, 150);
  EXPECT_DOUBLE_EQ(r.jobs[4].start, 160);
  options_.engine.of<BatchOptions>().pass_per_event = true;
  r = run("EASY");
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 100);
  EXPECT_DOUBLE_EQ(r.jobs[3].start, 1100);
  EXPECT_DOUBLE_EQ(r.jobs[4].start, 100);
}

// Six tasks of half a node's CPU and 30 MiB on nodes of 100 MiB: two by CPU and three by memory fit a node, so packed
// they take 3 of the 4 nodes and leave one for b; a node per task they never start.
TEST_F(SimulationByHand, PackedBatchNodesHoldWhatTheyHaveCpuAndMemoryFor) {
  nodes(4);
  job(0, 6, 0.5, 30, 100);
  job(1, 1, 1, 10, 50);
  job(2, 2, 1, 10, 10);  // waits for two whole nodes: b's at 51 and none else before 100
  options_.engine.of<BatchOptions>().pack_tasks = true;
  for (const char* name : {"FCFS", "EASY", "EASY/extra-only"}) {
    const RunResult r = run(name);
    EXPECT_DOUBLE_EQ(r.jobs[0].start, 0);
    EXPECT_DOUBLE_EQ(r.jobs[0].end, 100);
    EXPECT_DOUBLE_EQ(r.jobs[1].start, 1);
    EXPECT_DOUBLE_EQ(r.jobs[2].start, 100);
  }
  options_.engine.of<BatchOptions>().pack_tasks = false;
  EXPECT_THAT(message_of(kExitInput, outcome("EASY")), HasSubstr("--batch-nodes packed"));
}

// Memory limits before CPU does: one task of 60 MiB per node of 100.
TEST_F(SimulationByHand, PackedBatchNodesRespectMemory) {
  nodes(2);
  job(0, 2, 0.25, 60, 100);
  job(1, 1, 0.25, 60, 10);
  options_.engine.of<BatchOptions>().pack_tasks = true;
  EXPECT_DOUBLE_EQ(run("EASY").jobs[1].start, 100);
}

// Two jobs of 60 MiB on a node, a period of 1 s and a penalty of 300 s: with MCB8 at each tick they push each other out
// whenever their priorities cross, and next to no work is ever done.
TEST_F(SimulationByHand, EndlessPausesAreAnErrorNotAHang) {
  nodes(1);
  job(0, 1, 1, 60, 1e9);
  job(0, 1, 1, 60, 1e9);
  options_.engine.of<DfrsOptions>().period = 1;
  EXPECT_THAT(
      message_of(kExitInput, outcome("/per")),
      AllOf(HasSubstr("no job has completed"), HasSubstr("2 jobs in the system"), HasSubstr("a longer period helps")));
}

// A period of 1 s makes more than a million ticks, each of which does work.
TEST_F(SimulationByHand, ALongJobUnderManyTicksCompletes) {
  nodes(1);
  job(0, 1, 1, 60, 1.2e6);
  options_.engine.of<DfrsOptions>().period = 1;
  EXPECT_EQ(run("/per").jobs.front().end, 1.2e6);
}

TEST_F(SimulationByHand, TicksBeyondMeasureAreAnErrorThatSaysSo) {
  nodes(1);
  job(0, 1, 1, 60, 1e9);
  options_.engine.of<DfrsOptions>().period = 1;
  EXPECT_THAT(message_of(kExitInput, outcome("/per")),
              AllOf(HasSubstr("1 job in the system, 1 of them running"), HasSubstr("more ticks"),
                    HasSubstr("longer period"), Not(HasSubstr("consumed all progress"))));
}

TEST_F(SimulationByHand, BadOptionsAreUsageErrors) {
  nodes(1);
  job(0, 1, 1, 10, 10);
  options_.engine.of<DfrsOptions>().period = 0;
  EXPECT_THAT(message_of(kExitUsage, outcome("/per")), HasSubstr("period"));
}

TEST_F(SimulationByHand, AJobThatNeverFitsIsAnInputError) {
  nodes(1);
  job(0, 2, 1, 60, 10);
  EXPECT_THAT(message_of(kExitInput, outcome("Greedy*")), HasSubstr("by-hand: 1 job never starts"));
  EXPECT_THAT(message_of(kExitInput, outcome("FCFS")), HasSubstr("never start"));
}

TEST_F(SimulationByHand, NoJobsNoSteps) {
  nodes(1);
  EXPECT_EQ(run("GreedyPM*/per").steps, 0u);
}

}  // namespace
}  // namespace dfrs::sim
