// SPDX-License-Identifier: GPL-2.0-or-later
// `dfrs-sim run --record` and `dfrs-sim replay`: a record is reproduced, a changed one is detected, and results of
// other algorithms are those of a simulation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string crowded_trace() {
  return output_of({"generate", "--seed", "5", "--jobs", "60", "--nodes", "8", "--load", "1.5"});
}

// Its record, in `folder`.
std::string record(const TemporaryFolder& folder, const std::string& trace, const std::string& algorithm,
                   const std::string& name, const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments{"run", "-", "-a", algorithm, "--record", folder / name};
  arguments.insert(arguments.end(), options.begin(), options.end());
  output_of(arguments, {.input = trace});
  return folder / name;
}

TEST(CliReplay, WhatIsRecordedIsReproduced) {
  const TemporaryFolder folder;
  const std::string trace = crowded_trace();
  int k = 0;
  for (const char* algorithm : {"FCFS", "EASY", "Greedy*/OPT=MIN", "GreedyPM*/per/OPT=MIN/MINVT=600",
                                "GreedyP*/OPT=AVG", "/stretch-per/OPT=MAX/MINVT=600"}) {
    ++k;
    const std::string path = record(folder, trace, algorithm, std::to_string(k) + (k % 2 == 0 ? ".gz" : ".jsonl"));
    const json summary = json::parse(output_of({"replay", path, "--json"}));
    EXPECT_EQ(summary["exact"], true) << algorithm;
    EXPECT_EQ(summary["jobs"], 60) << algorithm;
    EXPECT_EQ(summary["starts"], 60) << algorithm;
    EXPECT_EQ(summary["algorithms"], json::array({algorithm}));
    EXPECT_THAT(output_of({"replay", path}), HasSubstr("exact: every decision is the recorded one"));
  }
  const Outcome piped = dfrs_sim({"replay", "-"}, {.input = file_bytes(folder / "1.jsonl")});
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
}

TEST(CliReplay, OptionsOfTheRunAreInTheRecord) {
  const TemporaryFolder folder;
  const std::string trace = crowded_trace();
  EXPECT_EQ(dfrs_sim({"replay", record(folder, trace, "MCB8*/per/OPT=MIN", "a",
                                       {"--period", "177.5", "--priority-floor", "30", "--instants", "merged"})})
                .exit_code,
            0);
  EXPECT_EQ(
      dfrs_sim({"replay", record(folder, trace, "EASY", "b", {"--batch-passes", "event", "--batch-nodes", "packed"})})
          .exit_code,
      0);
}

// Triage plans with the penalty and is replayed with the recorded one. Other algorithms are charged it, too.
TEST(CliReplay, ThePenaltyIsInTheRecord) {
  const TemporaryFolder folder;
  const std::string trace = crowded_trace();
  const std::string path = record(folder, trace, "Triage", "t.jsonl", {"--penalty", "100"});
  const Outcome replayed = dfrs_sim({"replay", path});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_EQ(replayed.err, "");
  const json result = json::parse(output_of({"replay", path, "-a", "Triage,EASY", "--json"}));
  EXPECT_EQ(result["penalty_s"], 100);
  EXPECT_EQ(result["penalty_source"], "recorded");
  EXPECT_NEAR(result["rows"][0]["mean_stretch"].get<double>(), result["rows"][1]["mean_stretch"].get<double>(), 1e-6);
  EXPECT_EQ(result["rows"][0]["moves_per_job"], result["rows"][1]["moves_per_job"]);
  EXPECT_THAT(output_of({"replay", path, "-a", "EASY"}), HasSubstr("penalty 100 s in simulations (recorded)"));
  EXPECT_THAT(output_of({"replay", path, "-a", "EASY", "--penalty", "20"}),
              HasSubstr("penalty 20 s in simulations (given)"));

  // If the record lacked the option, the replay would plan with its default and differ.
  std::string text = file_bytes(path);
  const std::size_t at = text.find(R"("triage":{"penalty":100,)");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 24, R"("triage":{"penalty":300,)");
  EXPECT_EQ(dfrs_sim({"replay", folder.write("other.jsonl", text)}).exit_code, 6);
}

