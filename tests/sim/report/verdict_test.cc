// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/report/rows.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> verdict_of(const std::vector<ResultRow>& rows) {
  return verdict(rows, or_throw(summarize_campaign(rows)));
}

TEST(ReportVerdict, DfrsWins) {
  EXPECT_THAT(
      verdict_of(two_by_two()),
      ElementsAre(
          "On these 2 instances GreedyPM*/per/OPT=MIN/MINVT=600 has a mean degradation from bound of 4.00, EASY "
          "one of 200: 50 times less. DFRS treats the worst-served jobs better here.",
          "Instance by instance, GreedyPM*/per/OPT=MIN/MINVT=600 is better than EASY on 2 of 2.",
          "The mean stretch over all jobs is 1.50 with GreedyPM*/per/OPT=MIN/MINVT=600 and 12.0 with EASY: 8.0 "
          "times less.",
          "What it costs: GreedyPM*/per/OPT=MIN/MINVT=600 pauses a job 1.50 times and moves it 0.75 times on "
          "average, 0.38 GB/s of memory; EASY never pauses or moves a job.",
          "Underutilization is 0.38 with GreedyPM*/per/OPT=MIN/MINVT=600 and 0.12 with EASY: more capacity "
          "stays unused while jobs want it.",
          "2 instances are few: on others, averages and above all the worst cases can differ clearly."));
}

TEST(ReportVerdict, DfrsLoses) {
  // Mean degradations 2 and 3; a job that is moved without benefit.
  std::vector<ResultRow> rows{result("a", "EASY", 1),
                              result("a", "Greedy*/OPT=MIN", 4),
                              result("b", "EASY", 3),
                              result("b", "Greedy*/OPT=MIN", 2),
                              result("a", "GreedyP*/OPT=MIN", 9),
                              result("b", "GreedyP*/OPT=MIN", 9)};
  const std::vector<std::string> sentences = verdict_of(rows);
  ASSERT_FALSE(sentences.empty());
  EXPECT_EQ(sentences[0],
            "DFRS loses here. On these 2 instances EASY has a mean degradation from bound of 2.00, the best DFRS "
            "algorithm, Greedy*/OPT=MIN, one of 3.00: 1.50 times more.");
  EXPECT_THAT(sentences, Contains("Instance by instance, Greedy*/OPT=MIN is better than EASY on 1 of 2, worse on 1."));
  EXPECT_THAT(sentences, Contains("None of the 2 DFRS algorithms is better than EASY."));
  for (const std::string& sentence : sentences) EXPECT_THAT(sentence, Not(HasSubstr("better here")));
}

TEST(ReportVerdict, HardlyADifference) {
  const std::vector<ResultRow> rows{result("a", "EASY", 2), result("a", "Greedy*/OPT=MIN", 2.04)};
  EXPECT_EQ(verdict_of(rows)[0],
            "On this instance DFRS makes hardly a difference for the worst-served jobs: Greedy*/OPT=MIN has a "
            "degradation from bound of 2.04, EASY one of 2.00.");
}

TEST(ReportVerdict, AnAverageDecidedByOneInstanceIsCalledSo) {
  // DFRS has the better mean, 2 against 34, by one instance; EASY is better on two of three.
  const std::vector<ResultRow> rows{result("a", "EASY", 1),   result("a", "Greedy*/OPT=MIN", 2),
                                    result("b", "EASY", 1),   result("b", "Greedy*/OPT=MIN", 2),
                                    result("c", "EASY", 100), result("c", "Greedy*/OPT=MIN", 2)};
  const std::vector<std::string> sentences = verdict_of(rows);
  EXPECT_THAT(sentences[0], HasSubstr("34.0: 17 times less"));
  EXPECT_THAT(sentences,
              Contains("Instance by instance, Greedy*/OPT=MIN is better than EASY on 1 of 3, worse on 2; so a "
                       "few instances decide the averages, and the medians tell another story."));
}

TEST(ReportVerdict, NamesDfrsAlgorithmsThatDoWorse) {
  std::vector<ResultRow> rows = two_by_two();
  rows.push_back(result("a", "Greedy*/OPT=MIN", 4000, 2));
  rows.push_back(result("b", "Greedy*/OPT=MIN", 5000));
  EXPECT_THAT(verdict_of(rows), Contains("1 of 2 DFRS algorithms is worse than EASY: Greedy*/OPT=MIN."));
}

