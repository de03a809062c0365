// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/report/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Page sample() {
  Page page;
  page.title = "A <page>";
  page.subtitle = "of 3 jobs";
  page.blocks = {PageHeading{"Words & numbers"}, PageParagraph{"Greedy* wins.", true}, PageList{{"one", "two"}},
                 PageTable{"Caption", {"policy", "wait"}, {{"EASY", "10 min"}, {"Greedy*", "0 s"}}, 1},
                 PageCode{"Algorithm=GreedyP*\nPeriod=600\n"}};
  return page;
}

TEST(Page, Text) {
  EXPECT_EQ(
      text_page(sample()),
      "A <page>\n========\nof 3 jobs\n\nWords & numbers\n---------------\n\nGreedy* wins.\n\n- one\n- two\n\nCaption\n"
      "  policy     wait\n-----------------\n  EASY     10 min\n> Greedy*     0 s\n\n    Algorithm=GreedyP*\n"
      "    Period=600\n");
}

TEST(Page, Markdown) {
  EXPECT_EQ(markdown_page(sample()),
            "# A \\<page\\>\n\nof 3 jobs\n\n## Words \\& numbers\n\n**Greedy\\* wins.**\n\n- one\n- two\n\nCaption\n\n"
            "| policy | wait |\n|---|---:|\n| EASY | 10 min |\n| **Greedy\\*** | **0 s** |\n\n```\nAlgorithm=GreedyP*\n"
            "Period=600\n```\n");
}

TEST(Page, Html) {
  const std::string html = html_page(sample());
  EXPECT_THAT(html, HasSubstr("<h1>A &lt;page&gt;</h1>"));
  EXPECT_THAT(html, HasSubstr("<p class=\"lead\">Greedy* wins.</p>"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"best\"><th scope=\"row\">Greedy*</th><td>0 s</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<pre>Algorithm=GreedyP*\nPeriod=600\n</pre>"));
  EXPECT_THAT(html, Not(HasSubstr("<page>")));
  EXPECT_TRUE(html.ends_with("</html>\n"));
}

// Only such a page has a script.
TEST(Page, KeepsTheViewOfItsFrameInItsAddress) {
  Page page;
  EXPECT_THAT(html_page(page), Not(HasSubstr("<script")));
  page.blocks = {PageFrame{"A day", "Above and below", "<script>1</script>"}};
  const std::string html = html_page(page);
  EXPECT_THAT(html, HasSubstr("srcdoc=\"&lt;script&gt;1&lt;/script&gt;\"></iframe>\n<script>\n"));
  EXPECT_THAT(html, HasSubstr("if (source !== frame.contentWindow) return;"));
}

TEST(Page, TextsDoNotActOnATerminal) {
  Page page;
  page.title = "a\x1b[31mb";
  page.blocks = {PageTable{"", {"x"}, {{"\x07"}}}, PageCode{"c\x1b\nd"}};
  for (const std::string& text : {text_page(page), markdown_page(page), html_page(page)}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\x07")));
  }
}

}  // namespace
}  // namespace dfrs::sim
