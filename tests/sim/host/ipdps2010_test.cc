// SPDX-License-Identifier: GPL-2.0-or-later
// The algorithms of IPDPS 2010 on instances small enough to follow by hand. Nodes of CPU 1 and 100 MiB; no penalty
// unless one is given.
#include <gtest/gtest.h>

#include "policy/rr7659/options.h"
#include "tests/sim/host/by_hand.h"

namespace dfrs::sim {
namespace {

class Ipdps2010ByHand : public ByHand {
 protected:
  Ipdps2010ByHand() { options_.penalty = 0; }
  void job(Seconds submit, double need, RigidAmount memory, Seconds run_time) {
    ByHand::job(submit, 1, need, memory, run_time);
  }
};

// The second fails at 10, 12, 16, 24, 40 and 72; no attempt is made when the first ends at 100, so it starts at 136.
TEST_F(Ipdps2010ByHand, GreedyTriesAgainAfterPowersOfTwo) {
  nodes(1);
  job(0, 1, 60, 100);
  job(10, 1, 60, 50);
  const RunResult r = run("GREEDY");
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 136);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 186);
  EXPECT_EQ(r.jobs[0].pauses + r.jobs[0].moves + r.jobs[1].moves, 0u);
}

// One that is submitted meanwhile takes the memory, and the second fails once more: 136 + 128.
TEST_F(Ipdps2010ByHand, GreedyLetsLaterJobsOvertake) {
  nodes(1);
  job(0, 1, 60, 100);
  job(10, 1, 60, 50);
  job(110, 1, 60, 90);
  const RunResult r = run("GREEDY");
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 110);
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 264);
}

// At one instant, resubmitted jobs come before new ones.
TEST_F(Ipdps2010ByHand, GreedyTriesOldJobsBeforeNewOnes) {
  nodes(1);
  job(0, 1, 60, 100);
  job(10, 1, 60, 50);
  job(136, 1, 60, 10);
  const RunResult r = run("GREEDY");
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 136);
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 136 + 2 + 4 + 8 + 16 + 32);  // 186 is between 166 and 198
}

// No more than 2^12 s between attempts: 10, 12, 16 .. 4104, 8200, and 12296 instead of 16392.
TEST_F(Ipdps2010ByHand, GreedyWaitsNoLongerThan4096) {
  nodes(1);
  job(0, 1, 60, 8201);
  job(10, 1, 60, 50);
  EXPECT_DOUBLE_EQ(run("GREEDY").jobs[1].start, 12296);
}

// The first and the third share node 0, which is full at 1/2 each. Node 1 has 1/4 left, and the fourth, which wants
// least, gets it: full speed until 100. Max-min fair shares would be 2/3 for both on node 1.
TEST_F(Ipdps2010ByHand, SpareCpuGoesToTheSmallest) {
  nodes(2);
  job(0, 1, 10, 1000);
  job(0, 1, 10, 1000);
  job(0, 1, 10, 1000);
  job(0, 0.5, 10, 100);
  for (const char* name : {"GREEDY", "GREEDY-PMTN", "GREEDY-PMTN-MIGR"}) {
    EXPECT_DOUBLE_EQ(run(name).jobs[3].end, 100) << name;
  }
  EXPECT_DOUBLE_EQ(run("Greedy*").jobs[3].end, 150);
}

// P is paused at 100 for A, and A at 200 for N, which needs 20 MiB only: P has room again, at a submission. RR-7659's
// GreedyP* lets it wait for the next completion.
TEST_F(Ipdps2010ByHand, PausedJobsComeBackAtSubmissionsToo) {
  nodes(1);
  job(0, 0.2, 30, 1000);
  job(100, 0.2, 90, 500);
  job(200, 0.2, 20, 50);
  RunResult r = run("GREEDY-PMTN");
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 1100);        // paused from 100 to 200
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 1100 + 400);  // from 200 until the first has ended
  EXPECT_DOUBLE_EQ(r.jobs[2].end, 250);
  EXPECT_EQ(r.jobs[0].pauses, 1u);
  EXPECT_EQ(r.jobs[1].pauses, 1u);
  EXPECT_DOUBLE_EQ(run("GreedyP*").jobs[0].end, 1150);
  options_.penalty = 300;
  r = run("GREEDY-PMTN");
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 200 + 300 + 900);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 1400 + 300 + 400);
}

