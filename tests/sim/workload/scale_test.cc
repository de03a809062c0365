// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/scale.h"

#include <gtest/gtest.h>

#include "sim/errors.h"
#include "sim/workload/lublin.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

Instance sample() {
  // Work 2 x 0.5 x 100 + 1 x 1 x 60 + 3 x 1 x 80 = 400 on 2 nodes in 160 s: load 1.25.
  return {"hand",
          Platform::homogeneous(2, 100),
          {Job{1, 40, 2, 0.5, {}, 100, 100}, Job{2, 80, 1, 1.0, {}, 60, 60}, Job{3, 200, 3, 1.0, {}, 80, 80}}};
}

TEST(OfferedLoad, IsWorkPerTimeAndCapacity) { EXPECT_DOUBLE_EQ(or_throw(offered_load(sample())), 1.25); }

TEST(ScaledToLoad, MultipliesTheTimesBetweenSubmissions) {
  const Instance scaled = or_throw(scaled_to_load(sample(), 0.5));  // 2.5 times slower
  EXPECT_EQ(scaled.name, "hand-load-0.5");
  EXPECT_DOUBLE_EQ(scaled.jobs[0].submit, 40);
  EXPECT_DOUBLE_EQ(scaled.jobs[1].submit, 40 + 2.5 * 40);
  EXPECT_DOUBLE_EQ(scaled.jobs[2].submit, 40 + 2.5 * 160);
  EXPECT_EQ(scaled.jobs[2].run_time, 80);
  EXPECT_DOUBLE_EQ(or_throw(offered_load(scaled)), 0.5);
}

TEST(ScaledToLoad, GivesThePapersNineLoads) {
  const Instance trace = or_throw(lublin_instance({}));
  for (int tenth = 1; tenth <= 9; ++tenth) {
    const Instance scaled = or_throw(scaled_to_load(trace, tenth / 10.0));
    EXPECT_NEAR(or_throw(offered_load(scaled)), tenth / 10.0, 1e-12);
    EXPECT_EQ(scaled.name, "lublin-1-load-0." + std::to_string(tenth));
    for (std::size_t i = 1; i < scaled.jobs.size(); ++i) ASSERT_GE(scaled.jobs[i].submit, scaled.jobs[i - 1].submit);
  }
}

TEST(ScaledToLoad, RefusesWhatCannotBeScaled) {
  EXPECT_EQ(code_of(scaled_to_load(sample(), 0)), kExitUsage);
  EXPECT_EQ(code_of(scaled_to_load(sample(), -1)), kExitUsage);
  EXPECT_EQ(message_of(kExitInput, scaled_to_load(sample(), 1e-9)),
            "hand: scaled to load 1e-09 its jobs arrive until 2e+11 s, more than the 1e+10 s a trace may last");
  Instance idle = sample();
  for (Job& job : idle.jobs) job.run_time = 0;
  EXPECT_EQ(message_of(kExitInput, scaled_to_load(idle, 1)), "hand: cannot be scaled to a load: its jobs have no work");
  Instance one = sample();
  one.jobs.resize(1);
  EXPECT_EQ(message_of(kExitInput, offered_load(one)),
            "hand: no offered load: at least two jobs with different submit times are needed");
  one.jobs.clear();
  EXPECT_EQ(code_of(offered_load(one)), kExitInput);
}

}  // namespace
}  // namespace dfrs::sim
