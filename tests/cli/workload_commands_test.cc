// SPDX-License-Identifier: GPL-2.0-or-later
// generate, annotate and bound: their output is exact, reproducible and valid input for the other commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>

#include "base/sha256.h"
#include "tests/cli/process.h"
#include "tests/cli/replay.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"
#include "tests/sim/traces.h"

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

double load_of(const std::string& trace) {
  const Replay read = read_trace(trace);
  double work = 0;
  double first = 1e300;
  double last = 0;
  for (const auto& [id, job] : read.jobs) {
    work += static_cast<double>(job.tasks) * job.cpu_need * job.run_time;
    first = std::min(first, job.submit);
    last = std::max(last, job.submit);
  }
  return work / (static_cast<double>(read.nodes.size()) * (last - first));
}

TEST(CliGenerate, TheSameSeedGivesTheSameBytes) {
  const std::string one = output_of({"generate", "--seed", "5", "--jobs", "200"});
  EXPECT_EQ(output_of({"generate", "--seed", "5", "--jobs", "200"}), one);
  EXPECT_NE(output_of({"generate", "--seed", "6", "--jobs", "200"}), one);
  // A change here changes every experiment ever run with a seed.
  EXPECT_EQ(base::sha256_hex(output_of({"generate", "--seed", "42", "--jobs", "50", "--nodes", "16"})),
            "38afa7c4d9618570408161784795559a71fce853f877adeb73cae531ebcdf318");
}

TEST(CliGenerate, CountMakesAFilePerSeed) {
  const TemporaryFolder folder;
  output_of({"generate", "--seed", "5", "--count", "3", "--jobs", "20", "-o", folder / "new/traces"});
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "new/traces"))
    names.push_back(entry.path().filename().string());
  EXPECT_THAT(names, UnorderedElementsAre("lublin-5.dfrs", "lublin-6.dfrs", "lublin-7.dfrs"));
  EXPECT_EQ(file_bytes(folder / "new/traces/lublin-6.dfrs"), output_of({"generate", "--seed", "6", "--jobs", "20"}));
}

// Ten jobs of a log; a set like it has its combinations and no others.
TEST(CliGenerate, LikeALog) {
  const TemporaryFolder folder;
  const std::string log =
      "; dfrs-trace: 1\n; Name: small\n; Nodes: 8 cpu 1 memory 0\n"
      "1 0 1 1 0 50 60\n2 5 1 1 0 50 60\n3 9 4 1 0 90 60\n4 30 8 1 0 10 600\n";
  const std::string path = folder / "small.dfrs";
  std::ofstream(path) << log;
  const Replay set = read_trace(output_of({"generate", "--like", path, "--jobs", "300"}));
  ASSERT_EQ(set.jobs.size(), 300U);
  for (const auto& [id, job] : set.jobs) {
    EXPECT_TRUE(job.tasks == 1 || job.tasks == 4 || job.tasks == 8) << job.tasks;
    EXPECT_EQ(job.run_time, job.tasks == 1 ? 50 : job.tasks == 4 ? 60 : 10);  // the overrun is cut at 60
  }
  const Replay whole = read_trace(output_of({"generate", "--like", path, "--jobs", "300", "--no-kill"}));
  const Replay half = read_trace(output_of({"generate", "--like", path, "--jobs", "300", "--shrink", "0.5"}));
  for (const auto& [id, job] : set.jobs) {
    EXPECT_EQ(whole.jobs.at(id).run_time, job.tasks == 4 ? 90 : job.run_time);
    EXPECT_EQ(half.jobs.at(id).submit, job.submit / 2);
  }
  EXPECT_THAT(output_of({"generate", "--published", "PC2", "--jobs", "10"}),
              HasSubstr("; Name: PC2-syn-1\n; Nodes: 96 "));
  EXPECT_THAT(output_of({"analyse", path}), HasSubstr("jobs that run longer than estimated    1 (25.00 %)"));
  EXPECT_EQ(dfrs_sim({"generate", "--no-kill"}).exit_code, kExitUsage);
  EXPECT_EQ(dfrs_sim({"generate", "--like", path, "--published", "CTC"}).exit_code, kExitUsage);
}

