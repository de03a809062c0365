// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/errors.h"
#include "tests/sim/failure_message.h"
#include "tests/sim/report/rows.h"

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ReportTable, TextOfTwoInstances) {
  // EASY: mean 200, std sqrt(2 x 100^2) = 141.4; GreedyPM*: mean 4, std sqrt(2 x 2^2) = 2.8.
  EXPECT_THAT(text_summary(or_throw(summarize_campaign(two_by_two()))), StartsWith(
                                                                            R"(2 instances, 200 jobs in all

                                                             degradation from bound      above the best                 mean stretch                    per job
  algorithm                          avg    low   high    std  median    p90    max    avg   low   high    avg    low   high  median  underutil.  pauses  moves  GB/s
---------------------------------------------------------------------------------------------------------------------------------------------------------------------
  EASY                             200.0  100.0  300.0  141.4   200.0  300.0  300.0  196.0  98.0  294.0  12.00  12.00  12.00   12.00        0.12    0.00   0.00  0.00
> GreedyPM*/per/OPT=MIN/MINVT=600    4.0    2.0    6.0    2.8     4.0    6.0    6.0    0.0     -      -   1.50   1.50   1.50    1.50        0.38    1.50   0.75  0.38

> lowest average degradation
stretch: )"));
}

TEST(ReportTable, TextOfOneInstanceShowsItsOwnFigures) {
  std::vector<ResultRow> rows = two_by_two();
  rows.resize(2);
  const std::string text = text_summary(or_throw(summarize_campaign(rows)));
  EXPECT_THAT(text, StartsWith("One instance, 100 jobs\n"));
  EXPECT_THAT(text, HasSubstr("  algorithm                        degradation  max stretch  bound  mean stretch  mean "
                              "wait (s)  underutil.  "));
  EXPECT_THAT(text, HasSubstr("  EASY                                   100.0        200.0   2.00         12.00        "
                              "  60.00        0.12  "));
  EXPECT_THAT(text, HasSubstr("> GreedyPM*/per/OPT=MIN/MINVT=600          2.0          4.0   2.00          1.50        "
                              "   0.00        0.25  "));
  EXPECT_THAT(text, HasSubstr("\n> lowest degradation\n"));
}

// Each published figure is right of ours. An algorithm without one has a dash, null in JSON.
TEST(ReportTable, PublishedFiguresStandBesideOurs) {
  std::vector<ResultRow> rows = two_by_two();
  rows.resize(2);
  CampaignSummary summary = or_throw(summarize_campaign(rows));
  EXPECT_THAT(text_summary(summary), Not(HasSubstr("published")));
  EXPECT_THAT(text_summary(summary), Not(HasSubstr("turnaround (s)")));
  PublishedFigures& published = summary.algorithms[0].published;
  published.max_stretch = 210.5;
  published.mean_stretch = 12.34;
  published.mean_turnaround = 100.5;
  summary.algorithms[0].mean.mean_turnaround = 99;
  summary.algorithms[1].mean.mean_turnaround = 7;
  summary.published_source = "Published: in a paper.";
  const std::string text = markdown_summary(summary);
  EXPECT_THAT(text, HasSubstr("| degradation | max stretch | published | bound | mean stretch | published | mean wait "
                              "(s) | mean turnaround (s) | published | underutil. |"));
  EXPECT_THAT(text,
              HasSubstr("| EASY | 100.0 | 200.0 | 210.5 | 2.00 | 12.00 | 12.34 | 60.00 | 99.00 | 100.5 | 0.12 |"));
  EXPECT_THAT(text, HasSubstr("| 4.0 | - | 2.00 | 1.50 | - | 0.00 | 7.00 | - | 0.25 |"));
  EXPECT_THAT(text, HasSubstr("\nPublished: in a paper.\n"));
  const nlohmann::json document = nlohmann::json::parse(json_summary(summary));
  const nlohmann::json& easy = document["algorithms"][0];
  EXPECT_EQ(easy["max_stretch_published"], 210.5);
  EXPECT_EQ(easy["mean_stretch_published"], 12.34);
  EXPECT_EQ(easy["mean_turnaround_s"], 99.0);
  EXPECT_EQ(easy["mean_turnaround_published_s"], 100.5);
  EXPECT_TRUE(easy["degradation_published"].is_null());
  EXPECT_TRUE(document["algorithms"][1]["max_stretch_published"].is_null());
}

TEST(ReportTable, WideAndHostileNamesKeepColumnsAligned) {
  const std::vector<ResultRow> rows{result("a", "\xE6\x97\xA5\xE6\x9C\xAC", 2), result("a", "long-name", 3),
                                    result("a", "x\ny\x1B", 4)};
  const std::string text = text_summary(or_throw(summarize_campaign(rows)));
  EXPECT_THAT(text, HasSubstr("\n> \xE6\x97\xA5\xE6\x9C\xAC              2.00"));
  EXPECT_THAT(text, HasSubstr("\n  long-name         3.00"));
  EXPECT_THAT(text, HasSubstr("\n  x\xEF\xBF\xBDy\xEF\xBF\xBD              4.00"));
}

TEST(ReportTable, NoMarkWithNothingToCompare) {
  const std::string text = text_summary(or_throw(summarize_campaign({result("a", "X", 2)})));
  EXPECT_THAT(text, Not(HasSubstr(">")));
}

TEST(ReportTable, SaysWhichAlgorithmsLackInstances) {
  const std::vector<ResultRow> rows{result("a", "X", 3), result("b", "X", 3), result("a", "Y", 1)};
  const std::string text = text_summary(or_throw(summarize_campaign(rows)));
  EXPECT_THAT(text, HasSubstr("\n> X "));
  EXPECT_THAT(text,
              HasSubstr("because they have results for only some of the 2 instances (number in brackets): Y\n(1)."));
}

TEST(ReportTable, MarkdownEscapesNamesAndMarksTheBest) {
  std::vector<ResultRow> rows = two_by_two();
  rows[0].algorithm = rows[2].algorithm = "E|ASY";
  const std::string text = markdown_summary(or_throw(summarize_campaign(rows)));
  EXPECT_THAT(text, HasSubstr("\n| algorithm | degradation avg | degradation low | degradation high | degradation std "
                              "| degradation median | "
                              "degradation p90 | degradation max | above the best avg | above the best low | above the "
                              "best high | mean stretch avg | mean stretch low | mean stretch high | mean stretch "
                              "median | underutil. | pauses per job | "
                              "moves per job | GB/s |\n|---|---:|"));
  EXPECT_THAT(text, HasSubstr("\n| E\\|ASY | 200.0 | 100.0 | 300.0 | 141.4 | "));
  EXPECT_THAT(text, HasSubstr("\n| GreedyPM\\*/per/OPT=MIN/MINVT=600 | **4.0** | 2.0 | 6.0 | 2.8 | "));
}

TEST(ReportTable, CsvHasAllDigitsAndQuotes) {
  const std::string text =
      csv_summary(or_throw(summarize_campaign({result("a", "X, \"y\"", 1, 3), result("b", "X, \"y\"", 1, 3)})));
  std::istringstream lines(text);
  std::string header;
  std::string line;
  std::getline(lines, header);
  std::getline(lines, line);
  EXPECT_THAT(header, StartsWith("algorithm,instances,complete,degradation_mean,degradation_std,degradation_median,"));
  EXPECT_THAT(line, StartsWith("\"X, \"\"y\"\"\",2,1,0.3333333333333333,0,0.3333333333333333,"));
  EXPECT_EQ(std::count(header.begin(), header.end(), ',') + 1, std::count(line.begin(), line.end(), ','));
}

TEST(ReportTable, JsonReadsBack) {
  std::vector<ResultRow> rows = two_by_two();
  rows[0].algorithm = rows[2].algorithm = "\xFF\"";
  rows[2].load = 0.75;
  rows[3].load = 0.75;
  const nlohmann::json document = nlohmann::json::parse(json_summary(or_throw(summarize_campaign(rows))));
  EXPECT_EQ(document["instances"], 2);
  EXPECT_EQ(document["jobs"], 200);
  EXPECT_EQ(document["load"]["min"], 0.5);
  EXPECT_EQ(document["load"]["max"], 0.75);
  EXPECT_EQ(document["algorithms"][0]["algorithm"], "\xEF\xBF\xBD\"");
  EXPECT_EQ(document["algorithms"][0]["best"], false);
  EXPECT_EQ(document["algorithms"][1]["best"], true);
  EXPECT_EQ(document["algorithms"][1]["degradation"]["p90"], 6.0);
  EXPECT_EQ(document["algorithms"][1]["traffic_gb_per_s"], 0.375);
  EXPECT_EQ(document["algorithms"][0]["degradation"]["low"], 100.0);
  EXPECT_EQ(document["algorithms"][0]["degradation"]["high"], 300.0);
  EXPECT_EQ(document["algorithms"][0]["difference"]["mean"], 196.0);
  EXPECT_EQ(document["algorithms"][0]["difference"]["low"], 98.0);
  EXPECT_EQ(document["algorithms"][0]["difference"]["high"], 294.0);
  EXPECT_EQ(document["algorithms"][1]["difference"]["mean"], 0.0);
  EXPECT_TRUE(document["algorithms"][1]["difference"]["low"].is_null());
  EXPECT_EQ(document["algorithms"][1]["spread"]["underutilization"]["median"], 0.375);
  EXPECT_EQ(document["algorithms"][1]["spread"]["underutilization"]["low"], 0.25);
  EXPECT_EQ(document["algorithms"][1]["spread"]["underutilization"]["high"], 0.5);
}

TEST(ReportTable, FormatsByName) {
  EXPECT_EQ(or_throw(parse_summary_format("text")), SummaryFormat::text);
  EXPECT_EQ(or_throw(parse_summary_format("markdown")), SummaryFormat::markdown);
  EXPECT_EQ(or_throw(parse_summary_format("csv")), SummaryFormat::csv);
  EXPECT_EQ(or_throw(parse_summary_format("json")), SummaryFormat::json);
  EXPECT_EQ(message_of(kExitUsage, parse_summary_format("xml")),
            "--format: 'xml' is not a summary format; expected text, markdown, csv or json");
}

}  // namespace
}  // namespace dfrs::sim
