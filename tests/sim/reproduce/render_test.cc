// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/reproduce/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "sim/report/gnuplot.h"
#include "tests/sim/reproduce/made_up.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const RunDescription kRun{"made-up: Nobody, A paper, 2011", {"Seed 1."}};
const ResultOrigin kOrigin{"p 1", "a,b", "12", "", "--seed=1"};
const std::string kHeader =
    "table,row,column,published,measured,ratio,median,low,high,values,another_low,another_high,program,source,"
    "source_sha256,workload_options,simulation_options\n";

TEST(RenderComparison, TextHasOursPaperAndRatioSideBySide) {
  EXPECT_EQ(text_comparison(or_throw(comparison_tables(kMadeUp, made_up_report())), kRun),
            R"(made-up: Nobody, A paper, 2011

table1: Degradation, both sets

                         avg.     max
           ours  paper  ratio    ours
-------------------------------------
EASY       12.6   10.5   1.20   200.0
GreedyP*    4.0    4.0   0.99    7.25

- Of 2 cells with a published figure 1 is within 5 % of it and 2 within 20 %; ratios go from 0.99 (GreedyP*, avg.) to
  1.20 (EASY, avg.).
- Two instances instead of 182.

table2: Costs

- Left out: there is no log.

figure1a: Degradation against load

load   EASY             GreedyP*
       ours   ours  paper  ratio
--------------------------------
0.1     100      4      2   2.00
0.9     100      4      -      -

- Of 1 cell with a published figure 0 are within 5 % of it and 0 within 20 %.

ours: measured by this run; paper: the published figure, '-' where there is none or it cannot be read; ratio: ours/paper
Seed 1.
)");
}

// EASY's 1200 leaves a small figure its decimals; words replace figures, and no paper is mentioned.
TEST(RenderComparison, WordsAndFiguresOfSeveralSizes) {
  ReproductionReport report;
  report.add({"table1", "EASY", "avg.", {}, 1200.25});
  report.add({"table1", "Triage", "avg.", {}, 2.2512});
  report.add({"table1", "EASY", "U", {}, 0.0264});
  report.add({"table1", "Triage", "U", {}, 1.5});
  report.add({"table1", "EASY", "ahead", {}, 0, "Triage, by <far>"});
  const std::vector<ComparisonTable> tables = or_throw(comparison_tables(kMadeUp, report));
  const RunDescription run{"made-up", {}};
  EXPECT_THAT(text_comparison(tables, run), HasSubstr(R"(
         avg.       U              ahead
----------------------------------------
EASY     1200   0.026   Triage, by <far>
Triage   2.25    1.50
)"));
  EXPECT_THAT(text_comparison(tables, run), Not(HasSubstr("paper")));
  EXPECT_EQ(csv_comparison(tables, {}),
            kHeader +
                "table1,EASY,avg.,,1200.25,,,,,,,,,,,,\ntable1,EASY,U,,0.0264,,,,,,,,,,,,\n"
                "table1,EASY,ahead,,\"Triage, by <far>\",,,,,,,,,,,,\ntable1,Triage,avg.,,2.2512,,,,,,,,,,,,\n"
                "table1,Triage,U,,1.5,,,,,,,,,,,,\n");
  EXPECT_THAT(markdown_comparison(tables, run), HasSubstr("| Triage | 2.25 | 1.50 |  |"));
  EXPECT_THAT(markdown_comparison(tables, run), Not(HasSubstr("published")));
  EXPECT_THAT(html_comparison(tables, run, PartCharts{}), HasSubstr("<td>Triage, by &lt;far&gt;</td>"));
  EXPECT_THAT(html_comparison(tables, run, PartCharts{}), Not(HasSubstr("ours: measured")));
}

TEST(RenderComparison, WideTablesContinueBelow) {
  ReproductionReport report;
  for (int column = 0; column < 12; ++column) {
    report.add({"table1", "a long name of an algorithm", "column " + std::to_string(column), 1000.5, 1000.25});
  }
  const std::string text = text_comparison(or_throw(comparison_tables(kMadeUp, report)), kRun);
  std::istringstream lines(text);
  std::size_t names = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 130U) << line;
    if (line.starts_with("a long name")) ++names;
  }
  EXPECT_EQ(names, 3U) << text;  // 27 + 4 x (3 + 21) <= 130, so four columns beside each other
  for (int column = 0; column < 12; ++column) EXPECT_THAT(text, HasSubstr(" column " + std::to_string(column)));
}

