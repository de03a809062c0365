// SPDX-License-Identifier: GPL-2.0-or-later
// `dfrs-sim run --explain` and `dfrs-sim replay --explain`: the same story of a job, whatever else is printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
  EXPECT_THAT(story, EndsWith(" s  Job 1 has completed.\n"));
}

TEST(CliExplain, ARecordTellsTheSame) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  const json ran = json::parse(output_of(
      {"run", trace, "-a", "Triage", "--no-bound", "--json", "--explain", "1", "--record", folder / "record"}));
  const json replayed = json::parse(output_of({"replay", folder / "record", "--json", "--explain", "1"}));
  EXPECT_EQ(ran["explanation"]["job"], 1);
  EXPECT_GT(ran["explanation"]["events"].size(), 2u);
  EXPECT_EQ(ran["explanation"], replayed["explanation"]);
  EXPECT_THAT(output_of({"replay", folder / "record", "--explain", "1"}), HasSubstr("s  Job 1 starts on "));
}

TEST(CliExplain, WrongNumbersAreRefused) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  expect_failure(dfrs_sim({"run", trace, "-a", "EASY", "--explain", "9"}), kExitUsage,
                 {"--explain 9: small has no job of this number; its jobs have numbers from 1 to 3"});
  expect_failure(dfrs_sim({"run", trace, "-a", "EASY", "--explain", "x"}), kExitUsage, {"--explain"});
  output_of({"run", trace, "-a", "EASY", "--record", folder / "record"});
  expect_failure(dfrs_sim({"replay", folder / "record", "--explain", "9"}), kExitInput,
                 {"--explain 9: no step shows a job of this number"});
}

}  // namespace
}  // namespace dfrs::sim
