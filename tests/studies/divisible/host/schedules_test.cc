// SPDX-License-Identifier: GPL-2.0-or-later
// Schedules computed by hand, for each algorithm of RR-5724.
#include <gtest/gtest.h>

#include "sim/errors.h"
#include "studies/divisible/host/simulation.h"
#include "tests/sim/failure_message.h"
#include "tests/studies/divisible/host/schedule_checker.h"

namespace dfrs::sim::divisible {
namespace {

using dfrs::divisible::Algorithm;
using Times = std::vector<double>;

// One processor of speed 1 with one databank: flow time / size is the stretch.
Instance one_processor(std::vector<Job> jobs) { return {"one", 1, {{1, 1.0, {0}}}, std::move(jobs)}; }

// Cluster 0 of power 1 holds both databanks, cluster 1 of power 2 holds databank 1 alone.
Instance two_clusters(std::vector<Job> jobs) { return {"two", 2, {{1, 1.0, {0, 1}}, {2, 1.0, {1}}}, std::move(jobs)}; }

Times completions(const Instance& instance, Algorithm algorithm) {
  const RunResult run = or_throw(simulate(instance, algorithm, {StretchBasis::platform, true}));
  EXPECT_TRUE(check_schedule(instance, run)) << algorithm_name(algorithm);
  return run.completions;
}

void expect_times(const Instance& instance, Algorithm algorithm, const Times& expected) {
  const Times got = completions(instance, algorithm);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t j = 0; j < got.size(); ++j) {
    EXPECT_NEAR(got[j], expected[j], 1e-8) << algorithm_name(algorithm) << ", job " << j;
  }
}

TEST(DivisibleSchedule, ListRulesOnOneProcessor) {
  // At 4 the first job has 2 of 6 left, a job of 3 arrives: SRPT goes on (2 < 3), SWRPT changes (12 > 9), SPT too.
  const Instance long_first = one_processor({{0, 6, 0}, {4, 3, 0}});
  expect_times(long_first, Algorithm::srpt, {6, 9});
  expect_times(long_first, Algorithm::swrpt, {9, 7});
  expect_times(long_first, Algorithm::spt, {9, 7});
  expect_times(long_first, Algorithm::mct_div, {6, 9});
  expect_times(long_first, Algorithm::mct, {6, 9});
  // At 2 it has 2 of 4 left, a job of 3 arrives: SWRPT goes on (8 < 9), SPT changes.
  const Instance close = one_processor({{0, 4, 0}, {2, 3, 0}});
  expect_times(close, Algorithm::swrpt, {4, 7});
  expect_times(close, Algorithm::spt, {7, 5});
}

TEST(DivisibleSchedule, ListRuleSpreadsAJobOverWhatIsFree) {
  // The small job takes both clusters until 0.8, at rate 3; then the other has cluster 0 alone.
  expect_times(two_clusters({{0, 3, 0}, {0, 2.4, 1}}), Algorithm::spt, {3.8, 0.8});
  // The first takes cluster 0, the second cluster 1, at once; from 3 on it has both.
  expect_times(two_clusters({{0, 3, 0}, {1, 7, 1}}), Algorithm::mct_div, {3, 4});
  // SRPT: at 1 the first has 2 left of 3, the second 1.5: it preempts on cluster 0 for half a second.
  expect_times(two_clusters({{0, 3, 0}, {1, 1.5, 1}}), Algorithm::srpt, {3.5, 1.5});
  // SWRPT: 2 x 3 > 1.8 x 1.8.
  expect_times(two_clusters({{0, 3, 0}, {1, 1.8, 1}}), Algorithm::swrpt, {3.6, 1.6});
}

TEST(DivisibleSchedule, MctTakesTheProcessorThatEndsFirst) {
  // Cluster 0: two processors of speed 1. Cluster 1: one of speed 3.
  const Instance instance{
      "mct", 1, {{2, 1.0, {0}}, {1, 3.0, {0}}}, {{0, 6, 0}, {0, 6, 0}, {0, 1.5, 0}, {1, 1, 0}, {1, 2.5, 0}}};
  // Fast one until 2, then until 4; a slow one for the third; the other slow one from 1 to 2; then the fifth would end
  // at 1.5 + 2.5, 2 + 2.5 or 4 + 2.5 / 3.
  expect_times(instance, Algorithm::mct, {2, 4, 1.5, 2, 4});
}

TEST(DivisibleSchedule, MctDivEndsAsEarlyAsWhatIsThereAllows) {
  // Cluster 0 is busy until 3, cluster 1 free: 2 x 2 until 3, then the 3 left at rate 3.
  expect_times(two_clusters({{0, 3, 0}, {1, 7, 1}, {2, 1, 0}}), Algorithm::mct_div, {3, 4, 5});
}

TEST(DivisibleSchedule, Bender02ByPseudoStretch) {
  // Sizes 4 and 1: D = 4, so small jobs wait by t / 2, the large one by t / 4. At 1 the large one has 0.25, the new one
  // 0. At 3 it has 0.75, the second job 1: it preempts until 4, when the large has 1 and the third 0.5.
  expect_times(one_processor({{0, 4, 0}, {1, 1, 0}, {3, 1, 0}}), Algorithm::bender02, {5, 4, 6});
}

TEST(DivisibleSchedule, Bender98ByStretchedDeadlines) {
  // At 3.9 the optimum of both is 1.1 (the large one ends first), D = 4: deadlines 8.8 and 3.9 + 2.2.
  expect_times(one_processor({{0, 4, 0}, {3.9, 1, 0}}), Algorithm::bender98, {5, 4.9});
  // At 3 the optimum is 4 / 3, D = 4 / 3: deadlines 6.16 and 7.62. SPT would change.
  expect_times(one_processor({{0, 4, 0}, {3, 3, 0}}), Algorithm::bender98, {4, 7});
}

TEST(DivisibleSchedule, OfflineMeetsTheOptimumByHand) {
  // The small job first: 5 / 4; after the large one it would have 4.
  const Instance soon = one_processor({{0, 4, 0}, {1, 1, 0}});
  Times end = completions(soon, Algorithm::offline);
  EXPECT_NEAR(end[0], 5, 1e-8);
  EXPECT_LE(end[1], 2.25 + 1e-8);
  // At 1.1 no instant until 5 may be idle. The large one may end at 4.4, where the first interval of the small one
  // ends; it ends there, so it goes first in that interval.
  expect_times(one_processor({{0, 4, 0}, {3.9, 1, 0}}), Algorithm::offline, {4, 5});
  // Knowing of the small jobs at 2 and 3, it keeps the first waiting: at stretch F the last ends at 3 + F, all work is
  // 6 from 0 on, so one of them ends at 6 or later: the large one with 6 / 4.
  end = completions(one_processor({{0, 4, 0}, {2, 1, 0}, {3, 1, 0}}), Algorithm::offline);
  EXPECT_NEAR(end[0], 6, 1e-8);
  EXPECT_LE(end[1], 3.5 + 1e-8);
  EXPECT_LE(end[2], 4.5 + 1e-8);
}

TEST(DivisibleSchedule, OnlineVariantsOnOneProcessor) {
  for (const Algorithm algorithm : {Algorithm::online, Algorithm::online_edf, Algorithm::online_egdf}) {
    // At 1: best 5 / 4, deadlines 5 and 2.25. System (2) packs the small job into [1, 2.25], where it ends and so goes
    // first.
    expect_times(one_processor({{0, 4, 0}, {1, 1, 0}}), algorithm, {5, 2});
    // At 3.9: best 1.1, which only the large one first has.
    expect_times(one_processor({{0, 4, 0}, {3.9, 1, 0}}), algorithm, {4, 5});
    // At 2 the best is 1.25 (large one 5). At 3 the second is complete, 2 of the large one left: the best is 6 / 4,
    // where the third may end at 4.5; System (2) takes it first.
    expect_times(one_processor({{0, 4, 0}, {2, 1, 0}, {3, 1, 0}}), algorithm, {6, 3, 4});
  }
}

TEST(DivisibleSchedule, OnlineVariantsOnTwoClusters) {
  // Both of power 1; databank 0 on the first alone. Weights 1 and 2 / 3: the best is 2, deadlines 2 and 3. The first
  // job needs all of cluster 0 until 2, the second has cluster 1 until then and 1 unit left for [2, 3].
  const Instance instance{"two", 2, {{1, 1.0, {0, 1}}, {1, 1.0, {1}}}, {{0, 2, 0}, {0, 3, 1}}};
  // The list takes both clusters for what is left.
  expect_times(instance, Algorithm::online_egdf, {2, 2.5});
  for (const Algorithm algorithm : {Algorithm::online, Algorithm::online_edf}) {
    // Where the last unit is done is for the solver to choose.
    const Times end = completions(instance, algorithm);
    EXPECT_NEAR(end[0], 2, 1e-8) << algorithm_name(algorithm);
    EXPECT_GE(end[1], 2.5 - 1e-8) << algorithm_name(algorithm);
    EXPECT_LE(end[1], 3 + 1e-8) << algorithm_name(algorithm);
  }
}

TEST(DivisibleSchedule, MetricsByHand) {
  const Instance instance = two_clusters({{0, 3, 0}, {0, 2.4, 1}});
  const RunResult run = or_throw(simulate(instance, Algorithm::spt, {}));
  // Whole platform: power 3. Databank 0 has power 1 in reach, databank 1 all of it.
  const Metrics platform = measure(instance, run, StretchBasis::platform);
  EXPECT_NEAR(platform.max_stretch, 3.8, 1e-9);
  EXPECT_NEAR(platform.sum_stretch, 4.8, 1e-9);
  EXPECT_NEAR(platform.mean_flow, 2.3, 1e-9);
  EXPECT_NEAR(platform.utilization, 5.4 / (3 * 3.8), 1e-9);
  const Metrics reach = measure(instance, run, StretchBasis::reach);
  EXPECT_NEAR(reach.max_stretch, 3.8 / 3, 1e-9);
  EXPECT_NEAR(reach.sum_stretch, 3.8 / 3 + 1, 1e-9);
}

TEST(DivisibleSchedule, WrongInstancesAreRefused) {
  const auto refused = [](Instance instance) {
    EXPECT_EQ(code_of(simulate(instance, Algorithm::spt, {})), kExitInput) << instance.name;
  };
  refused({"nowhere", 2, {{1, 1.0, {0}}}, {{0, 1, 1}}});
  refused({"unsorted", 1, {{1, 1.0, {0}}}, {{1, 1, 0}, {0, 1, 0}}});
  refused({"empty job", 1, {{1, 1.0, {0}}}, {{0, 0, 0}}});
  refused({"no speed", 1, {{1, 0.0, {0}}}, {{0, 1, 0}}});
  refused({"twice", 1, {{1, 1.0, {0, 0}}}, {{0, 1, 0}}});
}

TEST(DivisibleSchedule, CheckerNotices) {
  const Instance instance = two_clusters({{0, 3, 0}, {0, 2.4, 1}});
  const RunResult good = or_throw(simulate(instance, Algorithm::spt, {StretchBasis::platform, true}));
  ASSERT_TRUE(check_schedule(instance, good));
  RunResult bad = good;
  bad.segments.front().rate *= 1.5;
  EXPECT_FALSE(check_schedule(instance, bad));
  bad = good;
  bad.segments.back().cluster = 1;
  EXPECT_FALSE(check_schedule(instance, bad));
  bad = good;
  bad.segments.pop_back();
  EXPECT_FALSE(check_schedule(instance, bad));
  bad = good;
  bad.completions[0] += 1;
  EXPECT_FALSE(check_schedule(instance, bad));
}

}  // namespace
}  // namespace dfrs::sim::divisible