TEST(ReportVerdict, SingleAlgorithm) {
  std::vector<ResultRow> rows = two_by_two();
  rows = {rows[1], rows[3]};
  EXPECT_THAT(verdict_of(rows),
              ElementsAre("On these 2 instances GreedyPM*/per/OPT=MIN/MINVT=600 has a mean degradation from bound of "
                          "4.00 (median 4.00, worst 6.00).",
                          "There is no other algorithm to compare it with in these results.",
                          "What it costs: GreedyPM*/per/OPT=MIN/MINVT=600 pauses a job 1.50 times and moves it 0.75 "
                          "times on average, 0.38 GB/s of memory; its underutilization is 0.38.",
                          StartsWith("2 instances are few")));
}

TEST(ReportVerdict, SingleInstance) {
  std::vector<ResultRow> rows = two_by_two();
  rows.resize(2);
  const std::vector<std::string> sentences = verdict_of(rows);
  EXPECT_THAT(sentences[0], StartsWith("On this instance GreedyPM*/per/OPT=MIN/MINVT=600 has a degradation from bound "
                                       "of 2.00, EASY one of 100: 50 times less."));
  EXPECT_EQ(sentences.back(), "One instance says little about others: compare several before deciding.");
  for (const std::string& sentence : sentences) EXPECT_THAT(sentence, Not(HasSubstr("Instance by instance")));

  rows.resize(1);
  EXPECT_EQ(verdict_of(rows)[0],
            "On this instance EASY has a degradation from bound of 100: its worst-served job has a stretch of 200, and "
            "no scheduler can stay below 2.00.");
}

TEST(ReportVerdict, OnlyOneKind) {
  const std::vector<ResultRow> rows{result("a", "FCFS", 5000), result("a", "EASY", 2000),
                                    result("a", "EASY/extra-only", 2050)};
  const std::vector<std::string> sentences = verdict_of(rows);
  EXPECT_EQ(sentences[0],
            "On this instance EASY has the lowest degradation from bound, 2,000; next is EASY/extra-only 2,050 (about "
            "the same), last is FCFS 5,000 (2.5 times as much).");
  EXPECT_THAT(sentences, Contains(StartsWith("There is no DFRS algorithm in these results")));
}

TEST(ReportVerdict, BestPerLoad) {
  std::vector<ResultRow> rows;
  const auto add = [&](double load, double easy, double dfrs) {
    for (int k = 0; k < 3; ++k) {
      const std::string instance = std::to_string(load) + '#' + std::to_string(k);
      rows.push_back(result(instance, "EASY", easy));
      rows.push_back(result(instance, "Greedy*/OPT=MIN", dfrs));
      rows[rows.size() - 1].load = rows[rows.size() - 2].load = load;
    }
  };
  add(0.1, 1, 2);
  add(0.5, 8, 3);
  add(0.9, 90, 4);
  EXPECT_THAT(verdict_of(rows), Contains("The best algorithm depends on the load: EASY from 0.1, Greedy*/OPT=MIN from "
                                         "0.5."));
  for (ResultRow& row : rows) {
    if (row.algorithm == "EASY") row.metrics.max_stretch = 100;
  }
  EXPECT_THAT(verdict_of(rows),
              Contains("Greedy*/OPT=MIN is the best of all algorithms at every load, from 0.1 to 0.9."));
}

TEST(ReportVerdict, IncompleteAlgorithmsAreLeftOut) {
  std::vector<ResultRow> rows = two_by_two();
  rows.push_back(result("a", "FCFS", 2, 2));  // the best, but on one instance only
  const std::vector<std::string> sentences = verdict_of(rows);
  EXPECT_THAT(sentences[0], HasSubstr("EASY one of 200"));
  EXPECT_THAT(sentences, Contains("One algorithm is not compared here, because it lacks some of the instances."));

  const std::vector<ResultRow> apart{result("a", "X", 3), result("b", "Y", 3)};
  EXPECT_THAT(verdict_of(apart), ElementsAre(StartsWith("No algorithm has results for all of the 2 instances")));
}

}  // namespace
}  // namespace dfrs::sim
