// SPDX-License-Identifier: GPL-2.0-or-later
// import csv with the maps that come with it, on samples with the published columns of their data sets, and with
// others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/cli/replay.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string sample(const std::string& map) {
  const char* const source = std::getenv("srcdir");
  const std::filesystem::path path = std::filesystem::path(source == nullptr ? "." : source) / "tests/golden/maps";
  return std::filesystem::absolute(path / (map + ".csv")).string();
}

// The trace of a sample after its comments: a line per job.
// Without their last field, the user, if they have one.
std::string jobs_of(const std::string& trace) {
  const std::size_t fields = trace.find("; Fields:");
  if (fields == std::string::npos) return trace;
  if (trace.find("; Users: yes") == std::string::npos) return trace.substr(trace.find('\n', fields) + 1);
  std::string jobs;
  std::istringstream lines(trace.substr(trace.find('\n', fields) + 1));
  for (std::string line; std::getline(lines, line);) jobs += line.substr(0, line.rfind(' ')) + '\n';
  return jobs;
}

struct Expected {
  const char* map;
  const char* nodes;
  const char* jobs;  // id submit tasks cpu_need memory_mib [GPUs] run_time estimate, by hand
};

TEST(CliImportCsv, EachShippedMapReadsItsDataSet) {
  const std::vector<Expected> all{
      // With GPUs one task per node: 237 GiB; 474 GiB and 8 GPUs on two nodes. Without: 8 CPUs in 2 tasks.
      {"pm100", "; Rigid: 2\n; Nodes: 980 cpu 1 memory 262144 other 4",
       "101 0 1 1 242688 4 3600 86400\n102 600 2 1 242688 4 7200 7200\n103 1200 1 0.125 61440 1 500 31536000\n"
       "104 1500 2 0.03125 4096 0 600 3600\n"},
      // One task per node, all its CPUs. 30601641984 B = 29184 MiB; the second has no limit, so that
      // it holds all of its 192 nodes.
      {"fdata", "; Nodes: 158976 cpu 1 memory 32768",
       "1 0 1 1 29184 600 3600\n2 52 192 1 32768 7200 86400\n3 652 1 1 1024 30 1200\n4 1252 2 1 16384 600 1800\n"},
      // CPU time / (run time x CPUs): 187200 / (3600 x 104) = 0.5; 2995200 / (14400 x 208) = 1; none; 90000 / (1800 x
      // 52); 230400 / (3600 x 256) = 0.25, times CPUs / 128.
      {"kestrel", "; Rigid: 2\n; Nodes: 2240 cpu 0.8125 memory 0 other 0\n; Nodes: 156 cpu 1 memory 0 other 4",
       "5001 0 1 0.40625 0 0 3600 14400\n5002 600 2 0.8125 0 0 14400 14400\n5003 23400 1 0.03125 0 0 600 3600\n"
       "5005 25200 1 0.390625 0 0 1800 864000\n5006 27000 2 0.25 0 4 3600 14400\n"},
      {"in2p3", "; Nodes: 312 cpu 1 memory 0",
       "9001 0 1 0.006756756756756757 0 3600 259200\n9002 30 1 0.05405405405405406 0 7200 7200\n"
       "9003 100 1 0.8648648648648649 0 90 86400\n9004 200 1 0.02702702702702703 0 300 86400\n"},
      // Half a CPU per instance: 0.5 / 96.
      {"alibaba2018", "; Nodes: 4000 cpu 1 memory 102400",
       "1 0 1 0.010416666666666666 399 120 120\n2 120 3 0.005208333333333333 501 180 180\n"
       "3 600 2 0.020833333333333332 1536 50 50\n4 700 10 0.010416666666666666 307 300 300\n"},
  };
  const TemporaryFolder folder;
  for (const Expected& one : all) {
    const std::string trace = output_of({"import", "csv", sample(one.map), "--map", one.map});
    EXPECT_THAT(trace, AllOf(HasSubstr(one.nodes), HasSubstr("; Source: job table in CSV"),
                             HasSubstr(std::string("--map=") + one.map), HasSubstr("; Map SHA-256: ")))
        << one.map;
    EXPECT_EQ(jobs_of(trace), one.jobs) << one.map;
    const std::string file = folder.write(std::string(one.map) + ".dfrs", trace);
    const std::string results = output_of({"run", file, "-a", "GreedyP*", "--json"});
    EXPECT_THAT(results, HasSubstr("\"jobs\": " +
                                   std::to_string(std::count(one.jobs, one.jobs + std::string(one.jobs).size(), '\n'))))
        << one.map;
    EXPECT_THAT(output_of({"import", "csv", sample(one.map), "--map", one.map, "--to", "swf", "--anonymise"}),
                AllOf(HasSubstr("; Conversion: dfrs-sim import csv"), Not(HasSubstr("user0"))))
        << one.map;
  }
}

