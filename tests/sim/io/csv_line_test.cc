// SPDX-License-Identifier: GPL-2.0-or-later
// Records and fields of CSV, by hand.
#include "sim/io/csv_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dfrs::sim {
namespace {

using ::testing::ElementsAre;
using Next = CsvRecords::Next;
using Fields = std::vector<std::string>;

// All records; the last is {"open"} if a quote is not closed.
std::vector<Fields> all(std::string_view text, char separator = ',') {
  CsvRecords records(text, separator);
  std::vector<Fields> out;
  Fields fields{"what an earlier record left"};
  for (Next next; (next = records.next(fields)) != Next::kEnd;) {
    out.push_back(next == Next::kRecord ? fields : Fields{"open"});
  }
  return out;
}

TEST(CsvRecords, SplitsFieldsAndLines) {
  EXPECT_THAT(all("a,b\n1,\n,,3\n"), ElementsAre(Fields{"a", "b"}, Fields{"1", ""}, Fields{"", "", "3"}));
  EXPECT_THAT(all("a;b,c", ';'), ElementsAre(Fields{"a", "b,c"}));
  EXPECT_THAT(all("a\tb\n", '\t'), ElementsAre(Fields{"a", "b"}));
  EXPECT_THAT(all(""), ElementsAre());
}

TEST(CsvRecords, CarriageReturnsMarkAndBlankLines) {
  EXPECT_THAT(all("\xEF\xBB\xBF"
                  "a,b\r\n\r\n\n1,\"2\"\r\n3,4\r"),
              ElementsAre(Fields{"a", "b"}, Fields{"1", "2"}, Fields{"3", "4"}));
}

TEST(CsvRecords, Quotes) {
  EXPECT_THAT(all("\"a,b\",\"say \"\"x\"\"\"\n"), ElementsAre(Fields{"a,b", "say \"x\""}));
  EXPECT_THAT(all("\"two\nlines\",2\n"), ElementsAre(Fields{"two\nlines", "2"}));
  // Within a field, a quote is a quote.
  EXPECT_THAT(all("5\" disk,2\n"), ElementsAre(Fields{"5\" disk", "2"}));
  EXPECT_THAT(all("1,\"open\n2,3\n"), ElementsAre(Fields{"open"}));
}

TEST(CsvRecords, LinesAreThoseOfTheFirstCharacter) {
  CsvRecords records("a\n\n\"x\ny\"\nb\n");
  Fields fields;
  for (const std::size_t line : {1U, 3U, 5U}) {
    ASSERT_EQ(records.next(fields), Next::kRecord);
    EXPECT_EQ(records.line(), line);
  }
  EXPECT_EQ(records.next(fields), Next::kEnd);
}

}  // namespace
}  // namespace dfrs::sim
