// SPDX-License-Identifier: GPL-2.0-or-later
// Outputs that cannot be written, and runs that fail half-way: exit code 4 or the cause's, and no file changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <csignal>

#include <filesystem>
#include <string>

#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr const char* kFull = "/dev/full";

// Command lines that write to the file `output`, one per output option.
std::vector<std::vector<std::string>> writers(const std::string& output) {
  return {{"run", "-", "-a", "EASY", "--jobs-csv", output},
          {"run", "-", "-a", "GreedyPM*/per", "--log", output},
          {"compare", "-", "-a", "EASY", "-o", output},
          {"compare", "-", "-a", "EASY", "--report", output},
          {"bound", "-", "-o", output}};
}

// A cheap stand-in for a run that fails late: the second source is broken, after the first was read.
std::string broken_trace() { return small_trace() + "4 nonsense\n"; }

TEST(CliOutput, FoldersThatDoNotExist) {
  for (const std::vector<std::string>& arguments : writers("no/such/folder/out")) {
    const TemporaryFolder folder;
    expect_failure(dfrs_sim(arguments, {.input = small_trace(), .folder = folder.path().string()}), kExitIo,
                   {"no/such/folder/out", "No such file or directory"});
    EXPECT_THAT(folder.names(), IsEmpty());
  }
}

TEST(CliOutput, FoldersThatMayNotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  for (const std::vector<std::string>& arguments : writers("locked/out")) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "locked");
    std::filesystem::permissions(folder / "locked", std::filesystem::perms::owner_read);
    expect_failure(dfrs_sim(arguments, {.input = small_trace(), .folder = folder.path().string()}), kExitIo,
                   {"locked/out", "Permission denied"});
  }
}

TEST(CliOutput, AFolderIsNoFile) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& arguments : writers(folder.path().string())) {
    expect_failure(dfrs_sim(arguments, {.input = small_trace()}), kExitIo, {folder.path().string(), "directory"});
  }
  const std::string file = folder.write("file", "kept");
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"generate", "--jobs", "5", "-o", file},
                                                    {"annotate", "-", "-o", file},
                                                    {"demo", "-o", file}}) {
    expect_failure(dfrs_sim(arguments, {.input = small_swf()}), kExitIo, {file});
  }
  EXPECT_EQ(file_bytes(file), "kept");
}

TEST(CliOutput, FullDisk) {
  if (!std::filesystem::exists(kFull)) GTEST_SKIP() << "no /dev/full here";
  for (const std::vector<std::string>& arguments : writers(kFull)) {
    expect_failure(dfrs_sim(arguments, {.input = small_trace()}), kExitIo, {kFull, "No space left on device"});
  }
  const TemporaryFolder folder;
  const std::string results = folder / "results.csv";
  output_of({"compare", "-", "-a", "EASY", "-o", results}, {.input = small_trace()});
  expect_failure(dfrs_sim({"report", results, "-o", kFull}), kExitIo, {kFull, "No space left on device"});
}

// Standard output counts like a file: a full disk behind it is an error, too.
TEST(CliOutput, FullDiskBehindStandardOutput) {
  if (!std::filesystem::exists(kFull)) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFolder folder;
  const std::string results = folder / "results.csv";
  output_of({"compare", "-", "-a", "EASY", "-o", results}, {.input = small_trace()});
  const std::vector<std::vector<std::string>> printers{{"run", "-", "-a", "EASY"},
                                                       {"run", "-", "-a", "EASY", "--json"},
                                                       {"compare", "-", "-a", "EASY"},
                                                       {"bound", "-"},
                                                       {"annotate", "-"},
                                                       {"generate", "--jobs", "5"},
                                                       {"list"},
                                                       {"fetch"},
                                                       {"report", results, "--format", "text"},
                                                       {"demo", "-", "-o", folder / "demo"},
                                                       {"--help"},
                                                       {"run", "--help"},
                                                       {"--version"}};
  for (const std::vector<std::string>& arguments : printers) {
    expect_failure(dfrs_sim(arguments, {.input = small_trace(), .output = kFull}), kExitIo,
                   {"stdout", "No space left on device"});
  }
}

TEST(CliOutput, APipeThatNobodyReads) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", "-", "-a", "EASY"}, {"list"}, {"generate"}, {"--help"}}) {
    const Outcome outcome = dfrs_sim(arguments, {.input = small_trace(), .output_is_closed_pipe = true});
    EXPECT_EQ(outcome.exit_code, -SIGPIPE) << outcome.command;
    EXPECT_EQ(outcome.err, "") << "a reader like head has what it wants";
  }
}

TEST(CliOutput, AFileThatMayNotGrowLeavesNothing) {
  const TemporaryFolder folder;
  // 100 jobs under GreedyPM*/per make a log of more than 4 blocks of 512 bytes.
  const std::string trace = output_of({"generate", "--jobs", "100"});
  const Outcome outcome =
      dfrs_sim({"run", "-", "-a", "GreedyPM*/per", "--log", folder / "log"}, {.input = trace, .soft_limits = "-f 4"});
  // The kernel ends the program by SIGXFSZ unless it handles that signal.
  EXPECT_THAT(folder.names(), IsEmpty());
  expect_failure(outcome, kExitIo, {"File too large"});
}

TEST(CliOutput, FailuresLeaveEarlierFilesAsTheyWere) {
  const TemporaryFolder folder;
  const std::string out = folder.write("out", "from an earlier run");
  for (std::vector<std::string> arguments : writers(out)) {
    expect_failure(dfrs_sim(arguments, {.input = broken_trace()}), kExitInput, {"<stdin>:7"});
    EXPECT_EQ(file_bytes(out), "from an earlier run");
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("out"));
  // The second output is the one that fails: the first one is not written either.
  expect_failure(dfrs_sim({"compare", "-", "-a", "EASY", "-o", out, "--report", folder / "none/report.html"},
                          {.input = small_trace()}),
                 kExitIo, {"none/report.html"});
  EXPECT_EQ(file_bytes(out), "from an earlier run");
  expect_failure(
      dfrs_sim({"run", "-", "-a", "EASY", "--log", out, "--jobs-csv", folder / "none/jobs"}, {.input = small_trace()}),
      kExitIo, {"none/jobs"});
  EXPECT_EQ(file_bytes(out), "from an earlier run");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("out"));
}

TEST(CliOutput, SuccessesReplaceEarlierFiles) {
  const TemporaryFolder folder;
  const std::string out = folder.write("out", "from an earlier run");
  for (const std::vector<std::string>& arguments : writers(out)) {
    folder.write("out", "from an earlier run");
    output_of(arguments, {.input = small_trace()});
    EXPECT_GT(file_bytes(out).size(), 30U);
    EXPECT_EQ(file_bytes(out).find("earlier"), std::string::npos);
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("out"));
}

// Two outputs of one name: one would silently replace the other.
TEST(CliOutput, TwoOutputsOfOneName) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  expect_failure(dfrs_sim({"run", "-", "-a", "EASY", "--log", out, "--jobs-csv", out}, {.input = small_trace()}),
                 kExitUsage, {"--log", "--jobs-csv", out});
  expect_failure(dfrs_sim({"compare", "-", "-a", "EASY", "-o", out, "--report", out}, {.input = small_trace()}),
                 kExitUsage, {"--output", "--report", out});
  EXPECT_THAT(folder.names(), IsEmpty());
}

}  // namespace
}  // namespace dfrs::sim