TEST(CliImportCsv, OptionsReplaceTheMachineOfTheMap) {
  EXPECT_THAT(output_of({"import", "csv", sample("pm100"), "--map", "pm100", "--nodes", "9"}),
              AllOf(HasSubstr("; Nodes: 9 cpu 1 memory 262144 other 4"), HasSubstr("--nodes=9")));
  const std::string equal = output_of({"import", "csv", sample("kestrel"), "--map", "kestrel", "--cores", "128"});
  EXPECT_THAT(equal,
              AllOf(HasSubstr("\n; Nodes: 2396 cpu 1 memory 0\n"),
                    HasSubstr("; all nodes are equal and without GPUs, by --nodes, --cores or --memory; kestrel"),
                    HasSubstr("; the GPUs of 1 job are not modelled, because the machine has none\n")));
}

// The second job waits for the GPUs of the first, on the only node that has some; the third, which needs none, does
// not.
TEST(CliImportCsv, JobsHoldTheirGpus) {
  const TemporaryFolder folder;
  const std::string map = folder.write("my.map",
                                       "submit = t s\nrun_time = r\ncpus = c\nnodes = n\ngpus = g per node\n"
                                       "machine = 2 4 1000\nmachine = 1 8 2000 4\n");
  const std::string table = folder.write("jobs.csv", "t,r,c,n,g\n10,60,2,1,3\n20,30,2,1,2\n30,30,1,1,\n");
  const std::string trace = output_of({"import", "csv", table, "--map", map});
  EXPECT_THAT(trace, HasSubstr("; Rigid: 2\n; Nodes: 2 cpu 0.5 memory 1000 other 0\n; Nodes: 1 cpu 1 memory 2000 other "
                               "4\n"));
  EXPECT_EQ(jobs_of(trace), "1 0 1 0.25 0 3 60 60\n2 10 1 0.25 0 2 30 30\n3 20 1 0.125 0 0 30 30\n");
  const std::string file = folder.write("jobs.dfrs", trace);
  const std::string told = output_of({"run", file, "-a", "Greedy*", "--explain", "2"});
  EXPECT_THAT(told, AllOf(HasSubstr("\n60 s  Job 2 starts on node 2 "), HasSubstr("too little of resource 1 left")));
  EXPECT_THAT(output_of({"run", file, "-a", "Greedy*", "--explain", "3"}), HasSubstr("\n20 s  Job 3 starts on node "));
  expect_failure(dfrs_sim({"import", "csv", "-", "--map", map}, {.input = "t,r,c,n,g\n10,60,2,1,x\n"}), kExitInput,
                 {"<stdin>:2: column g: 'x', expected a number", "my.map:5"});
  expect_failure(dfrs_sim({"import", "csv", "-", "--map", map}, {.input = "t,r,c,n,g\n10,60,2,1,5\n"}), kExitInput,
                 {"<stdin>:2: job 1 is larger than the machine: 1 tasks of 0 MiB and 5 of resource 1 each"});
}

