// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text_table.h"

#include <gtest/gtest.h>

namespace dfrs::base {
namespace {

TextTable two_columns() {
  TextTable table;
  table.column("name");
  table.column("n", Align::right);
  table.row({"long name", "1"});
  table.row({"b", "100"}, true);
  return table;
}

TEST(TextTable, AlignsColumns) {
  EXPECT_EQ(two_columns().text(),
            "name         n\n"
            "long name    1\n"
            "b          100\n");
}

TEST(TextTable, NoBlanksAtTheEndOfALine) {
  TextTable table;
  table.column("a");
  table.column("note");
  table.row({"x", ""});
  EXPECT_EQ(table.text(), "a  note\nx\n");
}

TEST(TextTable, MarksRowsAndUnderlinesHeadings) {
  TextTable table = two_columns();
  table.mark_rows();
  table.rule();
  EXPECT_EQ(table.width(1), 3U);
  table.widen(1, 1);
  EXPECT_EQ(table.text(),
            "  name          n\n"
            "-----------------\n"
            "  long name     1\n"
            "> b           100\n");
}

}  // namespace
}  // namespace dfrs::base
