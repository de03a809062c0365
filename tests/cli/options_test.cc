// SPDX-License-Identifier: GPL-2.0-or-later
// No option of `dfrs-sim run` is ignored: each changes the result on a log designed to make it matter.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/oracle/dice.h"

namespace dfrs::sim {
namespace {

// Two weeks of a crowded machine, with differing numbers of processors requested and allocated, run times beyond the
// requested times, memory and CPU times.
std::string crowded_log(const std::string& header = "") {
  oracle::Dice dice(1);
  std::string text = "; MaxProcs: 4\n" + header;
  std::uint32_t submit = 0;
  for (int job = 1; job <= 60; ++job) {
    submit = job == 41 ? 700'000 : submit + dice.below(60);
    const std::uint32_t run_time = dice.chance(50) ? 1 + dice.below(60) : 20 * (1 + dice.below(100));
    const std::uint32_t allocated = 1 + dice.below(3);
    const auto field = [](std::uint32_t value) { return " " + std::to_string(value); };
    text += std::to_string(job) + field(submit) + " -1" + field(run_time) + field(allocated) +
            field(1 + dice.below(run_time)) + field(dice.below(900'000)) + field(1 + dice.below(4)) +
            field(1 + dice.below(2 * run_time)) + " -1 1" + field(dice.below(3)) + " 1 1" + field(dice.below(2)) +
            " 1 -1 -1\n";
  }
  return text;
}

struct Case {
  std::vector<std::string> with;     ///< the option
  std::string algorithm = "Triage";  ///< one that it matters to
  std::vector<std::string> both;     ///< options of both runs
};

Outcome run(const Case& c, const std::string& source, const std::string& input, bool with) {
  std::vector<std::string> arguments{"run", source, "-a", c.algorithm, "--json", "--no-bound"};
  arguments.insert(arguments.end(), c.both.begin(), c.both.end());
  if (with) arguments.insert(arguments.end(), c.with.begin(), c.with.end());
  return dfrs_sim(arguments, {.input = input});
}

// The figures alone: what the run says of its options differs anyway.
std::string without_options(const std::string& out) {
  nlohmann::json json = nlohmann::json::parse(out, nullptr, false);
  if (json.is_object()) json.erase("origin");
  return json.dump();
}

// At least the run with the option must succeed.
void expect_difference(const Case& c, const std::string& source, const std::string& input) {
  const Outcome plain = run(c, source, input, false);
  const Outcome with = run(c, source, input, true);
  EXPECT_EQ(with.exit_code, 0) << with.command << "\n" << with.err;
  EXPECT_NE(without_options(with.out), without_options(plain.out)) << with.command;
}

TEST(CliOptions, OfSimulationsAreNotIgnored) {
  const std::vector<std::string> lost{"--pauses", "lost", "--memory", "1000"};
  const std::vector<std::string> memory{"--memory", "1000"};
  const std::vector<std::string> discover{"--real-need", "0.2-0.9", "--discover-needs"};
  const std::vector<Case> cases{
      {{"--penalty", "30"}, "GreedyPM*", memory},
      {{"--penalty", "memory/1"}, "GreedyPM*", memory},
      {{"--period", "900"}, "/per", {}},
      {{"--stretch-floor", "100"}, "FCFS", {}},
      {{"--priority-floor", "3000"}, "GreedyP*", memory},
      {{"--instants", "merged"}, "Greedy/per", {"--period", "1"}},
      {{"--batch-nodes", "task"}, "FCFS", {"--cores", "2", "--nodes", "4"}},
      {{"--pauses", "lost"}, "GreedyP*", memory},
      {{"--pauses", "none"}, "GreedyP*", memory},
      {{"--pauses", "mixed:0.5"}, "GreedyP*", memory},
      {{"--pauses", "suspended"}, "GreedyP*", memory},
      {{"--swap", "100"}, "GreedyP*", {"--pauses", "suspended", "--memory", "1000"}},
      {{"--min-progress", "600"}, "GreedyP*", lost},
      {{"--max-lost-runs", "0"}, "GreedyP*", lost},
      {{"--requeue-kept"}, "GreedyP*", memory},
      {{"--discover-needs"}, "Triage", {"--real-need", "0.2-0.9"}},
      {{"--need-floor", "0.6"}, "Triage", discover},
  };
  for (Case c : cases) {
    c.both.push_back("--whole");
    expect_difference(c, "-", crowded_log());
  }
}

TEST(CliOptions, SwapIsForJobsThatAreSuspended) {
  for (const char* world : {"kept", "none", "lost", "mixed:0.5"}) {
    expect_failure(
        dfrs_sim({"run", "-", "-a", "Triage", "--pauses", world, "--swap", "1000"}, {.input = crowded_log()}),
        kExitUsage, {"--swap 1000", "no job is suspended", "--pauses suspended"});
  }
  expect_failure(dfrs_sim({"run", "-", "-a", "Triage", "--pauses", "suspended", "--swap", "1GB"}), kExitUsage,
                 {"--swap", "'1GB'", "a whole number of MiB, or memory[:PART]"});
}

// By hand: tests/sim/host/simulation_test.cc.
TEST(CliOptions, BatchPassesAreNotIgnored) {
  const auto line = [](int job, int submit, int run_time, int processors) {
    return std::to_string(job) + " " + std::to_string(submit) + " -1 " + std::to_string(run_time) + " " +
           std::to_string(processors) + " -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1\n";
  };
  expect_difference({{"--batch-passes", "event"}, "EASY", {}}, "-",
                    "; MaxProcs: 4\n" + line(1, 0, 100, 2) + line(2, 0, 100, 2) + line(3, 5, 50, 3) +
                        line(4, 6, 10, 4) + line(5, 7, 1000, 1));
}

TEST(CliOptions, OfWorkloadsAreNotIgnored) {
  const std::vector<Case> cases{
      {{"--annotation", "memory"}, "Triage", {}},     {{"--nodes", "5"}, "Triage", {}},
      {{"--cores", "2"}, "Triage", {"--nodes", "4"}}, {{"--memory", "1000"}, "Triage", {}},
      {{"--weeks"}, "Triage", {"--take", "1"}},       {{"--take", "1"}, "Triage", {"--weeks"}},
      {{"--processors", "allocated"}, "Triage", {}},  {{"--estimates", "trace"}, "EASY", {}},
      {{"--kill-at-estimate"}, "Triage", {}},         {{"--cpu-need", "measured"}, "Triage", {}},
      {{"--memory-model", "lublin"}, "Triage", {}},   {{"--weights", "user=1:4"}, "Triage", {}},
      {{"--weights", "random=0.5:4"}, "Triage", {}},  {{"--real-need", "0.2-0.9"}, "Triage", {}},
  };
  for (const Case& c : cases) expect_difference(c, "-", crowded_log());
  expect_difference({{"--lenient"}, "Triage", {}}, "-", crowded_log() + "no record\n");
  expect_difference({{"--instance", "stdin-week-001"}, "Triage", {"--weeks"}}, "-", crowded_log());
  // Split into weeks by default, like the real log of that name.
  expect_difference({{"--whole"}, "Triage", {"--take", "1"}}, "-", crowded_log("; Installation: HPC2N\n"));
}

TEST(CliOptions, OfAccountingAreNotIgnored) {
  const char* const folder = std::getenv("srcdir");
  const std::string accounting = std::string(folder == nullptr ? "." : folder) + "/tests/golden/accounting.txt";
  for (const Case& c : std::vector<Case>{{{"--memory-need", "used"}, "Triage", {}},
                                         {{"--cpu-need", "allocated"}, "Triage", {}},
                                         {{"--estimates", "exact"}, "SJF/conservative", {"--batch-nodes", "packed"}}}) {
    expect_difference(c, accounting, "");
  }
}

// The first job may not be paused, so the second waits for its memory.
TEST(CliOptions, MarksAreNotIgnored) {
  expect_difference({{"--pauses", "mixed:marked"}, "GreedyP*", {}}, "-",
                    "; dfrs-trace: 1\n; Name: marked\n; Nodes: 1 cpu 1 memory 100\n; Pauses: yes\n"
                    "; Fields: id submit tasks cpu_need memory_mib run_time estimate\n"
                    "1 0 1 1 60 3000 3000 none\n2 100 1 1 60 50 50 kept\n");
}

// By default there are the two that jobs held at once.
TEST(CliOptions, LicencesAreNotIgnored) {
  const auto job = [](int id) {
    return std::to_string(id) + "|COMPLETED|1700000000|1700000000|1700000100|100|1|1|n1|cpu=1,license/cad=1\n";
  };
  expect_difference({{"--licences", "cad=1"}, "EASY", {"--nodes", "2"}}, "-",
                    "JobID|State|Submit|Start|End|ElapsedRaw|AllocCPUS|NNodes|NodeList|AllocTRES\n" + job(1) + job(2));
}

TEST(CliOptions, TheLimitOfJobsIsNotIgnored) {
  const Case c{{"--most-jobs", "3"}, "FCFS", {}};
  EXPECT_EQ(run(c, "-", crowded_log(), false).exit_code, 0);
  EXPECT_NE(run(c, "-", crowded_log(), true).exit_code, 0);
}

// Each option of the help's groups is named in this file. That of https has no simulation to change.
TEST(CliOptions, EveryOptionHasACase) {
  const char* const folder = std::getenv("srcdir");
  std::ifstream file(std::string(folder == nullptr ? "." : folder) + "/tests/cli/options_test.cc");
  const std::string cases((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(cases.empty());
  std::istringstream help(output_of({"run", "--help"}));
  int options = 0;
  bool inside = false;
  for (std::string line; std::getline(help, line);) {
    if (!line.empty() && line.front() != ' ') inside = line == "Workload:" || line == "Simulation:";
    if (!inside || !line.starts_with("  --")) continue;
    const std::string name = line.substr(2, line.find_first_of(" ,", 2) - 2);
    ++options;
    if (name == "--ca-file") continue;
    EXPECT_NE(cases.find("{{\"" + name + "\""), std::string::npos) << name << " has no case";
  }
  EXPECT_GE(options, 28);
}

}  // namespace
}  // namespace dfrs::sim
