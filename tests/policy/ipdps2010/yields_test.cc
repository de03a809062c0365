// SPDX-License-Identifier: GPL-2.0-or-later
// Both heuristics for CPU: cases worked out by hand, and comparison with plain implementations on random cases.
#include <gtest/gtest.h>

#include <deque>

#include "policy/ipdps2010/lowest_need.h"
#include "policy/ipdps2010/lowest_stretch.h"
#include "tests/oracle/ipdps2010.h"
#include "tests/oracle/random_case.h"
#include "tests/oracle/yields.h"

namespace dfrs::ipdps2010 {
namespace {

constexpr double kTolerance = 1e-7;  // two bisections, and thresholds for what counts as nothing

// By slot, 0 where the job does not run.
std::vector<double> solve(YieldRule& rule, const ClusterView& view, Seconds horizon) {
  ClusterState state;
  state.resync(view);
  CpuContention contention;
  contention.build(state, view);
  std::vector<double> limited(contention.jobs().size());
  rule.solve(contention, view, horizon, limited);
  std::vector<double> yields(view.jobs.size(), 0.0);
  for (JobSlot job : contention.running()) yields[job] = 1;
  for (std::size_t k = 0; k < limited.size(); ++k) yields[contention.jobs()[k].slot] = limited[k];
  return yields;
}

// Running jobs on nodes of CPU 1.
class ByHand : public testing::Test {
 protected:
  ClusterView view(std::size_t nodes) {
    nodes_.resize(nodes);
    return {1000, nodes_, jobs_, 1};
  }
  void job(double need, std::vector<NodeIndex> nodes, Seconds flow = 600, Seconds progress = 0) {
    JobView job;
    job.id = jobs_.size() + 1;
    job.state = JobState::running;
    job.cpu_need = need;
    job.submit = 1000 - flow;
    job.clock = {progress, 1000, 0};
    job.tasks = static_cast<std::uint32_t>(nodes.size());
    job.nodes = placements_.emplace_back(std::move(nodes));
    jobs_.push_back(job);
  }