TEST(CliReplay, APenaltyByMemoryIsInTheRecordWithItsRestart) {
  const TemporaryFolder folder;
  const std::string path = record(folder, crowded_trace(), "Triage", "t.jsonl", {"--penalty", "memory/1e+2+7.5"});
  EXPECT_THAT(file_bytes(path), HasSubstr(R"("swap_rate":100,"restart":7.5,)"));
  EXPECT_EQ(dfrs_sim({"replay", path}).exit_code, 0);
  const json result = json::parse(output_of({"replay", path, "-a", "Triage", "--json"}));
  EXPECT_EQ(result["penalty_mib_per_s"], 100);
  EXPECT_EQ(result["penalty_restart_s"], 7.5);
  for (const char* wrong : {"memory/100+", "memory/+5", "memory/100+-5", "memory/100+x", "memory/0+5"}) {
    const Outcome refused = dfrs_sim({"run", crowded_trace(), "-a", "Triage", "--penalty", wrong});
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("memory/RATE+SECONDS")) << wrong;
  }
}

// Lost work is also lost in simulations of other algorithms.
TEST(CliReplay, LostWorkIsInTheRecord) {
  const TemporaryFolder folder;
  const std::string algorithm = "GreedyP*/OPT=MIN";
  const std::string path =
      record(folder, crowded_trace(), algorithm, "l.jsonl", {"--pauses", "lost", "--min-progress", "5"});
  EXPECT_THAT(file_bytes(path), HasSubstr(R"("host":{"penalty":300,"swap_rate":0,"pauses":"lost","min_progress":5,)"));
  EXPECT_EQ(dfrs_sim({"replay", path}).exit_code, 0);
}

TEST(CliReplay, RequeuesWithACheckpointAreInTheRecord) {
  const TemporaryFolder folder;
  const std::string path = record(folder, crowded_trace(), "GreedyP*/OPT=MIN", "c.jsonl",
                                  {"--requeue-kept", "--min-progress", "2000", "--penalty", "0"});
  EXPECT_THAT(file_bytes(path), HasSubstr(R"("min_progress":2000,"max_lost_runs":3,"requeue_kept":true})"));
  EXPECT_EQ(dfrs_sim({"replay", path}).exit_code, 0);
  const auto pauses = [&](const std::string& of) {
    return json::parse(output_of({"replay", of, "-a", "GreedyP*/OPT=MIN", "--json"}))["rows"][1]["pauses_per_job"]
        .get<double>();
  };
  const std::string plain = record(folder, crowded_trace(), "GreedyP*/OPT=MIN", "p.jsonl", {"--penalty", "0"});
  EXPECT_LT(pauses(path), pauses(plain)) << "the rule holds where the record's jobs are simulated again";
}

// Swap, too; and the record's jobs are suspended in simulations of other algorithms.
TEST(CliReplay, SwapIsInTheRecord) {
  const TemporaryFolder folder;
  const std::string path =
      record(folder, crowded_trace(), "GreedyP*/OPT=MIN", "s.jsonl", {"--pauses", "suspended", "--swap", "memory:0.5"});
  EXPECT_THAT(file_bytes(path), HasSubstr(R"("pauses":"suspended","swap":"memory:0.5","min_progress":60,)"));
  EXPECT_EQ(dfrs_sim({"replay", path}).exit_code, 0);
  const auto moves = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"replay", path, "-a", "GreedyPM*", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const json rows = json::parse(output_of(words))["rows"];
    EXPECT_EQ(rows.back()["moves_per_job"], 0);
    return rows.back()["pauses_per_job"].get<double>();
  };
  EXPECT_GT(moves({"--swap", "unlimited"}), 0);
  EXPECT_EQ(moves({"--swap", "0"}), 0);
}

// Records of format 1 are replayed; missing options get defaults, with a message.
TEST(CliReplay, RecordsOfFormat1) {
  const TemporaryFolder folder;
  const auto as_format_1 = [&](const std::string& algorithm, const std::vector<std::string>& options) {
    std::string text = file_bytes(record(folder, crowded_trace(), algorithm, "new.jsonl", options));
    std::filesystem::remove(folder / "new.jsonl");
    const std::size_t end = text.find('\n');
    text = json{{"dfrs-record", 1},    {"version", "0.1.0"},  {"algorithm", algorithm},  {"period", 600},
                {"priority_floor", 0}, {"ticks_apart", true}, {"pass_per_event", false}, {"pack_tasks", false}}
               .dump() +
           text.substr(end);
    for (std::size_t at = 0; (at = text.find("[\"move\"", at)) != std::string::npos;)
      text.replace(at, 7, "[\"migrate\"");
    return text;
  };
  const std::string moving = as_format_1("GreedyPM*/per/OPT=MIN", {});
  ASSERT_THAT(moving, HasSubstr("migrate"));
  const Outcome exact = dfrs_sim({"replay", folder.write("1.jsonl", moving)});
  EXPECT_EQ(exact.exit_code, 0) << exact.err;
  EXPECT_EQ(exact.err, "");
  EXPECT_THAT(output_of({"replay", folder / "1.jsonl", "-a", "EASY"}),
              HasSubstr("penalty 0 s in simulations (assumed)"));
  const Outcome usual = dfrs_sim({"replay", folder.write("2.jsonl", as_format_1("Triage", {}))});
  EXPECT_EQ(usual.exit_code, 0) << usual.err;
  EXPECT_THAT(usual.err, HasSubstr("lacks Triage's options; assuming their defaults"));
  const Outcome other = dfrs_sim({"replay", folder.write("3.jsonl", as_format_1("Triage", {"--penalty", "100"}))});
  EXPECT_EQ(other.exit_code, 6);
  EXPECT_THAT(other.err, HasSubstr("assuming their defaults"));
}

