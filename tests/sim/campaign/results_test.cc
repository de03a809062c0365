// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/errors.h"
#include "tests/oracle/dice.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ResultRow random_row(oracle::Dice& dice) {
  ResultRow row;
  row.instance = dice.pick<std::string>({"week-1", "a,b", "say \"hi\"", "", "tr\xc3\xa4ge", "x y"});
  row.algorithm = dice.pick<std::string>({"EASY", "GreedyPM*/per/OPT=MIN/MINVT=600"});
  row.jobs = dice.below(100000);
  const auto number = [&] {
    return dice.chance(20) ? dice.between(0, 5) : dice.uniform() * dice.pick<double>({1, 1e-9, 1e12, 3});
  };
  row.load = number(), row.bound_divisible = number(), row.bound_ls1 = number(), row.cpu_seconds = number();
  Metrics& m = row.metrics;
  for (double* field : {&m.max_stretch,
                        &m.mean_stretch,
                        &m.mean_wait,
                        &m.mean_turnaround,
                        &m.makespan,
                        &m.utilization,
                        &m.underutilization,
                        &m.pauses_per_job,
                        &m.moves_per_job,
                        &m.pauses_per_hour,
                        &m.moves_per_hour,
                        &m.pause_gb_per_s,
                        &m.move_gb_per_s,
                        &m.stretch_p50,
                        &m.stretch_p90,
                        &m.stretch_p95,
                        &m.stretch_p99,
                        &m.pauses,
                        &m.moves,
                        &m.response_by_width,
                        &m.slowdown60_by_width,
                        &m.loss_of_capacity,
                        &m.short_wait,
                        &m.short_wait_p95,
                        &m.user_fairness,
                        &m.worst_user,
                        &row.policy_call_mean,
                        &row.policy_call_longest}) {
    *field = number();
  }
  return row;
}

std::vector<double> numbers_of(const ResultRow& row) {
  const Metrics& m = row.metrics;
  return {static_cast<double>(row.jobs),
          row.load,
          row.bound_divisible,
          row.bound_ls1,
          row.cpu_seconds,
          m.max_stretch,
          m.mean_stretch,
          m.mean_wait,
          m.mean_turnaround,
          m.makespan,
          m.utilization,
          m.underutilization,
          m.pauses_per_job,
          m.moves_per_job,
          m.pauses_per_hour,
          m.moves_per_hour,
          m.pause_gb_per_s,
          m.move_gb_per_s,
          m.stretch_p50,
          m.stretch_p90,
          m.stretch_p95,
          m.stretch_p99,
          m.pauses,
          m.moves,
          m.response_by_width,
          m.slowdown60_by_width,
          m.loss_of_capacity,
          m.short_wait,
          m.short_wait_p95,
          m.user_fairness,
          m.worst_user,
          row.policy_call_mean,
          row.policy_call_longest};
}

TEST(Results, ReadBackBitByBit) {
  for (std::uint64_t seed = 1; seed <= oracle::cases(200); ++seed) {
    oracle::Dice dice(seed);
    std::vector<ResultRow> rows;
    for (int k = dice.between(1, 5); k > 0; --k) rows.push_back(random_row(dice));
    const std::vector<ResultRow> back = or_throw(parse_results_csv(results_csv(rows, CpuSeconds::written), "test"));
    ASSERT_EQ(back.size(), rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      ASSERT_EQ(back[k].instance, rows[k].instance);
      ASSERT_EQ(back[k].algorithm, rows[k].algorithm);
      ASSERT_EQ(numbers_of(back[k]), numbers_of(rows[k])) << "seed " << seed;
    }
  }
}

// Rows that differ only in CPU time give the same bytes; read back, the time is 0 and all else is the same.
TEST(Results, WithoutTimesAreTheSameHoweverLongTheyTook) {
  oracle::Dice dice(1);
  ResultRow row = random_row(dice);
  row.cpu_seconds = 1.5;
  const std::string text = results_csv({row}, CpuSeconds::left_out);
  ResultRow slower = row;
  slower.cpu_seconds = 2.5;
  slower.policy_call_mean = 3;
  slower.policy_call_longest = 4;
  EXPECT_EQ(results_csv({slower}, CpuSeconds::left_out), text);
  EXPECT_NE(results_csv({slower}, CpuSeconds::written), results_csv({row}, CpuSeconds::written));
  const std::vector<ResultRow> back = or_throw(parse_results_csv(text, "test"));
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].cpu_seconds, 0);
  row.cpu_seconds = row.policy_call_mean = row.policy_call_longest = 0;
  EXPECT_EQ(numbers_of(back[0]), numbers_of(row));
}