 private:
  std::vector<NodeView> nodes_;
  std::vector<JobView> jobs_;
  std::deque<std::vector<NodeIndex>> placements_;
};

using LowestNeedByHand = ByHand;

// Node 0 has load 2, so all get 1/2 and node 0 is full. Node 1 uses 0.5 + 0.25 + 0.125; the eighth that is left is
// exactly what the job with the lowest need lacks. (Max-min would divide it between the last two.)
TEST_F(LowestNeedByHand, SpareCpuGoesToTheJobThatWantsLeast) {
  job(1, {0, 1});
  job(1, {0});
  job(0.5, {1});
  job(0.25, {1});
  LowestNeed rule;
  EXPECT_EQ(solve(rule, view(2), 600), (std::vector<double>{0.5, 0.5, 0.5, 1}));
}

// The need of all tasks counts: the second job needs 0.6 in total, the third 0.5.
TEST_F(LowestNeedByHand, NeedIsThatOfAllTasks) {
  job(1, {0, 0, 0});
  job(0.3, {1, 2});
  job(0.5, {1});
  job(1, {1});
  LowestNeed rule;
  const std::vector<double> yields = solve(rule, view(3), 600);
  // 1/3 each. Node 1 has 1 - 1.8/3 left: the third takes 0.5 x 2/3 of it, the second the rest.
  EXPECT_NEAR(yields[0], 1.0 / 3, 1e-12);
  EXPECT_NEAR(yields[1], 1.0 / 3 + (0.4 - 1.0 / 3) / 0.3, 1e-12);
  EXPECT_NEAR(yields[2], 1, 1e-12);
  EXPECT_NEAR(yields[3], 1.0 / 3, 1e-12);
}

using LowestStretchByHand = ByHand;

// T = 600. The first has run for all of its 600 s, the second not at all: s = 1/2 would give 0 and 1, but no job gets
// less than 0.01.
TEST_F(LowestStretchByHand, WhoWasServedWellGetsTheLeast) {
  job(1, {0}, 600, 600);
  job(1, {0}, 600, 0);
  LowestStretch rule;
  const std::vector<double> yields = solve(rule, view(1), 600);
  EXPECT_NEAR(yields[0], 0.01, kTolerance);
  EXPECT_NEAR(yields[1], 0.99, kTolerance);
}

// (1200 s - 600) / 600 + 900 s / 600 = 1 for s = 4/7.
TEST_F(LowestStretchByHand, EqualEstimates) {
  job(1, {0}, 600, 600);
  job(1, {0}, 300, 0);
  LowestStretch rule;
  const std::vector<double> yields = solve(rule, view(1), 600);
  EXPECT_NEAR(yields[0], 1.0 / 7, kTolerance);
  EXPECT_NEAR(yields[1], 6.0 / 7, kTolerance);
}

// The first has waited for 6000 s: no yield brings its estimate near those of the others. It runs at full speed, and
// they share the other half as if it were not there.
TEST_F(LowestStretchByHand, OutOfReachMeansFullSpeed) {
  job(0.5, {0}, 6000, 0);
  job(0.5, {0}, 600, 0);
  job(0.5, {0}, 600, 600);
  LowestStretch rule;
  const std::vector<double> yields = solve(rule, view(1), 600);
  EXPECT_NEAR(yields[0], 1, kTolerance);
  EXPECT_NEAR(yields[1], 0.99, kTolerance);
  EXPECT_NEAR(yields[2], 0.01, kTolerance);
}

// All equal except for their needs: 1/3 each, which fills node 0. The 1/15 that node 1 has left lowers the estimate of
// the fourth from 2.4 to 1200 / 550, that of the third only to 1200 / 540.
TEST_F(LowestStretchByHand, SpareCpuGoesWhereItLowersTheEstimateMost) {
  job(1, {0, 1}, 600, 300);
  job(1, {0}, 600, 300);
  job(1, {1}, 600, 300);
  job(0.8, {1}, 600, 300);
  job(1, {0}, 600, 300);
  LowestStretch rule;
  const std::vector<double> yields = solve(rule, view(2), 600);
  EXPECT_NEAR(yields[0], 1.0 / 3, kTolerance);
  EXPECT_NEAR(yields[1], 1.0 / 3, kTolerance);
  EXPECT_NEAR(yields[2], 1.0 / 3, kTolerance);
  EXPECT_NEAR(yields[3], 1.0 / 3 + 1.0 / 15 / 0.8, kTolerance);
}

class YieldCases : public testing::TestWithParam<bool> {};

TEST_P(YieldCases, LowestNeedIsThePapersProcedure) {
  LowestNeed rule;
  int raised = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(1500); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_jobs = 12, .general = GetParam(), .waiting = false});
    const oracle::World world = random.world();
    const std::vector<double> expected = oracle::lowest_need_yields(world);
    const std::vector<double> yields = solve(rule, random.view(), 600);
    const double common = oracle::common_yield(world);
    for (JobSlot job : random.order) {
      ASSERT_NEAR(yields[job], expected[job], kTolerance) << "seed " << seed << " job " << job;
      raised += yields[job] > common * 1.001 && yields[job] < 0.999 ? 1 : 0;
    }
    ASSERT_TRUE(oracle::yields_fit(world, yields, 1e-9)) << "seed " << seed;
  }
  EXPECT_GT(raised, 50);
}

TEST_P(YieldCases, LowestStretchIsTheSameProcedureOnEstimates) {
  LowestStretch rule;
  int compared = 0, close_calls = 0, limited = 0;
  for (std::uint64_t seed = 1; seed <= oracle::cases(400); ++seed) {
    oracle::Dice dice(seed);
    const oracle::SnapshotCase random(dice, {.max_jobs = 12, .general = GetParam(), .waiting = false});
    const oracle::World world = random.world();
    const Seconds rest = 1 + dice.below(600);
    bool close_call = false;
    const std::vector<double> expected = oracle::lowest_stretch_yields(world, rest, close_call);
    const std::vector<double> yields = solve(rule, random.view(), rest);
    ASSERT_TRUE(oracle::yields_fit(world, yields, 1e-9)) << "seed " << seed;
    if (close_call) {
      ++close_calls;
      continue;
    }
    ++compared;
    for (JobSlot job : random.order) {
      ASSERT_NEAR(yields[job], expected[job], 1e-5) << "seed " << seed << " job " << job;
      limited += yields[job] > 0 && yields[job] < 1 ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 3 * close_calls);
  EXPECT_GT(limited, 100);
}

INSTANTIATE_TEST_SUITE_P(Platforms, YieldCases, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "General" : "EqualNodes"; });

}  // namespace
}  // namespace dfrs::ipdps2010