TEST(CliGenerate, LoadScalesTimesBetweenSubmissionsAlone) {
  const TemporaryFolder folder;
  output_of({"generate", "--seed", "3", "--jobs", "300", "--load", "0.1,0.5,0.9", "-o", folder.path().string()});
  const Replay unscaled = read_trace(output_of({"generate", "--seed", "3", "--jobs", "300"}));
  for (const char* load : {"0.1", "0.5", "0.9"}) {
    const std::string trace = file_bytes(folder / ("lublin-3-load-" + std::string(load) + ".dfrs"));
    EXPECT_NEAR(load_of(trace), std::stod(load), 1e-9);
    const Replay scaled = read_trace(trace);
    ASSERT_EQ(scaled.jobs.size(), 300U);
    const double factor = scaled.jobs.rbegin()->second.submit - scaled.jobs.begin()->second.submit;
    const double before = unscaled.jobs.rbegin()->second.submit - unscaled.jobs.begin()->second.submit;
    for (const auto& [id, job] : unscaled.jobs) {
      const ReplayedJob& other = scaled.jobs.at(id);
      EXPECT_EQ(other.run_time, job.run_time);
      EXPECT_EQ(other.tasks, job.tasks);
      EXPECT_EQ(other.memory, job.memory);
      const double first = unscaled.jobs.begin()->second.submit;
      EXPECT_NEAR(other.submit, first + (job.submit - first) * factor / before, 1e-6 * (1 + other.submit));
    }
  }
}

TEST(CliGenerate, PipesIntoRun) {
  const auto [generated, ran] =
      dfrs_sim_pipe({"generate", "--jobs", "40", "--nodes", "16"}, {"run", "-", "-a", "GreedyPM*/per/MINVT=600"});
  EXPECT_EQ(generated.exit_code, 0) << generated.err;
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("lublin-1 (40 jobs, 16 nodes)"));
  // A consumer that fails at once: the producer ends, too, and does not hang.
  const auto [unread, failed] = dfrs_sim_pipe({"generate", "--jobs", "20000"}, {"run", "-", "-a", "ESAY"});
  EXPECT_EQ(failed.exit_code, kExitUsage);
  EXPECT_EQ(unread.exit_code, -SIGPIPE) << unread.err;
  EXPECT_EQ(unread.err, "");
}

TEST(CliAnnotate, ATraceOfATraceIsTheSameBytes) {
  const TemporaryFolder folder;
  const std::string log = folder.write("small.swf", small_swf());
  const std::string trace = output_of({"annotate", log, "--memory", "100"});
  EXPECT_EQ(without_origin(trace),
            "; dfrs-trace: 1\n; Name: small\n; Nodes: 4 cpu 1 memory 100\n"
            "; Users: yes\n; Fields: id submit tasks cpu_need memory_mib run_time estimate user\n"
            "1 0 4 1 0 100 100 1\n2 10 2 1 0 50 50 1\n3 20 1 1 0 1 1 1\n");
  EXPECT_EQ(without_origin(output_of({"annotate", "-"}, {.input = trace})), without_origin(trace));
  // Fractions survive: every number reads back as the same double.
  const std::string scaled = output_of({"generate", "--jobs", "200", "--load", "0.7"});
  EXPECT_EQ(without_origin(output_of({"annotate", "-"}, {.input = scaled})), scaled);
}