TEST(CliReplay, AChangedDecisionIsFound) {
  const TemporaryFolder folder;
  const std::string path = record(folder, small_trace(), "Greedy*/OPT=MIN", "r.jsonl");
  std::string text = file_bytes(path);
  const std::size_t at = text.find("\"start\",0,[0,1]");
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, 15, "\"start\",0,[1,1]");
  const Outcome changed = dfrs_sim({"replay", folder.write("changed.jsonl", text)});
  EXPECT_EQ(changed.exit_code, 6);
  EXPECT_THAT(changed.out, HasSubstr("differs from step 1 on"));
  EXPECT_THAT(changed.err,
              AllOf(HasSubstr("changed.jsonl:2: step 1 at 0 s differs, job 1"),
                    HasSubstr("recorded start on nodes 1 x2; yield 1; replayed start on nodes 0, 1; yield 1")));
  const json difference = json::parse(dfrs_sim({"replay", folder / "changed.jsonl", "--json"}).out)["difference"];
  EXPECT_EQ(difference["job"], 1);
  EXPECT_EQ(difference["line"], 2);
}

// Simulating the jobs of a simulated run again gives the measured values, up to rounding of clocks.
TEST(CliReplay, OtherAlgorithmsOnTheRecordsJobs) {
  const TemporaryFolder folder;
  const std::string algorithm = "GreedyPM*/per/OPT=MIN/MINVT=600";
  const std::string trace = crowded_trace();
  const std::string path = record(folder, trace, algorithm, "r.jsonl.gz");
  const json result =
      json::parse(output_of({"replay", path, "-a", "EASY," + algorithm, "-a", "FCFS", "--penalty", "300", "--json"}));
  ASSERT_EQ(result["rows"].size(), 4U);
  EXPECT_EQ(result["jobs"], 60);
  EXPECT_EQ(result["notes"], json::array());
  EXPECT_EQ(result["rows"][0]["source"], "measured");
  EXPECT_EQ(result["rows"][1]["source"], "simulated");
  EXPECT_EQ(result["rows"][1]["algorithm"], algorithm);
  for (const char* figure : {"max_stretch", "mean_stretch", "mean_wait_s", "mean_turnaround_s", "pauses_per_job"}) {
    const double measured = result["rows"][0][figure];
    EXPECT_NEAR(measured, result["rows"][1][figure].get<double>(), 1e-6 * measured + 1e-6) << figure;
  }
  // And EASY's values are those of EASY on the original trace.
  const json easy = json::parse(output_of({"run", "-", "-a", "EASY", "--json"}, {.input = trace}));
  EXPECT_EQ(result["rows"][2]["algorithm"], "EASY");
  EXPECT_NEAR(result["rows"][2]["max_stretch"].get<double>(), easy["max_stretch"].get<double>(),
              1e-6 * easy["max_stretch"].get<double>());
  EXPECT_THAT(output_of({"replay", path, "-a", "EASY"}),
              AllOf(HasSubstr("measured   " + algorithm), HasSubstr("simulated  EASY")));
  EXPECT_THAT(output_of({"replay", path, "-a", algorithm + ",EASY"}), HasSubstr(" -a '" + algorithm + ",EASY' "));
}

TEST(CliReplay, TheRecordsJobsAsATrace) {
  const TemporaryFolder folder;
  const std::string path = record(folder, small_trace(), "Greedy*/OPT=MIN", "small.jsonl.gz");
  output_of({"replay", path, "--trace", folder / "out.dfrs"});
  EXPECT_EQ(
      without_origin(file_bytes(folder / "out.dfrs")),
      "; dfrs-trace: 1\n; Name: small\n; Nodes: 2 cpu 1 memory 1000\n; Fields: id submit tasks cpu_need memory_mib "
      "run_time estimate\n1 0 2 1 500 100 100\n2 10 1 0.5 400 50 60\n3 20 2 0.25 600 30 30\n");
}