// The third needs a node for itself. The first, of lower priority, makes room; the second node could hold it.
TEST_F(Ipdps2010ByHand, MigrMovesWhatPmtnPauses) {
  nodes(2);
  job(0, 0.5, 40, 1000);   // node 0
  job(10, 0.5, 60, 2000);  // node 1
  job(100, 0.5, 90, 50);
  RunResult r = run("GREEDY-PMTN");
  EXPECT_EQ(r.jobs[0].pauses, 1u);
  EXPECT_EQ(r.jobs[0].moves, 0u);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 1050);  // it came back when the third had ended
  r = run("GREEDY-PMTN-MIGR");
  EXPECT_EQ(r.jobs[0].pauses, 0u);
  EXPECT_EQ(r.jobs[0].moves, 1u);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 1000);
  EXPECT_DOUBLE_EQ(r.moved_mib, 40);
  options_.penalty = 300;
  EXPECT_DOUBLE_EQ(run("GREEDY-PMTN-MIGR").jobs[0].end, 1300);
}

// At 25 the first has a priority of 30 / 12.5^2 = 0.192, the fourth, 8 s old, of 30 / 8^2: the first is paused. By the
// flow times as they are it would be 25 / 12.5^2 = 0.16 against 8 / 8^2, and the fourth would be.
TEST_F(Ipdps2010ByHand, PriorityCountsThirtySecondsAtLeast) {
  nodes(2);
  job(0, 1, 40, 1000);    // node 0
  job(0, 0.01, 100, 17);  // node 1
  job(0, 1, 10, 1000);    // node 0, where there is memory: half speed for both
  job(17, 1, 40, 1000);   // node 1
  job(25, 0.01, 90, 10);  // takes a node's memory
  RunResult r = run("GREEDY-PMTN");
  EXPECT_EQ(r.jobs[0].pauses, 1u);
  EXPECT_EQ(r.jobs[3].pauses, 0u);
  r = run("GreedyP*");
  EXPECT_EQ(r.jobs[0].pauses, 0u);
  EXPECT_EQ(r.jobs[3].pauses, 1u);
}

// Both do not fit: the one with less progress runs, and the other goes on when it has ended.
TEST_F(Ipdps2010ByHand, Dynmcb8RepacksAtEveryEvent) {
  nodes(1);
  job(0, 1, 60, 100);
  job(10, 1, 60, 20);
  const RunResult r = run("DYNMCB8");
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 10);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 30);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 120);
  EXPECT_EQ(r.jobs[0].pauses, 1u);
}

TEST_F(Ipdps2010ByHand, PerWaitsForTheTick) {
  nodes(1);
  job(0, 1, 60, 100);
  job(10, 1, 60, 20);
  RunResult r = run("DYNMCB8-PER");
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 100);
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 600);
  r = run("DYNMCB8-PER-50");  // 50: the first pauses; 70: nobody looks; 100: it goes on
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 50);
  EXPECT_DOUBLE_EQ(r.jobs[1].end, 70);
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 150);
  options_.engine.of<DfrsOptions>().period = 50;
  EXPECT_DOUBLE_EQ(run("DYNMCB8-PER").jobs[0].end, 150);
  EXPECT_DOUBLE_EQ(run("DYNMCB8-PER-600").jobs[0].end, 100);
}

// ASAP starts at once what there is memory for, and what there is none for waits for the tick.
TEST_F(Ipdps2010ByHand, AsapStartsWhatItCan) {
  nodes(1);
  job(0, 1, 60, 100);
  job(10, 1, 60, 20);
  job(20, 0.5, 30, 10);
  const RunResult r = run("DYNMCB8-ASAP-PER");
  EXPECT_DOUBLE_EQ(r.jobs[2].start, 20);
  EXPECT_DOUBLE_EQ(r.jobs[2].end, 35);  // 1.5 is wanted: 2/3 each
  EXPECT_DOUBLE_EQ(r.jobs[0].end, 105);
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 600);  // though the memory is free from 105 on
  EXPECT_DOUBLE_EQ(run("DYNMCB8-PER").jobs[2].start, 600);
  EXPECT_DOUBLE_EQ(run("DYNMCB8-ASAP-PER-15").jobs[1].start, 15);
}

// At 600 the first has a flow time of 600 s and as much progress, the second waited 300 s: 1/7 and 6/7 (see
// tests/policy/ipdps2010/yields_test.cc).
TEST_F(Ipdps2010ByHand, StretchPerFavoursWhoWaited) {
  nodes(1);
  job(0, 1, 10, 1000);
  job(300, 1, 10, 300);
  const RunResult r = run("DYNMCB8-STRETCH-PER");
  EXPECT_DOUBLE_EQ(r.jobs[1].start, 600);
  EXPECT_NEAR(r.jobs[1].end, 950, 1e-6);
  EXPECT_NEAR(r.jobs[0].end, 1300, 1e-6);  // 600 + 50 by then, 350 at full speed
}

}  // namespace
}  // namespace dfrs::sim
