// SPDX-License-Identifier: GPL-2.0-or-later
// Wrong command lines: exit code 2 and a message that names the wrong word and, if there is one, the nearest known
// word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;

void expect_usage(const std::vector<std::string>& arguments, std::initializer_list<std::string_view> texts) {
  const TemporaryFolder folder;
  expect_failure(dfrs_sim(arguments, {.input = small_trace(), .folder = folder.path().string()}), kExitUsage, texts);
  EXPECT_THAT(folder.names(), ::testing::IsEmpty()) << "wrong usage, but files appeared";
}

TEST(CliUsage, UnknownWordsNameTheNearest) {
  expect_usage({"rnu", "-", "-a", "EASY"}, {"'rnu'", "'run'"});
  expect_usage({"comparee", "-"}, {"'comparee'", "'compare'"});
  expect_usage({"--verison"}, {"'--verison'", "'--version'"});
  expect_usage({"run", "-", "-a", "EASY", "--penaltyy", "3"}, {"'--penaltyy'", "'--penalty'"});
  expect_usage({"run", "-", "-a", "EASY", "--penaltyy=3"}, {"'--penaltyy'", "'--penalty'"});
  expect_usage({"compare", "-", "--algoritm", "EASY"}, {"'--algoritm'", "'--algorithm'"});
  expect_usage({"generate", "--jbos", "3"}, {"'--jbos'", "'--jobs'"});
  expect_usage({"compare", "-", "--floor", "60"}, {"'--floor'", "'--stretch-floor' or '--priority-floor'"});
  expect_usage({"compare", "--"}, {"SOURCE is required"});
  expect_usage({"list", "--name"}, {"'--name'", "'--names'"});
  expect_usage({"list", "extra"}, {"extra"});
  expect_usage({"compare", "-", "-j1", "--bogus"}, {"unknown option '--bogus'"});
  expect_usage({"help"}, {"'help'", "'--help'"});
  expect_usage({"version"}, {"'version'", "'--version'"});
  expect_usage({"run", "-", "second", "-a", "EASY"}, {"SOURCE", "received 2"});
}

TEST(CliUsage, UnknownAlgorithmsNameTheNearest) {
  expect_usage({"run", "-", "-a", "ESAY"}, {"'ESAY'", "'EASY'", "dfrs-sim list"});
  expect_usage({"run", "-", "-a", "GredyPM*/per"}, {"'GredyPM*/per'", "'GreedyPM*/per'"});
  expect_usage({"run", "-", "-a", "GredyPM"}, {"'GredyPM'", "'GreedyPM*'"});
  expect_usage({"run", "-", "-a", "GreedyPM*/per/MINVTT=600"}, {"MINVTT", "MINVT=600'"});
  expect_usage({"run", "-", "-a", "GreedyP/per/MINVT=soon"}, {"soon"});
  expect_usage({"run", "-", "-a", "GreedyP/per/MINVT=-1"}, {"-1"});
  expect_usage({"run", "-", "-a", ""}, {"algorithm"});
  expect_usage({"compare", "-", "-a", "EASY,FCSF"}, {"'FCSF'", "'FCFS'"});
  expect_usage({"compare", "-", "-a", "EASY,"}, {"algorithm"});
  expect_usage({"run", "-", "-a", "EASY,FCFS"}, {"one algorithm", "compare"});
  expect_usage({"run", "-", "-a", "all"}, {"one algorithm"});
}

// Wrong names are reported before a long log is read.
TEST(CliUsage, AlgorithmsAreCheckedBeforeTheTrace) {
  expect_usage({"compare", "no-such-file", "-a", "ESAY"}, {"'ESAY'"});
  expect_usage({"run", "no-such-file", "-a", "ESAY"}, {"'ESAY'"});
}

TEST(CliUsage, ValuesOutOfRangeNameTheOption) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> values{
      {"--penalty", {"-1", "nan", "inf", "2e9", "", "five", "3s"}},
      {"--period", {"0", "-600", "nan", "inf", "2e9"}},
      {"--stretch-floor", {"0", "-1", "nan", "inf"}},
      {"--priority-floor", {"-1", "nan"}},
      {"--instants", {"sometimes", ""}},
      {"--batch-passes", {"never"}},
      {"--nodes", {"0", "-3", "1.5", "99999999999999999999", "many"}},
      {"--cores", {"0", "2000"}},
      {"--memory", {"0", "-5", "9999999999999999999999"}},
      {"--annotation", {"memroy"}},
      {"--processors", {"wanted"}},
      {"--estimates", {"user"}},
      {"--take", {"-1", "x", "0"}},
  };
  for (const auto& [option, wrong] : values) {
    for (const std::string& value : wrong) {
      expect_usage({"run", "-", "-a", "EASY", option + "=" + value}, {option});
      expect_usage({"compare", "-", option + "=" + value}, {option});
    }
  }
  expect_usage({"compare", "-", "-j", "0"}, {"--threads"});
  expect_usage({"compare", "-", "-j", "1000000"}, {"--threads"});
  expect_usage({"compare", "-", "--format", "pdf"}, {"--format", "markdown"});
  expect_usage({"bound", "-", "--stretch-floor", "nan"}, {"--stretch-floor"});
  expect_usage({"reproduce", "any", "--instances", "0"}, {"--instances"});
  expect_usage({"reproduce", "any", "--seed", "-1"}, {"--seed"});
  expect_usage({"reproduce", "any", "-j", "0"}, {"--threads"});
}

TEST(CliUsage, GenerateChecksItsRanges) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> values{
      {"--count", {"0", "-1", "x", "1e3"}},
      {"--seed", {"-1", "x", "99999999999999999999"}},
      {"--jobs", {"0", "-1", "99999999999"}},
      {"--nodes", {"0", "1"}},
      {"--cores", {"0"}},
      {"--memory", {"9", "-1"}},
      {"--mix", {"all"}},
      {"--start-hour", {"24", "-1"}},
      {"--load", {"0", "-0.5", "nan", "inf", "0.5,x", "1001"}},
  };
  for (const auto& [option, wrong] : values) {
    for (const std::string& value : wrong) expect_usage({"generate", option + "=" + value}, {option});
  }
  expect_usage({"generate", "--count", "2"}, {"--output"});
  expect_usage({"generate", "--load", "0.1,0.5"}, {"--output"});
}

TEST(CliUsage, OptionsThatExcludeEachOther) {
  expect_usage({"run", "-", "-a", "EASY", "--weeks", "--whole"}, {"--weeks", "--whole"});
}

TEST(CliUsage, NothingToDoIsAnError) {
  expect_usage({}, {"subcommand"});
  expect_usage({"run", "-"}, {"--algorithm"});
  expect_usage({"run", "-a", "EASY"}, {"SOURCE"});
  expect_usage({"compare"}, {"SOURCE"});
  expect_usage({"report"}, {"RESULTS"});
  expect_usage({"reproduce"}, {"NAME", "reproduce --list"});
}

TEST(CliUsage, HelpIsASuccessEverywhere) {
  EXPECT_THAT(output_of({"--version"}), HasSubstr("dfrs-sim "));
  EXPECT_THAT(output_of({"--help"}), HasSubstr("Exit codes"));
  for (const char* command : {"demo", "compare", "run", "bound", "generate", "analyse", "annotate", "report",
                              "reproduce", "list", "fetch", "divisible"}) {
    EXPECT_THAT(output_of({command, "--help"}), HasSubstr(command));
  }
}

}  // namespace
}  // namespace dfrs::sim