// Memory depends only on the job's number, not on the log's memory data or the part of the log read.
TEST(CliAnnotate, DrawsMemoryByAModel) {
  const auto memories = [](const std::vector<std::string>& options, const std::string& log) {
    std::vector<std::string> arguments{"annotate", "-", "--memory-model"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    std::map<std::int64_t, long long> all;
    for (const auto& [id, job] : read_trace(output_of(arguments, {.input = log})).jobs) {
      all[id] = job.memory;
    }
    return all;
  };
  std::string log = "; MaxProcs: 4\n", tail = log;
  for (int k = 1; k <= 60; ++k) {
    const std::string line = swf_line(k, 10.0 * k, 100, 1, -1, k % 2 == 0 ? 1e9 : -1);
    log += line;
    if (k > 50) tail += line;
  }
  const auto usual = memories({"lublin"}, log);
  ASSERT_EQ(usual.size(), 60U);
  std::size_t small = 0;
  for (const auto& [id, memory] : usual) {
    EXPECT_TRUE(memory % 1024 == 0 && memory >= 1024 && memory <= 10240) << memory;
    if (memory == 1024) ++small;
  }
  EXPECT_GT(small, 20U);
  EXPECT_LT(small, 46U);
  for (const auto& [id, memory] : memories({"lublin"}, tail)) EXPECT_EQ(memory, usual.at(id)) << id;
  for (const auto& [id, memory] : memories({"lublin", "--memory", "1000"}, log)) {
    EXPECT_EQ(memory * 10240, usual.at(id) * 1000) << id;
  }
  for (const auto& [id, memory] : memories({"lublin", "--cores", "2"}, log)) EXPECT_EQ(memory * 2, usual.at(id)) << id;
  EXPECT_NE(memories({"lublin:2"}, log), usual);
  expect_failure(dfrs_sim({"annotate", "-", "--memory-model", "lubline"}, {.input = log}), kExitUsage,
                 {"'lubline'", "expected lublin"});
}

// Whether a log is annotated first or on the fly makes no difference to what is simulated.
TEST(CliAnnotate, ThenRunIsRun) {
  const TemporaryFolder folder;
  const std::string log = folder.write("small.swf", small_swf());
  output_of({"annotate", log, "--estimates", "trace", "-o", folder / "traces"});
  for (const char* algorithm : {"EASY", "GreedyPM*/per"}) {
    EXPECT_EQ(without_origin(output_of({"run", folder / "traces/small.dfrs", "-a", algorithm})),
              without_origin(output_of({"run", log, "--estimates", "trace", "-a", algorithm})));
  }
}

// RR-7659's annotation by hand: 2 processors of 20 % memory each become one task of 40 % and CPU need 1; an odd number
// of processors, or half the memory and more, stay tasks of half a node.
TEST(CliAnnotate, MemoryByHand) {
  const std::string log = "; MaxProcs: 240\n" + swf_line(1, 0, 10, 2, -1, 2097152 * 0.25) +
                          swf_line(2, 1, 10, 3, -1, 2097152 * 0.25) + swf_line(3, 2, 10, 4, -1, 2097152 * 0.5) +
                          swf_line(4, 3, 10, 2, -1, -1);
  EXPECT_THAT(output_of({"annotate", "-", "--annotation", "memory"}, {.input = log}),
              HasSubstr("; Nodes: 120 cpu 1 memory 2048\n"
                        "; Users: yes\n; Fields: id submit tasks cpu_need memory_mib run_time estimate user\n"
                        "1 0 1 1 1024 10 10 1\n2 1 3 0.5 512 10 10 1\n3 2 4 0.5 1024 10 10 1\n4 3 1 1 "));
}

TEST(CliBound, ByHand) {
  const auto trace = [](const std::string& name, int nodes, const std::string& jobs) {
    return "; dfrs-trace: 1\n; Name: " + name + "\n; Nodes: " + std::to_string(nodes) + " cpu 1 memory 1000\n" + jobs;
  };
  const std::string input =
      // 200 s of work on one node by the common deadline 100 S.
      trace("two", 1, "1 0 1 1 1 100 100\n2 0 1 1 1 100 100\n") +
      // Job 2 has both nodes until 20 S; job 1, one task, gets what is left of them, then one node until 100 S:
      // (40 S - 40) + 80 S >= 100. Without the cap on one task 140 s of work fit two nodes with ease.
      trace("cap", 2, "1 0 1 1 1 100 100\n2 0 2 1 1 20 20\n") +
      // 110 s of work by 100 S, and the short job's own window [50, 50 + 10 S] is no tighter.
      trace("late", 1, "1 0 1 1 1 100 100\n2 50 1 1 1 10 10\n") +
      // Below the floor of 10 s: the deadline is 10 S although each runs 1 s, so eleven of them need S = 1.1.
      trace("short", 1, [] {
        std::string jobs;
        for (int id = 1; id <= 11; ++id) jobs += std::to_string(id) + " 0 1 1 1 1 1\n";
        return jobs;
      }());
  const Outcome outcome = dfrs_sim({"bound", "-"}, {.input = input});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines(without_origin(outcome.out));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "instance,jobs,divisible,ls1");
  const struct {
    const char* start;
    double divisible, ls1;
  } expected[] = {{"two,2,", 2, 2}, {"cap,2,", 1, 7.0 / 6}, {"late,2,", 1.1, 1.1}, {"short,11,", 1.1, 1.1}};
  for (const auto& want : expected) {
    ASSERT_TRUE(std::getline(lines, line));
    ASSERT_THAT(line, ::testing::StartsWith(want.start));
    std::istringstream numbers(line.substr(std::string(want.start).size()));
    double divisible = 0;
    double ls1 = 0;
    char comma = 0;
    numbers >> divisible >> comma >> ls1;
    EXPECT_NEAR(divisible, want.divisible, 1e-9) << line;
    EXPECT_NEAR(ls1, want.ls1, 1e-9) << line;
  }
  EXPECT_THAT(outcome.err, HasSubstr("4 instances: divisible mean 1.300 max 2.000"));
  // With a floor of 1 s the eleven share one deadline 1 S.
  EXPECT_THAT(without_origin(output_of({"bound", "-", "--stretch-floor", "1"}, {.input = input})),
              HasSubstr("short,11,11,11\n"));
}

TEST(CliBound, OfHpc2nAreAsPublished) {
  DFRS_TRACE_OR_SKIP(path, "HPC2N-2002-2.1-cln.swf.gz");
  const Outcome outcome = dfrs_sim({"bound", path});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("182 instances: divisible mean 1.619 max 4.993, ls1 mean 1.801 max 5.354"));
}

}  // namespace
}  // namespace dfrs::sim
