// SPDX-License-Identifier: GPL-2.0-or-later
// Where files are written: names in a trace stay in the folder given, and no input is overwritten.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "sim/io/file_name.h"
#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using testing::UnorderedElementsAre;

std::string named(const std::string& name) {
  std::string text = small_trace();
  return text.replace(text.find("small"), 5, name);
}

TEST(CliPaths, NamesInATraceStayInTheFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "out");
  for (const std::string& name :
       {std::string("../x"), folder / "absolute", std::string(".hidden"), std::string("a/b")}) {
    const Outcome outcome = dfrs_sim({"annotate", "-", "-o", folder / "out"}, {.input = named(name)});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("out"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out")) {
    EXPECT_TRUE(entry.is_regular_file()) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 4U);
}

// A process killed by SIGKILL leaves its temporary file; one that still runs holds a lock on it.
TEST(CliPaths, LeftOverTemporaryFilesAreRemoved) {
  const TemporaryFolder folder;
  folder.write("out.csv.4711-0.tmp", "half a res");
  folder.write("out.csv.backup", "kept");
  folder.write("another.csv.4711-0.tmp", "kept");
  const std::string busy = folder.write("out.csv.4712-3.tmp", "of a process that runs");
  const base::Fd fd(::open(busy.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(fd.get(), LOCK_EX), 0);
  output_of({"compare", "-", "-a", "EASY", "-o", folder / "out.csv"}, {.input = small_trace()});
  EXPECT_THAT(folder.names(),
              UnorderedElementsAre("another.csv.4711-0.tmp", "out.csv", "out.csv.4712-3.tmp", "out.csv.backup"));
}

TEST(CliPaths, NamesOfFiles) {
  EXPECT_EQ(file_name_of("week-1"), "week-1");
  EXPECT_EQ(file_name_of("../x"), "_._x");
  EXPECT_EQ(file_name_of("/etc/passwd"), "_etc_passwd");
  EXPECT_EQ(file_name_of(".."), "_.");
  EXPECT_EQ(file_name_of("a\nb"), "a_b");
  EXPECT_EQ(file_name_of(""), "_");
  EXPECT_EQ(file_name_of(std::string(5000, 'x')).size(), 200U);
}

TEST(CliPaths, TwoNamesOfOneFileAreRefused) {
  const TemporaryFolder folder;
  expect_failure(dfrs_sim({"annotate", "-", "-o", folder / "out"}, {.input = named("a/b") + named("a_b")}), kExitInput,
                 {"'a/b'", "'a_b'"});
}

TEST(CliPaths, AnInputIsNotOverwritten) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  std::filesystem::create_symlink("small.dfrs", folder / "link.dfrs");
  const std::string link = folder / "link.dfrs";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"compare", trace, "-a", "EASY", "-o", trace},
                                                {"compare", link, "-a", "EASY", "-o", trace},
                                                {"compare", trace, "-a", "EASY", "--report", link},
                                                {"run", trace, "-a", "EASY", "--jobs-csv", trace},
                                                {"bound", trace, "-o", trace},
                                                {"annotate", trace, "-o", folder.path().string()},
                                                {"report", trace, "-o", trace}}) {
    expect_failure(dfrs_sim(words), words.front() == "report" ? kExitInput : kExitUsage, {".dfrs"});
    EXPECT_EQ(file_bytes(trace), small_trace()) << testing::PrintToString(words);
  }
  expect_failure(dfrs_sim({"advise", trace, "--nodes", "4", "-o", link}), kExitUsage, {".dfrs"});
  expect_failure(dfrs_sim({"advise", trace, "--nodes", "4", "--conf", trace}), kExitUsage, {".dfrs"});
  EXPECT_EQ(file_bytes(trace), small_trace());
  const std::string requests = folder / "requests.txt";
  output_of({"divisible", "-a", "SRPT", "--save", requests});
  const std::string saved = file_bytes(requests);
  for (const char* const option : {"-o", "--jobs-csv", "--schedule-csv", "--save"}) {
    expect_failure(dfrs_sim({"divisible", requests, "-a", "SRPT", option, requests}), kExitUsage, {"requests.txt"});
    EXPECT_EQ(file_bytes(requests), saved) << option;
  }
}

}  // namespace
}  // namespace dfrs::sim