// One job without a limit on two nodes of 7 GiB instead of the map's 32, and one with.
TEST(CliImportCsv, ACellMayStandForAllMemoryOfANode) {
  const TemporaryFolder folder;
  const std::string map =
      folder.write("my.map",
                   "submit = t s\nrun_time = r\ncpus = c\nnodes = n\nmemory = m MiB per node\nmemory NODE = max, 0\n"
                   "machine = 4 2 32768\n");
  const std::string table = folder.write("jobs.csv", "t,r,c,n,m\n10,60,4,2,max\n20,30,2,1,100\n30,30,2,1,0\n");
  EXPECT_EQ(jobs_of(output_of({"import", "csv", table, "--map", map, "--memory", "7168"})),
            "1 0 2 1 7168 60 60\n2 10 1 1 100 30 30\n3 20 1 1 7168 30 30\n");
}

TEST(CliImportCsv, AMapOfOnesOwn) {
  const TemporaryFolder folder;
  const std::string map = folder.write("my.map", "submit = t s\nrun_time = r\ncpus = c\n");
  const std::string table = folder.write("jobs.csv", "\xEF\xBB\xBFt,r,c\r\n10,60,2\r\n20,30,\"1\"\r\n");
  const std::string trace = output_of({"import", "csv", table, "--map", map, "--nodes", "2"});
  EXPECT_EQ(jobs_of(trace), "1 0 1 1 0 60 60\n2 10 1 0.5 0 30 30\n");
  EXPECT_THAT(trace, HasSubstr("; Name: jobs\n"));
}

TEST(CliImportCsv, ErrorsNameTheTableAndTheMap) {
  const TemporaryFolder folder;
  const std::string map = folder.write("my.map", "submit = t s\nrun_time = r\ncpus = c\n");
  const auto refused = [&](const std::string& table, ExitCode code, std::initializer_list<std::string_view> words) {
    expect_failure(dfrs_sim({"import", "csv", "-", "--map", map}, {.input = table}), code, words);
  };
  refused("t,r,c\n10,60,x\n", kExitInput, {"<stdin>:2: column c: 'x'", "my.map:3"});
  refused("t,rr,c\n10,60,1\n", kExitInput, {"my.map:2: 'r' is no column of <stdin>; the nearest is 'rr'"});
  refused("t,r,c\n10,60,1\n", kExitUsage, {"--nodes N"});
  // The job's line is the table's.
  expect_failure(dfrs_sim({"import", "csv", "-", "--map", map, "--nodes", "1", "--cores", "2"},
                          {.input = "t,r,c\n1,1,1\n\n\n10,60,4\n"}),
                 kExitInput, {"<stdin>:5: job 2 is larger than the machine"});
  expect_failure(dfrs_sim({"import", "csv", "x.csv", "--map", "pm10"}), kExitUsage, {"--map pm10", "pm100"});
  expect_failure(dfrs_sim({"import", "csv", "x.csv"}), kExitUsage, {"--map is missing", "pm100"});
  expect_failure(dfrs_sim({"import", "csv", "--map", "pm100"}), kExitUsage, {"a job table is missing"});
  expect_failure(dfrs_sim({"import", "csv", "x.csv", "--map", map, "-o", map}), kExitUsage, {"my.map"});
  const Outcome lenient = dfrs_sim({"import", "csv", "-", "--map", map, "--nodes", "2", "--lenient"},
                                   {.input = "t,r,c\n10,60,x\n10,60,1\n"});
  EXPECT_EQ(lenient.exit_code, 0);
  EXPECT_THAT(lenient.err, HasSubstr("<stdin>: 1 record skipped: malformed line (first: line 2)"));
}

TEST(CliImportCsv, ListsItsMaps) {
  EXPECT_THAT(output_of({"import", "csv", "--maps"}),
              AllOf(HasSubstr("pm100       PM100: Marconi100"), HasSubstr("in2p3")));
}

}  // namespace
}  // namespace dfrs::sim
