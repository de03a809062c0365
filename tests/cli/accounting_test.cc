// SPDX-License-Identifier: GPL-2.0-or-later
// import and advise, as an administrator would use them, on accounting that real jobs left on a test cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "dfrs-config.h"
#include "tests/cli/process.h"
#include "tests/cli/replay.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"
#include "tests/sim/traces.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string in_source(const std::string& path) {
  const char* const source = std::getenv("srcdir");
  return std::filesystem::absolute(std::filesystem::path(source == nullptr ? "." : source) / path).string();
}

// Captured by tests/live/test_accounting.py and anonymised.
std::string sample() { return in_source("tests/golden/accounting.txt"); }

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = in_source("tests/golden/" + name);
  if (std::getenv("DFRS_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << path;
  EXPECT_EQ(text, file_bytes(path)) << path;
}

// Without the folder and the version, which vary.
std::string without_folder(std::string text) {
  const std::string folder = std::filesystem::path(sample()).parent_path().string() + "/";
  const std::string program = std::string("dfrs-sim ") + PACKAGE_VERSION;
  for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
    text.erase(at, folder.size());
  for (std::size_t at = text.find(program); at != std::string::npos; at = text.find(program))
    text.replace(at, program.size(), "dfrs-sim VERSION");
  return text;
}

TEST(CliImport, TheSampleAsTraceAndSwf) {
  const std::vector<std::string> words{"import",  "sacct", sample(),   "--nodes", "2",
                                       "--cores", "10",    "--memory", "1000"};
  expect_golden("accounting.dfrs", without_folder(output_of(words)));
  std::vector<std::string> swf = words;
  swf.push_back("--swf");
  expect_golden("accounting.swf", without_folder(output_of(swf)));
}

TEST(CliImport, AccountingIsASourceOfOtherCommands) {
  const TemporaryFolder folder;
  output_of({"import", "sacct", sample(), "-o", folder / "jobs.dfrs"});
  // Estimates are the time limits in both.
  const std::string direct = output_of({"compare", sample(), "-a", "EASY/shared,GreedyP*", "--format", "csv"});
  EXPECT_EQ(
      without_origin(output_of({"compare", folder / "jobs.dfrs", "-a", "EASY/shared,GreedyP*", "--format", "csv"})),
      without_origin(direct));
}

TEST(CliImport, Anonymised) {
  const std::string again = output_of({"import", "sacct", sample(), "--anonymise", "--to", "sacct"});
  EXPECT_EQ(again, file_bytes(sample()));  // already anonymised
  expect_failure(dfrs_sim({"import", "sacct", sample(), "--to", "sacct"}), kExitUsage, {"--to sacct", "--anonymise"});
}

TEST(CliImport, SwfToSwf) {
  const TemporaryFolder folder;
  std::ofstream(folder / "log.swf") << small_swf();
  const std::string text = output_of({"import", "swf", folder / "log.swf", "--anonymise", "--swf"});
  EXPECT_EQ(without_origin(output_of({"import", "swf", "-", "--swf"}, {.input = text})), without_origin(text));
  EXPECT_THAT(output_of({"import", "swf", folder / "log.swf"}), HasSubstr("; dfrs-trace: 1\n; Source: SWF"));
}

TEST(CliImport, ErrorsSayWhatToDo) {
  const auto refused = [](const std::string& text, std::initializer_list<std::string_view> words) {
    expect_failure(dfrs_sim({"import", "sacct", "-"}, {.input = text}), kExitInput, words);
  };
  refused("JobID|State\n1|COMPLETED\n", {"<stdin>:1:", "columns missing", "sacct --allusers"});
  refused("JobID|State|Submit|Start|Elapsed|AllocCPUS\n1|COMPLETED|x|x|x|x\n", {"<stdin>:2: column Submit: 'x'"});
  expect_failure(dfrs_sim({"import", "sacct", "-"}, {.input = "JobID|State|Submit|Start|Elapsed|AllocCPUS\n"
                                                              "1|COMPLETED|1700000000|1700000000|00:01:00|4\n"}),
                 kExitUsage, {"NodeList", "--nodes N"});
  expect_failure(dfrs_sim({"import", "sact", "x"}), kExitUsage, {"import takes", "sacct", "not 'sact'"});
  expect_failure(dfrs_sim({"import", "sacct", sample(), "--nods", "3"}), kExitUsage, {"did you mean '--nodes'"});
  expect_failure(dfrs_sim({"import", "swf", sample()}), kExitInput, {"use dfrs-sim import sacct"});
}

TEST(CliAdvise, ThePageOnTheSample) {
  // The jobs had two nodes of 10 CPUs to themselves; on one node of 4 they compete.
  const std::vector<std::string> words{"advise", "--sacct",  sample(), "--nodes",     "1",  "--cores",
                                       "4",      "--memory", "300",    "--bandwidth", "0.5"};
  expect_golden("advise.txt", without_folder(output_of(words)));
  auto with = words;
  with.insert(with.end(), {"--format", "html"});
  EXPECT_THAT(output_of(with), AllOf(HasSubstr("<h1>What DFRS would do for your cluster</h1>"), HasSubstr("</html>")));
}

// The 99th percentile decides; the worst job may fare much worse for it.
TEST(CliAdvise, ThePolicyThatWinsMayServeOneJobMuchWorse) {
  DFRS_TRACE_OR_SKIP(path, "HPC2N-2002-2.1-cln.swf.gz");
  const std::string page =
      output_of({"advise", "--swf", path, "--pauses", "lost", "--samples", "3", "--format", "markdown"});
  EXPECT_THAT(page, HasSubstr("With Pauses=lost Triage loses: "));
  EXPECT_THAT(page, HasSubstr("; but there the job that is served worst has a stretch of "));
}

// GreedyP* has the same 99th percentile within 10 % and demands less, but serves one job nine times as badly.
TEST(CliAdvise, OfPoliciesThatAreAboutEqualOneThatSparesAJobWins) {
  DFRS_TRACE_OR_SKIP(path, "HPC2N-2002-2.1-cln.swf.gz");
  EXPECT_THAT(output_of({"advise", "--swf", path, "--pauses", "suspended", "--format", "markdown"}),
              HasSubstr("Algorithm=Triage and Pauses=suspended"));
}

// A trace has nodes of a CPU each, whatever the machine was.
TEST(CliAdvise, ATraceDoesNotSayHowManyCpusNodesHave) {
  const std::string page = output_of({"advise", in_source("tests/golden/workload.dfrs"), "--format", "markdown"});
  EXPECT_THAT(page, HasSubstr("Machine: 8 nodes of 10240 MiB."));
}

TEST(CliAdvise, SettingsAreWhatDfrsTakes) {
  const TemporaryFolder folder;
  const std::string trace = in_source("tests/golden/workload.dfrs");
  const std::string busy = folder.write(
      "busy.dfrs", output_of({"generate", "--jobs", "200", "--nodes", "16", "--load", "1.2", "--seed", "5"}));
  for (const std::vector<std::string>& source : std::vector<std::vector<std::string>>{{"--sacct", sample()},
                                                                                      {trace},
                                                                                      {busy},
                                                                                      {busy, "--pauses", "suspended"},
                                                                                      {busy, "--pauses", "kept"},
                                                                                      {busy, "--pauses", "mixed"},
                                                                                      {busy, "--pauses", "none"},
                                                                                      {busy, "--pauses", "lost"}}) {
    std::vector<std::string> words{"advise", "--conf", folder / "dfrs.conf", "-o", folder / "page.md"};
    words.insert(words.end(), source.begin(), source.end());
    EXPECT_EQ(output_of(words), "");
    const std::string conf = file_bytes(folder / "dfrs.conf");
    EXPECT_THAT(conf, AllOf(HasSubstr("\nAlgorithm="), HasSubstr("\nPauses="), HasSubstr("\nPartitions=")));
    EXPECT_THAT(conf, StartsWith("# program: dfrs-sim "));
    EXPECT_THAT(file_bytes(folder / "page.md"),
                HasSubstr("```\n" + conf.substr(conf.find("# dfrs.conf to start")) + "```\n"));
    const std::string checked = output_of({folder / "dfrs.conf"}, {.program = "dfrs-check-config"});
    // Every setting takes effect as written.
    std::istringstream lines(conf);
    for (std::string line; std::getline(lines, line);) {
      // dfrs-check-config prints the settings that this one stands for.
      if (line == "Pauses=none") line = "PauseBy=none";
      if (line == "Pauses=suspended") line = "PauseBy=suspend\nLostWork=refuse";
      if (line == "Pauses=kept") line = "PauseBy=suspend,requeue\nLostWork=refuse";
      if (line == "Pauses=mixed") line = "PauseBy=requeue\nLostWork=refuse";
      if (line == "Pauses=lost") line = "PauseBy=requeue\nLostWork=accept";
      if (!line.starts_with('#')) {
        EXPECT_THAT(checked, HasSubstr(line)) << conf;
      }
    }
  }
}

// All options of the workload do what they do elsewhere, or are refused.
TEST(CliAdvise, NoOptionIsIgnored) {
  const TemporaryFolder folder;
  const std::string trace = folder.write("small.dfrs", small_trace());
  const std::string plain = without_origin(output_of({"advise", trace}));
  const std::string killed = folder.write("killed.dfrs", small_trace() + "4 30 2 1 300 500 20\n");
  EXPECT_NE(without_origin(output_of({"advise", killed, "--kill-at-estimate"})),
            without_origin(output_of({"advise", killed})));
  EXPECT_NE(without_origin(output_of({"advise", trace, "--real-need", "0.1-0.2"})), plain);
  const std::string busy = folder.write(
      "busy.dfrs", output_of({"generate", "--jobs", "200", "--nodes", "16", "--load", "1.2", "--seed", "5"}));
  const std::string of_busy = without_origin(output_of({"advise", busy}));
  EXPECT_THAT(of_busy,
              AllOf(HasSubstr("- What to set: Algorithm=GreedyP*/OPT=MIN and Pauses=suspended; the file is below."),
                    HasSubstr("- With Pauses=lost Triage loses: one job in a hundred takes more than 5249 times"),
                    HasSubstr("Take Algorithm=Greedy*/OPT=MIN.")));
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{{"--restart-cost", "3000"},
                                                                                      {"--min-progress", "2000"},
                                                                                      {"--max-lost-runs", "0"},
                                                                                      {"--penalty", "300"},
                                                                                      {"--checkpoints", "0.1"},
                                                                                      {"--swap", "100"},
                                                                                      {"--pauses", "none"}}) {
    EXPECT_NE(without_origin(output_of({"advise", busy, option, value})), of_busy) << option;
  }
  expect_failure(dfrs_sim({"advise", trace, "--take", "1"}), kExitUsage, {"advise: --take has no effect"});
  expect_failure(dfrs_sim({"advise", trace, "--instance", "small"}), kExitUsage, {"advise: --instance"});
}