TEST(CliReplay, ARecordWithoutItsEnd) {
  const TemporaryFolder folder;
  const std::string text = file_bytes(record(folder, small_trace(), "EASY", "r.jsonl"));
  const Outcome cut = dfrs_sim({"replay", folder.write("cut.jsonl", text.substr(0, text.size() - 10))});
  EXPECT_EQ(cut.exit_code, 0);
  EXPECT_THAT(cut.err, HasSubstr("ends within a line, which is left out"));
  EXPECT_THAT(cut.out, HasSubstr("exact"));
  expect_failure(dfrs_sim({"replay", folder.write("head.jsonl", text.substr(0, text.find('\n') + 20))}), kExitInput,
                 {"no complete step"});
  // Jobs that had not completed by then are left out, with a message.
  const std::string first_step = text.substr(0, text.find('\n', text.find('\n') + 1) + 1);
  expect_failure(dfrs_sim({"replay", folder.write("first.jsonl", first_step), "-a", "FCFS"}), kExitInput,
                 {"no job completed"});
}

// The same as of the run that was recorded; a record does not hold run times, so Evalys' table differs there.
TEST(CliReplay, ExportsTheRecordedSchedule) {
  const TemporaryFolder folder;
  const std::string trace = crowded_trace();
  const std::string path = record(folder, trace, "GreedyPM*", "r.jsonl",
                                  {"--perfetto", folder / "p", "--paje", folder / "j", "--evalys", folder / "e"});
  output_of({"replay", path, "--perfetto", folder / "p2", "--paje", folder / "j2", "--evalys", folder / "e2"});
  const auto events = [&](const char* name) { return json::parse(file_bytes(folder / name)).at("traceEvents"); };
  EXPECT_EQ(events("p2"), events("p"));
  EXPECT_THAT(file_bytes(folder / "p2"), HasSubstr("dfrs-sim replay"));
  const auto trace_of = [&](const char* name) {  // without what made it
    std::istringstream in(file_bytes(folder / name));
    std::string text;
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with('#')) text += line + '\n';
    }
    return text;
  };
  EXPECT_EQ(trace_of("j2"), trace_of("j"));
  const auto rows = [&](const char* name) {
    const std::string text = file_bytes(folder / name);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_GT(rows("e"), 60);
  EXPECT_EQ(rows("e2"), rows("e"));
  expect_failure(dfrs_sim({"replay", "-", "--paje", folder / "x"}, {.input = file_bytes(path)}), kExitUsage,
                 {"--paje reads the record a second time"});
  expect_failure(dfrs_sim({"replay", path, "--paje", folder / "x", "--evalys", folder / "x"}), kExitUsage,
                 {"--evalys and --paje both name"});
  expect_failure(dfrs_sim({"replay", path, "--paje", path}), kExitUsage, {"--paje", "is also an input"});
}

TEST(CliReplay, Errors) {
  const TemporaryFolder folder;
  expect_failure(dfrs_sim({"replay", folder / "none"}), kExitIo, {"none", "No such file"});
  expect_failure(dfrs_sim({"replay", folder.path().string()}), kExitIo, {"folder"});
  expect_failure(dfrs_sim({"replay", folder.write("empty", "")}), kExitInput, {"empty:1", "no record"});
  expect_failure(dfrs_sim({"replay", folder.write("trace", small_trace())}), kExitInput,
                 {"trace:1", "not a JSON object"});
  expect_failure(dfrs_sim({"replay"}), kExitUsage, {"FILE"});
  expect_failure(dfrs_sim({"replay", folder / "none", "-a", "ESAY"}), kExitUsage, {"'EASY'"});
  expect_failure(dfrs_sim({"replay", folder / "none", "--penalty", "-1"}), kExitUsage, {"--penalty"});
  const std::string taken = folder.write("taken", "precious");
  expect_failure(dfrs_sim({"run", "-", "-a", "EASY", "--record", taken}, {.input = small_trace()}), kExitIo,
                 {"taken", "exists already"});
  EXPECT_EQ(file_bytes(taken), "precious");
  expect_failure(dfrs_sim({"run", "-", "-a", "EASY", "--record", folder / "no/such"}, {.input = small_trace()}),
                 kExitIo, {"no/such"});
  expect_failure(dfrs_sim({"run", "-", "-a", "GreedyPM*/per/OPT=MIN/MINVT=600", "--record", folder / "full"},
                          {.input = crowded_trace(), .soft_limits = "-f 8"}),
                 kExitIo, {"full", "File too large"});
}

}  // namespace
}  // namespace dfrs::sim