// Both bounds, and the best algorithm of each instance, at the end of the line.
TEST(Results, DegradationsAreWritten) {
  ResultRow row;
  row.instance = "a";
  row.algorithm = "FCFS";
  row.metrics.max_stretch = 12;
  row.bound_divisible = 1.5;
  row.bound_ls1 = 2;
  ResultRow better = row;
  better.algorithm = "EASY";
  better.metrics.max_stretch = 3;
  const std::string text = results_csv({row, better}, CpuSeconds::left_out);
  EXPECT_THAT(text, HasSubstr(",degradation_divisible,degradation_ls1,degradation_from_best,program,source,"
                              "source_sha256,workload_options,simulation_options\n"));
  EXPECT_THAT(text, HasSubstr(",8,6,4,,,,,\n"));
  EXPECT_THAT(text, HasSubstr(",2,1.5,1,,,,,\n"));
}

// A file of an earlier version lacks columns: their values are unknown, not 0, and stay so.
TEST(Results, ColumnsThatAFileLacksAreUnknown) {
  const std::string old =
      "instance,algorithm,jobs,load,bound_divisible,bound_ls1,max_stretch,mean_stretch,mean_wait_s,mean_turnaround_s,"
      "makespan_s,utilization,underutilization,pauses_per_job,moves_per_job,pauses_per_hour,moves_per_hour,"
      "pause_gb_per_s,move_gb_per_s\na,EASY,10,0.5,1,1,4,2,1,1,1,0.5,0.1,0,0,0,0,0,0\n";
  const std::vector<ResultRow> rows = or_throw(parse_results_csv(old, "old.csv"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(std::isnan(rows[0].metrics.stretch_p95));
  EXPECT_EQ(rows[0].metrics.max_stretch, 4);
  const std::vector<ResultRow> again = or_throw(parse_results_csv(results_csv(rows, CpuSeconds::written), "new.csv"));
  EXPECT_TRUE(std::isnan(again[0].metrics.loss_of_capacity));
  EXPECT_EQ(again[0].metrics.max_stretch, 4);
}

TEST(Results, DegradationIsRelativeToTheDivisibleBound) {
  ResultRow row;
  row.metrics.max_stretch = 12;
  row.bound_divisible = 1.5;
  row.bound_ls1 = 2;
  EXPECT_DOUBLE_EQ(row.degradation(), 8);
}

class ResultFile : public testing::Test {
 protected:
  std::string text() {
    ResultRow row;
    row.instance = "w";
    row.algorithm = "EASY";
    row.jobs = 7;
    return results_csv({row}, CpuSeconds::written);
  }
  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  static std::string message(const std::string& text) {
    return message_of(kExitInput, parse_results_csv(text, "f.csv"));
  }
};

TEST_F(ResultFile, UnknownColumnsAndWindowsLinesAreRead) {
  std::string more = replaced(text(), "instance,", "colour,instance,");
  more = replaced(more, "\nw,", "\nred,w,");
  for (std::size_t at = 0; (at = more.find('\n', at)) != std::string::npos; at += 2) more.insert(at, "\r");
  const auto rows = or_throw(parse_results_csv(more, "f.csv"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].instance, "w");
  EXPECT_EQ(rows[0].jobs, 7u);
}

TEST_F(ResultFile, ErrorsNameTheLine) {
  EXPECT_THAT(message(replaced(text(), ",7,", ",seven,")), HasSubstr("f.csv:2: column jobs is 'seven'"));
  EXPECT_THAT(message(text() + "a,b\n"), HasSubstr("f.csv:3: 2 fields, expected"));
  EXPECT_THAT(message(replaced(text(), "\nw,", "\n\"w,")), HasSubstr("f.csv:2: a quote is not closed"));
  EXPECT_THAT(message(replaced(text(), "max_stretch", "stretch_max")), HasSubstr("no column 'max_stretch'"));
  EXPECT_THAT(message(replaced(text(), ",7,", ",nan,")), HasSubstr("expected a whole number"));
  EXPECT_THAT(message(""), HasSubstr("no results"));
  EXPECT_THAT(message(text().substr(0, text().find('\n') + 1)), HasSubstr("no results"));
}

TEST(Results, DistinctNamesInOrder) {
  std::vector<ResultRow> rows(4);
  rows[0].instance = "b", rows[1].instance = "a", rows[2].instance = "b", rows[3].instance = "c";
  rows[0].algorithm = rows[1].algorithm = "EASY", rows[2].algorithm = rows[3].algorithm = "FCFS";
  EXPECT_THAT(instances_of(rows), ElementsAre("b", "a", "c"));
  EXPECT_THAT(algorithms_of(rows), ElementsAre("EASY", "FCFS"));
}

}  // namespace
}  // namespace dfrs::sim
