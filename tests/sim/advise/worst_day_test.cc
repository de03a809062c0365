// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/advise/worst_day.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/host/serial_job.h"

namespace dfrs::sim {
namespace {

using timeline::Schedule;

StudyOptions one_thread() {
  StudyOptions options;
  options.threads = 1;
  return options;
}

// A node of 1024 MiB. The first job holds it from 1,000 to 91,000; the second waits from 81,000 on: 6,400 s of that on
// the first day, which begins at 1,000, and 3,600 s on the second.
std::vector<Instance> over_midnight() {
  return {{"quiet", Platform::homogeneous(1, 1024), {serial_job(1, 0, 768, 100), serial_job(2, 50, 512, 100)}},
          {"full", Platform::homogeneous(1, 1024), {serial_job(7, 1000, 768, 90000), serial_job(8, 81000, 512, 100)}}};
}

TEST(WorstDay, IsTheOneWithMostWaitingJobs) {
  const std::vector<Instance> samples = over_midnight();
  const auto day = or_throw(worst_day({{"EASY/shared", {}, &samples}, {"GreedyP*", {}, &samples}}, one_thread()));
  ASSERT_TRUE(day);
  EXPECT_EQ(day->sample, 1U);
  EXPECT_EQ(day->from, 1000);
  EXPECT_EQ(day->to, 87400);
  EXPECT_DOUBLE_EQ(day->waiting, 6400.0 / 86400);
  ASSERT_EQ(day->schedules.size(), 2U);
  // Under EASY the second job starts on the next day; GreedyP* pauses the first for it.
  EXPECT_EQ(day->schedules[0].jobs.size(), 2U);
  EXPECT_EQ(day->schedules[0].stays.size(), 1U);
  EXPECT_EQ(day->schedules[1].algorithm, "GreedyP*");
  EXPECT_EQ(day->schedules[1].stays.size(), 3U);
  EXPECT_EQ(day->schedules[1].begin, 1000);
  EXPECT_EQ(day->schedules[1].end, 87400);
}

TEST(WorstDay, TellsWhyJobsWaitedAndWerePaused) {
  const std::vector<Instance> samples = over_midnight();
  const auto day = or_throw(worst_day({{"EASY/shared", {}, &samples}, {"GreedyP*", {}, &samples}}, one_thread()));
  ASSERT_TRUE(day);
  ASSERT_EQ(day->schedules[0].told.size(), 2U);
  EXPECT_THAT(day->schedules[0].told[1], testing::HasSubstr("81000\tJob 8 waits"));
  ASSERT_EQ(day->schedules[1].told.size(), 2U);
  EXPECT_THAT(day->schedules[1].told[0], testing::HasSubstr("81000\tJob 7 is paused: job 8 takes its room"));
}

TEST(WorstDay, IsNoneWhereNobodyWaits) {
  const std::vector<Instance> samples{{"alone", Platform::homogeneous(1, 1024), {serial_job(1, 0, 10, 100)}}};
  EXPECT_FALSE(or_throw(worst_day({{"EASY/shared", {}, &samples}}, one_thread())));
}

TEST(PartOfSchedule, KeepsWhatReachesIntoIt) {
  Schedule all;
  all.jobs = {{.id = 1, .submit = 0, .end = 10}, {.id = 2, .submit = 0, .end = 30}, {.id = 3, .submit = 40, .end = 50}};
  all.nodes = {5, 6, 7, 8};
  all.steps = {{0, 0.5}, {10, 1.0}, {40, 1.0}};
  all.stays = {{.job = 0, .from = 0, .to = 10, .first_node = 0, .node_count = 1, .first_step = 0, .step_count = 1},
               {.job = 1, .from = 10, .to = 30, .first_node = 1, .node_count = 2, .first_step = 1, .step_count = 1},
               {.job = 2, .from = 40, .to = 50, .first_node = 3, .node_count = 1, .first_step = 2, .step_count = 1}};
  all.told = {"of 1", "of 2", "of 3"};
  const Schedule part = part_of(all, 20, 40);
  ASSERT_EQ(part.jobs.size(), 1U);
  EXPECT_EQ(part.jobs[0].id, 2U);
  EXPECT_EQ(part.told, std::vector<std::string>{"of 2"});
  ASSERT_EQ(part.stays.size(), 1U);
  EXPECT_EQ(part.stays[0].job, 0U);
  EXPECT_EQ(part.stays[0].from, 10);
  ASSERT_EQ(part.nodes_of(part.stays[0]).size(), 2U);
  EXPECT_EQ(part.nodes_of(part.stays[0])[1], 7U);
  EXPECT_EQ(part.steps_of(part.stays[0])[0].yield, 1.0);
}

}  // namespace
}  // namespace dfrs::sim
