// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/report/gnuplot.h"
#include "tests/sim/report/path.h"
#include "tests/sim/report/rows.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// True if every element is closed in order, except void elements of HTML.
void expect_balanced(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \t\n/", 1));
    if (tag.front() == '!' || tag.back() == '/' || name == "meta" || name == "wbr") continue;
    if (tag.front() == '/') {
      ASSERT_FALSE(open.empty()) << "</" << name << " without its beginning";
      ASSERT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty()) << open.back();
}

ReportOptions without_charts() {
  ReportOptions options;
  options.charts = false;
  return options;
}

TEST(ReportHtml, HasAllPartsAndNothingFromElsewhere) {
  ReportOptions options = without_charts();
  options.title = "Weeks of HPC2N";
  options.subtitle = "A week each";
  options.settings = {{"rescheduling penalty", "300 s"}};
  const std::string html = or_throw(html_report(two_by_two(), options));
  expect_balanced(html);
  EXPECT_THAT(html, HasSubstr("<title>Weeks of HPC2N</title>"));
  EXPECT_THAT(html, HasSubstr("<p class=\"soft\">A week each</p>"));
  EXPECT_THAT(html, HasSubstr("<tr><th scope=\"row\">rescheduling penalty</th><td>300 s</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<p class=\"lead\">On these 2 instances GreedyPM*/per/OPT=MIN/MINVT=600 has"));
  EXPECT_THAT(
      html,
      HasSubstr("<p class=\"soft\">A week each</p>\n<p>2 algorithms on 2 instances with 200 jobs in all (100 each): "
                "EASY and GreedyPM*<wbr>/per<wbr>/OPT=MIN<wbr>/MINVT=600. Offered load 0.50.</p>\n</header>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"ranked\">200.0</td><td>100.0</td><td>300.0</td><td>141.4</td>"));
  EXPECT_THAT(html,
              HasSubstr("<td>100</td><td>0.50</td><td>2.00</td><td>100.00</td><td class=\"best\">2.00</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<dt>underutilization</dt>"));
  for (const char* outside : {"http:", "https:", "<script", "<link", "<img", "@import", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
}

TEST(ReportHtml, HostileTextIsEscapedEverywhere) {
  const std::string hostile = "<script>alert('x')</script>\"&\x1B\xFF";
  std::vector<ResultRow> rows{result(hostile, "EASY", 2), result(hostile, hostile, 3)};
  ReportOptions options;
  options.title = options.subtitle = hostile;
  options.settings = {{hostile, hostile}};
  const std::string html = or_throw(html_report(rows, options));
  expect_balanced(html);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("alert('x')")));
  EXPECT_THAT(html, Not(HasSubstr("\x1B")));
  EXPECT_THAT(html, Not(HasSubstr("\xFF")));
  EXPECT_THAT(html,
              HasSubstr("<h1>&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;\xEF\xBF\xBD\xEF\xBF\xBD</h1>"));
}

TEST(ReportHtml, WithoutGnuplotSaysSoAndHowToGetIt) {
  const PathSetting setting("");
  const std::string html = or_throw(html_report(two_by_two()));
  expect_balanced(html);
  EXPECT_THAT(html, Not(HasSubstr("<svg")));
  EXPECT_THAT(html, HasSubstr("This report has no charts: gnuplot was not found in the folders of PATH."));
  EXPECT_THAT(html, HasSubstr("apt-get install gnuplot-nox"));
  EXPECT_THAT(html, HasSubstr("<h2>Glossary</h2>"));
}

TEST(ReportHtml, AFailingGnuplotLeavesTheReportWhole) {
  const TemporaryFolder folder;
  ReportOptions options;
  options.gnuplot = folder.write("gnuplot", "#!/bin/sh\necho '<not svg>'\n");
  std::filesystem::permissions(options.gnuplot, std::filesystem::perms::owner_all);
  const std::string html = or_throw(html_report(two_by_two(), options));
  expect_balanced(html);
  EXPECT_THAT(html, HasSubstr("This report has no charts: gnuplot wrote something that is not an SVG."));
}

TEST(ReportHtml, GnuplotSeesNoNames) {
  // A stand-in that keeps what it was asked to draw.
  const TemporaryFolder folder;
  ReportOptions options;
  options.gnuplot = folder.write("gnuplot", "#!/bin/sh\ncat >>'" + (folder / "script") + "'\necho '<svg></svg>'\n");
  std::filesystem::permissions(options.gnuplot, std::filesystem::perms::owner_all);
  std::vector<ResultRow> rows = two_by_two();
  rows[1].algorithm = rows[3].algorithm = "'\n!touch pwned\nset output `x`";
  rows[0].instance = rows[1].instance = "$(instance)";
  or_throw(html_report(rows, options));
  const std::string script = file_bytes(folder / "script");
  EXPECT_THAT(script, HasSubstr("set terminal svg"));
  for (const char* text : {"touch", "`", "EASY", "instance", "!"}) EXPECT_THAT(script, Not(HasSubstr(text)));
}

TEST(ReportHtml, ChartsAreInlineSvgWithNamesAndDistinctIds) {
  if (find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  std::vector<ResultRow> rows = two_by_two();
  rows[2].load = rows[3].load = 0.9;
  rows[0].algorithm = rows[2].algorithm = "<b>& \"quoted\"";
  const std::string html = or_throw(html_report(rows));
  expect_balanced(html);
  EXPECT_EQ(count(html, "<svg"), 4U);  // degradation, against load, underutilization, pauses and moves
  EXPECT_EQ(count(html, "<figure>"), 4U);
  // At the axis of three charts and in the legend of the one against load; nothing of the stand-ins is left.
  EXPECT_EQ(count(html, "<text>&lt;b&gt;&amp; &quot;quoted&quot;</text>"), 4U);
  EXPECT_THAT(html, Not(HasSubstr("Qz")));
  // Black would not show on a dark page.
  for (const char* black : {"'black'", "\"black\"", "rgb(  0,   0,   0)"}) EXPECT_THAT(html, Not(HasSubstr(black)));
  std::set<std::string> ids;
  for (std::size_t at = html.find(" id="); at != std::string::npos; at = html.find(" id=", at + 1)) {
    const std::string id = html.substr(at + 5, html.find(html[at + 4], at + 5) - at - 5);
    EXPECT_TRUE(ids.insert(id).second) << id << " twice";
  }
  EXPECT_GT(ids.size(), 4U);
}

TEST(ReportHtml, OneLoadNeedsNoChartAgainstLoad) {
  if (find_program("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string html = or_throw(html_report({result("a", "EASY", 20), result("a", "FCFS", 30)}));
  EXPECT_EQ(count(html, "<svg"), 2U);  // nothing is paused or moved either
  EXPECT_THAT(html, Not(HasSubstr("against offered load")));
}

TEST(ReportHtml, SameInputSameBytes) {
  EXPECT_EQ(or_throw(html_report(two_by_two())), or_throw(html_report(two_by_two())));
}

}  // namespace
}  // namespace dfrs::sim