TEST(RenderComparison, TextOfHostileNames) {
  ReproductionReport report;
  report.add({"table1", "x\ny\x1B[2J", "c\r", 1, 1});
  const std::string text = text_comparison(or_throw(comparison_tables(kMadeUp, report)), kRun);
  EXPECT_THAT(text, HasSubstr("x\xEF\xBF\xBDy\xEF\xBF\xBD[2J "));
  EXPECT_THAT(text, Not(HasSubstr("\x1B")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
}

TEST(RenderComparison, CsvQuotesNamesAndKeepsAllDigits) {
  ReproductionReport report;
  report.add({"table1", "GreedyP, \"star\"", "avg. (GB/s)", 0.1, 1.0 / 3});
  Comparison maximum{"table1", "a", "max", std::nullopt, 1e-20};
  maximum.another_draw = Interval{5e-21, 3};
  report.add(maximum);
  report.add({"table1", "a", "min", 0, 2});
  EXPECT_EQ(csv_comparison(or_throw(comparison_tables(kMadeUp, report)), kOrigin),
            kHeader +
                "table1,\"GreedyP, \"\"star\"\"\",avg. (GB/s),0.1,0.3333333333333333,3.333333333333333,,,,,,,"
                "p 1,\"a,b\",12,,--seed=1\n"
                "table1,a,max,,1e-20,,,,,,5e-21,3,p 1,\"a,b\",12,,--seed=1\n"
                "table1,a,min,0,2,,,,,,,,p 1,\"a,b\",12,,--seed=1\n");
}

TEST(RenderComparison, MeansHaveIntervalAndMedian) {
  ReproductionReport report;
  report.add_mean({"table1", "EASY", "avg.", 4.0}, std::vector<double>{1, 2, 3, 10});
  const std::vector<ComparisonTable> tables = or_throw(comparison_tables(kMadeUp, report));
  const Comparison& cell = *tables.front().rows.front().cells.front();
  EXPECT_EQ(cell.measured, 4);
  ASSERT_TRUE(cell.spread);
  EXPECT_EQ(cell.spread->median, 2.5);
  EXPECT_EQ(cell.spread->count, 4U);
  EXPECT_LT(cell.spread->interval.low, 4);
  EXPECT_GT(cell.spread->interval.high, 4);
  EXPECT_THAT(markdown_comparison(tables, kRun), HasSubstr("; 2.50] (4.00, 1.00) |"));
  EXPECT_THAT(csv_comparison(tables, {}), HasSubstr("table1,EASY,avg.,4,4,1,2.5,"));
}

TEST(RenderComparison, MarkdownHasOneCellPerFigure) {
  const std::string text = markdown_comparison(or_throw(comparison_tables(kMadeUp, made_up_report())), kRun,
                                               {{"figure1a", "made-up-figure1a.svg"}});
  EXPECT_THAT(text, HasSubstr("\n|  | avg. | max |\n|---|---:|---:|\n| EASY | 12.6 (10.5, 1.20) | 200.0 |\n"
                              "| GreedyP\\* | 4.0 (4.0, 0.99) | 7.25 |\n"));
  EXPECT_THAT(text, HasSubstr("\n## table2: Costs\n\n- Left out: there is no log.\n"));
  EXPECT_THAT(text, HasSubstr("![Degradation against load](made-up-figure1a.svg)"));
  EXPECT_THAT(text, HasSubstr("\nSeed 1.\n"));
}

TEST(RenderComparison, HtmlEscapesAndGroups) {
  ReproductionReport report = made_up_report();
  report.add({"table1", "<b>/c", "avg.", std::nullopt, 1});
  report.note("table1", "1 < 2 & \"more\"");
  const std::string page = html_comparison(or_throw(comparison_tables(kMadeUp, report)), kRun, PartCharts{});
  EXPECT_THAT(page, HasSubstr("colspan=\"3\">avg.</th>"));
  EXPECT_THAT(page, HasSubstr("<tr><th scope=\"row\">EASY</th><td>12.6</td><td class=\"soft\">10.5</td><td>1.20</td>"
                              "<td>200.0</td></tr>"));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;<wbr>/c</th><td>1.0</td><td class=\"soft\"></td><td></td><td></td></tr>"));
  EXPECT_THAT(page, HasSubstr("1 &lt; 2 &amp; &quot;more&quot;"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, Not(HasSubstr("gnuplot")));
}

TEST(RenderComparison, PagesBeginWithTheOverview) {
  const std::vector<ComparisonTable> tables = or_throw(comparison_tables(kMadeUp, made_up_report()));
  RunDescription run = kRun;
  run.overview = "1 part: <table1>.";
  EXPECT_THAT(html_comparison(tables, run, PartCharts{}), HasSubstr("<p class=\"lead\">1 part: &lt;table1&gt;.</p>"));
  EXPECT_THAT(markdown_comparison(tables, run), HasSubstr("2011\n\n**1 part: \\<table1\\>.**\n\nEach cell"));
  EXPECT_THAT(html_comparison(tables, kRun, PartCharts{}), Not(HasSubstr("class=\"lead\"")));
}

TEST(RenderComparison, HtmlSaysWhyThereAreNoFigures) {
  const std::vector<ComparisonTable> tables = or_throw(comparison_tables(kMadeUp, made_up_report()));
  const auto charts = draw_plots(tables, "/no/such/gnuplot");
  ASSERT_FALSE(charts);
  EXPECT_THAT(html_comparison(tables, kRun, charts), HasSubstr("no figures drawn: "));
}

TEST(RenderComparison, PlotsAreDrawnWithTheirNames) {
  if (find_program("gnuplot").empty()) GTEST_SKIP() << "no gnuplot here";
  const std::vector<ComparisonTable> tables = or_throw(comparison_tables(kMadeUp, made_up_report()));
  const auto charts = draw_plots(tables);
  ASSERT_TRUE(charts) << charts.error();
  ASSERT_THAT(*charts, SizeIs(1));
  EXPECT_EQ(charts->front().first, "figure1a");
  EXPECT_THAT(charts->front().second.svg,
              AllOf(HasSubstr("GreedyP*"), HasSubstr("degradation from bound"), Not(HasSubstr("Qz"))));
  EXPECT_THAT(html_comparison(tables, kRun, charts), HasSubstr(charts->front().second.svg));
}

// 10 and 1000 are as far from each other as 0 and 10; the marked one has a line from top to bottom.
TEST(RenderComparison, PlotsWithRowsAtEvenDistances) {
  if (find_program("gnuplot").empty()) GTEST_SKIP() << "no gnuplot here";
  ReproductionReport report;
  for (const char* row : {"0", "10", "1000"}) report.add({"figure1a", row, "curve", std::nullopt, 5});
  report.plot({.part = "figure1a", .x_label = "x", .y_label = "y", .even_x = true, .marked = 10});
  const auto charts = draw_plots(or_throw(comparison_tables(kMadeUp, report)));
  ASSERT_TRUE(charts) << charts.error();
  ASSERT_THAT(*charts, SizeIs(1));
  const std::string& svg = charts->front().second.svg;
  EXPECT_THAT(svg, HasSubstr(">default<"));
  const auto x_of = [&](const std::string& label) {
    const std::size_t text = svg.find(">" + label + "<");
    const std::size_t at = svg.rfind("translate(", text);
    return text == std::string::npos ? -1 : std::stod(svg.substr(at + 10));
  };
  EXPECT_GT(x_of("0"), 0);
  EXPECT_NEAR(x_of("1000") - x_of("10"), x_of("10") - x_of("0"), 1);
  EXPECT_NEAR(x_of("default"), x_of("10"), 1);
}

// A logarithmic axis cannot show 0: such points are left out, and a figure without any is not drawn.
TEST(RenderComparison, PlotsLeaveOutWhatTheirAxesCannotShow) {
  if (find_program("gnuplot").empty()) GTEST_SKIP() << "no gnuplot here";
  ReproductionReport report;
  report.add({"figure1a", "1", "none", std::nullopt, 0});
  report.plot({"figure1a", "load", "y", false, true});
  const auto charts = draw_plots(or_throw(comparison_tables(kMadeUp, report)));
  ASSERT_TRUE(charts) << charts.error();
  EXPECT_THAT(*charts, SizeIs(0));
}

}  // namespace
}  // namespace dfrs::sim