// Two jobs of an hour that both need the one licence: the second waits for the first, whatever the policy.
TEST(CliAdvise, LicencesAreSimulated) {
  const TemporaryFolder folder;
  const std::string log = folder.write("jobs.sacct",
                                       "JobID|State|Submit|Start|ElapsedRaw|NNodes|AllocCPUS|AllocTRES|NodeList\n"
                                       "1|COMPLETED|1700000000|1700000000|3600|1|1|cpu=1,license/cad=1,mem=1G|n1\n"
                                       "2|COMPLETED|1700000010|1700003600|3600|1|1|cpu=1,license/cad=1,mem=1G|n2\n");
  EXPECT_THAT(output_of({"advise", "--sacct", log}), HasSubstr("assumed to have these licences: cad=1."));
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", log, "-a", "Greedy*", "--cpu-need", "allocated"};
    words.insert(words.end(), more.begin(), more.end());
    return output_of(words);
  };
  EXPECT_THAT(run({}), HasSubstr("max stretch            1.997"));  // 7190 s for 3600
  EXPECT_THAT(run({"--licences", "cad=2"}), HasSubstr("max stretch            1.000"));
  expect_failure(dfrs_sim({"run", log, "-a", "Greedy*", "--licences", "cad"}), kExitUsage,
                 {"--licences", "NAME=COUNT"});
}

