// SPDX-License-Identifier: GPL-2.0-or-later
// What an observer goes on from, and what it forgets. How looks become stays: tests/shim/web/live_schedule_test.cc.
#include "timeline/observed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrs::timeline {
namespace {

using testing::ElementsAre;

constexpr Seconds kStart = 1'000'000;

class Observed : public testing::Test {
 protected:
  struct Seen {
    JobId id = 0;
    double yield = 0;  // 0: it waits
    std::uint64_t pauses = 0;
  };
  static void look(ObservedSchedule& by, Seconds after, const std::vector<Seen>& jobs) {
    by.begin_sample(kStart + after);
    const NodeIndex node = by.node("n", 4, 1000);
    for (const Seen& seen : jobs) {
      SeenJob job;
      job.id = seen.id;
      job.submit = kStart;
      job.cpus = 2;
      job.pauses = seen.pauses;
      job.yield = seen.yield;
      if (seen.yield > 0) job.nodes = {&node, 1};
      by.see(job);
    }
    by.end_sample();
  }
  static std::size_t size(const Schedule& all) {
    return all.jobs.size() + all.stays.size() + all.nodes.size() + all.steps.size();
  }
};

// Two observers, one after the other, see what one alone would have seen.
TEST_F(Observed, GoesOnFromAnother) {
  ObservedSchedule one(1000);
  ObservedSchedule first(1000);
  ObservedSchedule second(1000);
  const std::vector<std::vector<Seen>> looks = {{{1, 1}, {2, 0}},    {{1, 0.5}, {2, 0.5}},        {{1, 0, 1}, {2, 1}},
                                                {{1, 0, 1}, {3, 1}}, {{1, 1, 1}, {3, 1}, {4, 0}}, {{1, 1, 1}, {4, 1}}};
  for (std::size_t k = 0; k < looks.size(); ++k) {
    const auto at = static_cast<Seconds>(10 * k);
    look(one, at, looks[k]);
    if (k < 3) look(first, at, looks[k]);
    if (k == 3) second.go_on_from(first.schedule(), first.reference_cpus());
    if (k >= 3) look(second, at, looks[k]);
  }
  const Schedule expected = one.schedule();
  const Schedule found = second.schedule();
  EXPECT_EQ(found.begin, expected.begin);
  EXPECT_EQ(found.end, expected.end);
  EXPECT_EQ(found.node_names, expected.node_names);
  ASSERT_EQ(found.jobs.size(), expected.jobs.size());
  for (std::size_t k = 0; k < found.jobs.size(); ++k) {
    EXPECT_EQ(found.jobs[k].id, expected.jobs[k].id);
    EXPECT_EQ(found.jobs[k].end, expected.jobs[k].end);
    EXPECT_EQ(found.jobs[k].cpu_need, expected.jobs[k].cpu_need);
  }
  ASSERT_EQ(found.stays.size(), expected.stays.size());
  for (std::size_t k = 0; k < found.stays.size(); ++k) {
    const Stay& a = found.stays[k];
    const Stay& b = expected.stays[k];
    EXPECT_EQ(std::tie(a.job, a.from, a.to, a.begin, a.end), std::tie(b.job, b.from, b.to, b.begin, b.end)) << k;
    ASSERT_EQ(a.step_count, b.step_count) << k;
    for (std::size_t s = 0; s < a.step_count; ++s) {
      EXPECT_EQ(found.steps_of(a)[s].at, expected.steps_of(b)[s].at);
      EXPECT_EQ(found.steps_of(a)[s].yield, expected.steps_of(b)[s].yield);
    }
  }
}

// The yield of a job that never ends changes all the time: the oldest are forgotten, and the newest are exact.
TEST_F(Observed, ForgetsOldYieldsOfWhatStillRuns) {
  ObservedSchedule observed(200);
  for (int k = 0; k < 5000; ++k) {
    look(observed, k, {{7, k % 2 == 0 ? 0.25 : 0.5}});
    const Schedule seen = observed.schedule();
    ASSERT_LE(size(seen), 200U) << k;
    ASSERT_EQ(seen.stays.size(), 1U);
    const auto steps = seen.steps_of(seen.stays[0]);
    ASSERT_EQ(steps.back().at, kStart + k);
    ASSERT_LE(seen.stays[0].from, steps.front().at);
    for (std::size_t s = 1; s < steps.size(); ++s) ASSERT_EQ(steps[s].at, steps[s - 1].at + 1);
    if (k > 200) {
      ASSERT_GT(steps.size(), 40U) << "no more than it must";
    }
  }
  EXPECT_GT(observed.schedule().begin, kStart);
}

TEST_F(Observed, ForgetsJobsThatNeverRan) {
  ObservedSchedule observed(200);
  for (int k = 0; k < 2000; ++k) {
    look(observed, k, {{static_cast<JobId>(100 + k), 0}});
    ASSERT_LE(observed.schedule().jobs.size(), 201U);
  }
  EXPECT_GT(observed.schedule().jobs.size(), 40U);
}

// What is in the cluster now may be more than is to be kept: it stays, and the rest does not grow without end.
TEST_F(Observed, KeepsWhatIsThereNow) {
  ObservedSchedule observed(100);
  std::vector<Seen> many;
  for (JobId id = 1; id <= 100; ++id) many.push_back({id, 1});
  for (int k = 0; k < 1000; ++k) {
    for (Seen& job : many) job.yield = k % 2 == 0 ? 0.5 : 1;
    look(observed, k, many);
    const Schedule seen = observed.schedule();
    ASSERT_EQ(seen.jobs.size(), 100U);
    ASSERT_EQ(seen.stays.size(), 100U);
    ASSERT_LE(size(seen), 1100U) << k;
  }
}

}  // namespace
}  // namespace dfrs::timeline
