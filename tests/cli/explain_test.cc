// SPDX-License-Identifier: GPL-2.0-or-later
// `dfrs-sim run --explain` and `dfrs-sim replay --explain`: the same story of a job, whatever else is printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/exit_code.h"
#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// By hand: the second shares node 0 from 10 on, where both get 2/3. GreedyP* pauses the first at 20 for the third (600
// MiB of each node), which ends at 50: it has 10 + 10 x 2/3 s of progress, and a priority of 20 / 16.67^2.
TEST(CliExplain, ARunTellsWhatHappenedToAJob) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  const std::vector<std::string> run{"run", trace, "-a", "GreedyP*", "--no-bound"};
  std::vector<std::string> explained = run;
  explained.insert(explained.end(), {"--explain", "1"});
  const std::string plain = output_of(run);
  const std::string text = output_of(explained);
  ASSERT_THAT(text, StartsWith(plain + "\n"));
  const std::string story = text.substr(plain.size() + 1);
  EXPECT_THAT(story, HasSubstr(" 0 s  Job 1 is submitted with 2 tasks.\n"));
  EXPECT_THAT(story, HasSubstr(" 0 s  Job 1 starts on nodes 0, 1 at a yield of 1: there is room for it.\n"));
  EXPECT_THAT(story,
              HasSubstr(" 10 s  Job 1 slows down from a yield of 1 to 0.667: node 0 has a capacity of 1 and CPU needs "
                        "of 1.5, shared with job 2.\n"));
  EXPECT_THAT(story,
              HasSubstr(" 20 s  Job 1 is paused: job 3 takes its room, and its priority of 0.072 is the lowest that "
                        "makes enough.\n"));
  EXPECT_THAT(story, HasSubstr(" 50 s  Job 1 resumes on nodes 0, 1 "));
  EXPECT_THAT(story, EndsWith(" s  Job 1 has completed.\n"
                              "In all, job 1 waited 0 s to start, ran for 403 s and was paused 1 time for 30 s.\n"));
}

TEST(CliExplain, ARecordTellsTheSame) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  const json ran = json::parse(output_of(
      {"run", trace, "-a", "Triage", "--no-bound", "--json", "--explain", "1", "--record", folder / "record"}));
  const json replayed = json::parse(output_of({"replay", folder / "record", "--json", "--explain", "1"}));
  EXPECT_EQ(ran["explanation"]["job"], 1);
  EXPECT_GT(ran["explanation"]["events"].size(), 2u);
  EXPECT_EQ(ran["explanation"]["summary"]["ended"], true);
  EXPECT_EQ(ran["explanation"], replayed["explanation"]);
  EXPECT_THAT(output_of({"replay", folder / "record", "--explain", "1"}), HasSubstr("s  Job 1 starts on "));
}

// The worked example of docs/reference/explain.md: what the page says of it, to be held against the program.
struct WorkedExample {
  struct Row {
    std::string time;                 // of the event
    std::vector<std::string> quoted;  // of the record
  };
  std::vector<std::string> blocks;   // the indented ones: the trace, what is told
  std::vector<std::string> command;  // without the program's name
  std::vector<Row> rows;             // of the table of events
};

// What stands between backquotes.
std::vector<std::string> quoted_in(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream parts(text);
  std::string part;
  for (bool quoted = false; std::getline(parts, part, '`'); quoted = !quoted) {
    if (quoted) all.push_back(part);
  }
  return all;
}

// "1000" in "paused at 1,000 s".
std::string time_in(const std::string& cell) {
  std::string digits = cell.substr(cell.rfind(" at ") + 4);
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  return digits.substr(0, digits.find(' '));
}

WorkedExample worked_example(const std::string& page) {
  WorkedExample example;
  std::istringstream lines(page.substr(page.find("\n## An example, checked by hand\n") + 1));
  bool within = false;  // an indented block
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with("    ");
    if (indented && !within) example.blocks.emplace_back();
    if (indented) example.blocks.back() += line.substr(4) + '\n';
    within = indented;
    if (line.starts_with("`dfrs-sim run ")) {
      std::istringstream words(quoted_in(line).front());
      for (std::string word; words >> word;) {
        std::erase(word, '\'');  // the shell's quotes
        example.command.push_back(word);
      }
      example.command.erase(example.command.begin());
    }
    const std::size_t last = line.rfind(" | ", line.size() - std::min<std::size_t>(line.size(), 3));
    const std::string event = line.substr(0, line.find(" | "));
    if (!line.starts_with("| ") || last == std::string::npos || event.find(" at ") == std::string::npos) continue;
    example.rows.push_back({time_in(event), quoted_in(line.substr(last))});
  }
  return example;
}

TEST(CliExplain, TheWorkedExampleOfTheReferenceIsTrue) {
  const char* const source = std::getenv("srcdir");
  const WorkedExample example =
      worked_example(file_bytes(std::string(source == nullptr ? "." : source) + "/docs/reference/explain.md"));
  ASSERT_EQ(example.blocks.size(), 2u);
  ASSERT_GE(example.rows.size(), 5u);
  ASSERT_GT(example.command.size(), 2u);
  const TemporaryFolder folder;
  folder.write(example.command[1], example.blocks[0]);
  std::vector<std::string> command = example.command;
  command.insert(command.end(), {"--record", "record"});
  const std::string printed = output_of(command, {.folder = folder.path().string()});
  EXPECT_EQ(printed.substr(std::min(printed.size(), printed.find("\n\n") + 2)), example.blocks[1]);

  const std::string record = file_bytes(folder / "record");
  for (const WorkedExample::Row& row : example.rows) {
    ASSERT_FALSE(row.quoted.empty()) << "at " << row.time << " nothing of the record is quoted";
    EXPECT_THAT(example.blocks[1], HasSubstr(row.time + " s  ")) << "the table has an event that is not told";
    std::istringstream steps(record);
    bool found = false;
    for (std::string step; !found && std::getline(steps, step);) {
      found = step.starts_with("{\"t\":" + row.time + ",") &&
              std::all_of(row.quoted.begin(), row.quoted.end(),
                          [&](const std::string& part) { return step.find(part) != std::string::npos; });
    }
    EXPECT_TRUE(found) << "at " << row.time << " no step of the record has " << row.quoted.front();
  }
}

TEST(CliExplain, WrongNumbersAreRefused) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  expect_failure(dfrs_sim({"run", trace, "-a", "EASY", "--explain", "9"}), kExitUsage,
                 {"--explain 9: small has no job with this number; its jobs have numbers from 1 to 3"});
  expect_failure(dfrs_sim({"run", trace, "-a", "EASY", "--explain", "x"}), kExitUsage, {"--explain"});
  output_of({"run", trace, "-a", "EASY", "--record", folder / "record"});
  expect_failure(dfrs_sim({"replay", folder / "record", "--explain", "9"}), kExitInput,
                 {"--explain 9: no step shows a job with this number"});
}

}  // namespace
}  // namespace dfrs::sim