TEST(CliAdvise, ErrorsSayWhatToGive) {
  expect_failure(dfrs_sim({"advise"}), kExitUsage, {"--sacct FILE", "--swf FILE"});
  expect_failure(dfrs_sim({"advise", sample(), "--swf", sample()}), kExitUsage, {"give only one of"});
  expect_failure(dfrs_sim({"advise", "--swf", sample()}), kExitUsage, {"--sacct"});
  expect_failure(dfrs_sim({"advise", sample(), "-a", "EASY"}), kExitUsage, {"EASY is not a candidate"});
  expect_failure(dfrs_sim({"advise", sample(), "-o", "/nowhere/page.html"}), kExitIo, {"/nowhere/page.html"});
}

// Accounting with TotalCPU and without MaxRSS, and SWF logs.
TEST(CliAdvise, TheHeadlineHasTheEfficiencyOfTheJobs) {
  const TemporaryFolder folder;
  const std::string accounting =
      folder.write("jobs.sacct",
                   "JobID|State|Submit|Start|ElapsedRaw|NNodes|AllocCPUS|AllocTRES|TotalCPU|NodeList\n"
                   "1|COMPLETED|1700000000|1700000000|3600|1|4|cpu=4,mem=1G|01:00:00|n1\n");
  EXPECT_THAT(
      output_of({"advise", "--sacct", accounting, "--format", "markdown"}),
      HasSubstr("\n- Your jobs use 25 % of the CPU time that they ask for (median). The log does not say how much "
                "of the memory they use.\n"));
  const std::string header = "; MaxProcs: 4\n";
  const std::string log = folder.write("jobs.swf", header + "1 0 -1 100 4 25 300 4 200 400 1 1 1 -1 -1 -1 -1 -1\n");
  EXPECT_THAT(
      output_of({"advise", "--swf", log, "--format", "markdown"}),
      AllOf(HasSubstr("\n- Your jobs use 25 % of the CPU time and 75 % of the memory that they ask for "
                      "(medians).\n"),
            HasSubstr("\n- Half of the jobs use less than 25 % of the CPU time they hold, less than 75 % of the "
                      "memory they ask for, and less than 50 % of their time limit.")));
  // Out of order, which another reader reads.
  const std::string mixed = folder.write("mixed.swf", header + "2 5 -1 100 4 25 -1 4 -1 -1 1 1 1 -1 -1 -1 -1 -1\n" +
                                                          "1 0 -1 100 4 25 -1 4 -1 -1 1 1 1 -1 -1 -1 -1 -1\n");
  EXPECT_THAT(
      output_of({"advise", "--swf", mixed, "--format", "markdown"}),
      HasSubstr("\n- Your jobs use 25 % of the CPU time that they ask for (median). The log does not say how much "
                "of the memory they use.\n"));
}

// The last column may have delimiters in it. One of three jobs is marked, and another was made by srun.
TEST(CliAdvise, CommentsAndStepsOfAccounting) {
  const TemporaryFolder folder;
  std::string text = "JobID|State|Submit|Start|ElapsedRaw|NNodes|AllocCPUS|AllocTRES|NodeList|Comment\n";
  for (const auto& [job, step, comment] : std::vector<std::array<std::string, 3>>{
           {"1", "batch", "a | dfrs:checkpoint"}, {"2", "0", ""}, {"3", "batch", "b"}}) {
    text += job + "|COMPLETED|1700000000|1700000000|3600|1|1|cpu=1,mem=1G|n1|" + comment + "\n";
    text += job + "." + step + "|COMPLETED|1700000000|1700000000|3600|1|1|cpu=1,mem=1G|n1|\n";
  }
  const std::string page =
      output_of({"advise", "--sacct", folder.write("jobs.sacct", text), "--cores", "1", "--format", "markdown"});
  EXPECT_THAT(page, HasSubstr("checkpoints in the 33 % of the jobs that are marked dfrs:checkpoint"));
  EXPECT_THAT(page, HasSubstr("(salloc and srun, 1 job)"));
}

}  // namespace
}  // namespace dfrs::sim
