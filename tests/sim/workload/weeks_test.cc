// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/weeks.h"

#include <gtest/gtest.h>

#include "sim/errors.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

Job job_at(JobId id, Seconds submit) {
  Job job;
  job.id = id;
  job.submit = submit;
  job.run_time = 7;
  return job;
}

TEST(Weeks, StartEmptyWithTheirOwnTimes) {
  Instance log{
      "log", Platform::homogeneous(3, 100), {job_at(1, 0), job_at(2, 604799.5), job_at(3, 604800), job_at(4, 2500000)}};
  const std::vector<Instance> weeks = or_throw(split_weeks(log, "kth"));
  ASSERT_EQ(weeks.size(), 3u);  // nothing was submitted in weeks 2 and 3
  EXPECT_EQ(weeks[0].name, "kth-week-000");
  EXPECT_EQ(weeks[1].name, "kth-week-001");
  EXPECT_EQ(weeks[2].name, "kth-week-004");
  ASSERT_EQ(weeks[0].jobs.size(), 2u);
  EXPECT_EQ(weeks[0].jobs[1].submit, 604799.5);
  ASSERT_EQ(weeks[1].jobs.size(), 1u);
  EXPECT_EQ(weeks[1].jobs[0], job_at(3, 0));
  EXPECT_EQ(weeks[2].jobs[0].submit, 2500000 - 4 * 604800);
  for (const Instance& week : weeks) EXPECT_EQ(week.platform, log.platform);
}

TEST(Weeks, MayHaveAnotherLength) {
  Instance log{"log", Platform::homogeneous(1, 0), {job_at(1, 5), job_at(2, 25)}};
  const std::vector<Instance> days = or_throw(split_weeks(log, "d", 10));
  ASSERT_EQ(days.size(), 2u);
  EXPECT_EQ(days[1].jobs[0].submit, 5);
  EXPECT_EQ(code_of(split_weeks(log, "d", 0)), kExitUsage);
}

}  // namespace
}  // namespace dfrs::sim
