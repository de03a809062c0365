// SPDX-License-Identifier: GPL-2.0-or-later
// Batch scheduling on shared nodes: schedules by hand, and where it must be the same as on whole nodes.
#include <gtest/gtest.h>

#include "sim/host/simulation.h"
#include "tests/oracle/dice.h"
#include "tests/sim/host/by_hand.h"

namespace dfrs::sim {
namespace {

class SharedNodes : public ByHand {
 protected:
  std::vector<Seconds> starts(const char* algorithm) {
    run_ = run(algorithm);
    std::vector<Seconds> out;
    for (const JobRecord& record : run_.jobs) out.push_back(record.start);
    return out;
  }

  RunResult run_;
};

using Starts = std::vector<Seconds>;

TEST_F(SharedNodes, JobsShareANodeButNoCpu) {
  nodes(1);
  job(0, 1, 0.5, 10, 100);
  job(0, 1, 0.5, 10, 50);
  job(0, 1, 0.5, 10, 10);
  EXPECT_EQ(starts("FCFS/shared"), (Starts{0, 0, 50}));
  EXPECT_EQ(run_.jobs[0].end, 100);  // at full speed
  EXPECT_EQ(run_.jobs[2].end, 60);
}

TEST_F(SharedNodes, MemoryIsALimitAsCpuIs) {
  nodes(2);
  job(0, 1, 0.25, 60, 100);
  job(0, 1, 0.25, 60, 80);
  job(0, 1, 0.25, 60, 10);  // no node has 60 left until 80
  job(0, 2, 0.25, 20, 10);  // but has 20: FCFS still lets it wait
  EXPECT_EQ(starts("FCFS/shared"), (Starts{0, 0, 80, 80}));
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 0, 80, 0}));
}

TEST_F(SharedNodes, AJobThatEndsByTheShadowTimeJumpsAhead) {
  nodes(1);
  job(0, 1, 0.5, 10, 100);
  job(1, 1, 1, 10, 10);    // shadow time 100
  job(2, 1, 0.5, 10, 98);  // ends at 100
  job(3, 1, 0.5, 10, 5);
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 100, 2, 110}));
  instance_.jobs[2].run_time = instance_.jobs[2].estimate = 99;
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 100, 110, 3}));
}

// The head needs memory of node 0 at 100; only jobs that leave it that memory may start and stay.
TEST_F(SharedNodes, AJobBesideTheReservationJumpsAhead) {
  nodes(2);
  job(0, 1, 0.5, 60, 100);   // node 0
  job(0, 1, 0.5, 60, 200);   // node 1
  job(1, 1, 0.5, 80, 10);    // the head: node 0 at 100, and leaves 20 there
  job(2, 1, 0.5, 30, 1000);  // not on node 0, but on node 1
  job(3, 1, 0.4, 40, 1000);  // fits node 0 now, but not beside the head
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 0, 100, 2, 110}));
}

TEST_F(SharedNodes, TasksOfAJobFillNodesOneAfterTheOther) {
  nodes(2);
  job(0, 3, 0.5, 10, 100);  // two on node 0, one on node 1
  job(0, 1, 0.5, 10, 100);
  job(0, 1, 0.5, 10, 100);
  EXPECT_EQ(starts("EASY/shared"), (Starts{0, 0, 100}));
}

// Where a task takes a whole node there is nothing to share: the same as the papers' batch policies.
TEST(SharedNodesRandom, EqualsWholeNodesWhereTasksTakeWholeNodes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    oracle::Dice dice(seed);
    Instance instance;
    instance.name = "random";
    instance.platform = Platform::homogeneous(8, 100);
    Seconds now = 0;
    for (int k = 0; k < 60; ++k) {
      Job job;
      job.id = static_cast<JobId>(k + 1);
      job.submit = now;
      now += 3 * dice.between(0, 8);
      job.tasks = static_cast<int>(dice.between(1, 8));
      job.rigid[kMemory] = dice.between(1, 100);
      job.run_time = 5 * dice.between(1, 20);
      job.estimate = job.run_time * dice.between(1, 3);
      instance.jobs.push_back(job);
    }
    for (const auto& [shared, whole] : {std::pair("FCFS/shared", "FCFS"), std::pair("EASY/shared", "EASY")}) {
      const RunResult a = simulate(instance, *parse_algorithm(shared), {});
      const RunResult b = simulate(instance, *parse_algorithm(whole), {});
      for (std::size_t k = 0; k < instance.jobs.size(); ++k) {
        ASSERT_EQ(a.jobs[k].start, b.jobs[k].start) << shared << " seed " << seed << " job " << k + 1;
      }
    }
  }
}

}  // namespace
}  // namespace dfrs::sim
