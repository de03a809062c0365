// SPDX-License-Identifier: GPL-2.0-or-later
// What `dfrs-sim run` prints, its table of jobs and its log of decisions agree with each other, and a machine could
// carry them out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/cli/process.h"
#include "tests/cli/replay.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::vector<std::vector<std::string>> csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

// An overloaded little cluster, so that jobs share, wait, are paused and moved.
std::string crowded_trace(int seed = 7, int jobs = 80) {
  return output_of(
      {"generate", "--seed", std::to_string(seed), "--jobs", std::to_string(jobs), "--nodes", "8", "--load", "1.5"});
}

struct RunFiles {
  json figures;
  std::string jobs;
  std::string log;
};

RunFiles run_with_files(const std::string& trace, const std::string& algorithm,
                        const std::vector<std::string>& options = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"run",           "-",     "-a",          algorithm, "--json", "--jobs-csv",
                                     folder / "jobs", "--log", folder / "log"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const std::string text = output_of(arguments, {.input = trace});
  return {json::parse(text), file_bytes(folder / "jobs"), file_bytes(folder / "log")};
}

// Recomputes the figures from just the jobs' times.
void expect_figures(const RunFiles& result, const Replay& replayed) {
  const auto rows = csv(result.jobs);
  ASSERT_EQ(rows.size(), replayed.jobs.size() + 1);
  const std::vector<std::string> header{"job",   "submit",  "start",  "end",  "run_time",
                                        "tasks", "stretch", "pauses", "moves"};
  ASSERT_EQ(rows[0], header);
  double largest = 0;
  double stretches = 0;
  double waits = 0;
  double turnarounds = 0;
  double work = 0;
  double pauses = 0;
  double moves = 0;
  double first = 1e300;
  double last = 0;
  std::map<double, double> demand_change;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const auto& row = rows[k];
    ASSERT_EQ(row.size(), header.size());
    const ReplayedJob& job = replayed.jobs.at(std::stoll(row[0]));
    // The log has exactly the same times.
    EXPECT_EQ(std::stod(row[1]), job.submit);
    EXPECT_EQ(std::stod(row[2]), job.start);
    EXPECT_EQ(std::stod(row[3]), job.end);
    EXPECT_EQ(std::stod(row[4]), job.run_time);
    EXPECT_EQ(std::stoul(row[5]), job.tasks);
    EXPECT_EQ(std::stoul(row[7]), job.pauses);
    EXPECT_EQ(std::stoul(row[8]), job.moves);
    const double stretch = std::max(job.end - job.submit, 10.0) / std::max(job.run_time, 10.0);
    EXPECT_NEAR(std::stod(row[6]), stretch, 1e-9 * stretch);
    EXPECT_GE(stretch, 1 - 1e-9) << "faster than alone";
    largest = std::max(largest, stretch);
    stretches += stretch;
    waits += job.start - job.submit;
    turnarounds += job.end - job.submit;
    const double need = job.cpu_need * static_cast<double>(job.tasks);
    work += need * job.run_time;
    pauses += job.pauses;
    moves += job.moves;
    first = std::min(first, job.submit);
    last = std::max(last, job.end);
    demand_change[job.submit] += need;
    demand_change[job.end] -= need;
  }
  const double n = static_cast<double>(replayed.jobs.size());
  const double capacity = static_cast<double>(replayed.nodes.size());
  const double span = last - first;
  double wanted = 0;  // integral of min(|P|, demand)
  double demand = 0;
  double since = 0;
  for (const auto& [time, change] : demand_change) {
    wanted += std::min(capacity, demand) * (time - since);
    demand += change;
    since = time;
  }
  const auto expect = [&](const char* name, double value) {
    EXPECT_NEAR(result.figures.at(name).get<double>(), value, 1e-6 * (1 + std::abs(value))) << name;
  };
  expect("jobs", n);
  expect("nodes", capacity);
  expect("max_stretch", largest);
  expect("mean_stretch", stretches / n);
  expect("mean_wait_s", waits / n);
  expect("mean_turnaround_s", turnarounds / n);
  expect("makespan_s", span);
  expect("utilization", work / (capacity * span));
  expect("underutilization", (wanted - work) / work);
  expect("pauses_per_job", pauses / n);
  expect("moves_per_job", moves / n);
  expect("pauses_per_hour", pauses * 3600 / span);
  expect("moves_per_hour", moves * 3600 / span);
  EXPECT_GE(largest, result.figures.at("bound_divisible").get<double>() * (1 - 1e-9)) << "better than possible";
  EXPECT_GE(largest, result.figures.at("bound_ls1").get<double>() * (1 - 1e-9)) << "better than possible";
}

class CliRunReplay : public ::testing::TestWithParam<const char*> {};

TEST_P(CliRunReplay, LogJobsAndFiguresAgree) {
  const std::string algorithm = GetParam();
  const bool batch = algorithm == "FCFS" || algorithm.starts_with("EASY");
  for (int seed = 7; seed < 10; ++seed) {
    const std::string trace = crowded_trace(seed);
    const RunFiles result = run_with_files(trace, algorithm);
    expect_figures(result, replay(trace, result.log, 300, batch));
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, CliRunReplay,
                         ::testing::Values("FCFS", "EASY", "EASY/extra-only", "Greedy*", "GreedyP*", "GreedyPM*",
                                           "GreedyPM*/per/MINVT=600", "GreedyP*/per/OPT=AVG/MINFT=300", "MCB8*",
                                           "MCB8*/per/OPT=MIN/MINVT=600", "/per", "/stretch-per/OPT=MAX/MINVT=600"));

TEST(CliRun, OptionsOfTheSimulationReachIt) {
  const std::string trace = crowded_trace();
  const RunFiles gratis = run_with_files(trace, "GreedyPM*/per", {"--penalty", "0"});
  expect_figures(gratis, replay(trace, gratis.log, 0));
  EXPECT_THROW(replay(trace, gratis.log, 300), ReplayError);
  const RunFiles merged = run_with_files(trace, "MCB8*", {"--instants", "merged", "--period", "300"});
  expect_figures(merged, replay(trace, merged.log, 300));
  const RunFiles per_event = run_with_files(trace, "EASY", {"--batch-passes", "event"});
  expect_figures(per_event, replay(trace, per_event.log, 300, true));
  EXPECT_EQ(run_with_files(trace, "MCB8*", {"--stretch-floor", "30"}).log, run_with_files(trace, "MCB8*").log)
      << "the bound of the stretch is no input of the policy";
  EXPECT_NE(run_with_files(trace, "GreedyPM*", {"--priority-floor", "30000"}).log,
            run_with_files(trace, "GreedyPM*").log);
}

// The checker itself: a log changed in one place is refused.
TEST(CliRun, ReplayRefusesImpossibleLogs) {
  const std::string trace = small_trace();
  const std::string good =
      "{\"t\":0.0,\"submitted\":[1],\"started\":{\"1\":[0,1]},\"yields\":{\"1\":1.0}}\n"
      "{\"t\":10.0,\"submitted\":[2],\"started\":{\"2\":[0]},\"yields\":{\"1\":0.5,\"2\":1.0}}\n"
      "{\"t\":20.0,\"submitted\":[3]}\n"
      "{\"t\":60.0,\"completed\":[2],\"yields\":{\"1\":1.0}}\n"
      "{\"t\":125.0,\"completed\":[1],\"started\":{\"3\":[0,1]},\"yields\":{\"3\":1.0}}\n"
      "{\"t\":155.0,\"completed\":[3]}\n";
  const Replay replayed = replay(trace, good);
  EXPECT_EQ(replayed.jobs.at(3).start, 125);
  EXPECT_EQ(replayed.jobs.at(3).end, 155);
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& why) {
    std::string log = good;
    const std::size_t at = log.find(from);
    ASSERT_NE(at, std::string::npos);
    log.replace(at, from.size(), to);
    try {
      replay(trace, log);
      ADD_FAILURE() << "accepted: " << to;
    } catch (const ReplayError& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  };
  refused("\"1\":0.5", "\"1\":0.75", "CPU exceeded");
  refused("\"1\":0.5", "\"1\":0.4", "completes after");
  refused("\"2\":1.0", "\"2\":1.5", "yield outside");
  refused("\"submitted\":[3]}", "\"submitted\":[3],\"started\":{\"3\":[0,1]},\"yields\":{\"3\":1}}", "memory exceeded");
  refused("\"started\":{\"3\":[0,1]}", "\"started\":{\"3\":[0]}", "not one node per task");
  refused("\"started\":{\"3\":[0,1]}", "\"started\":{\"3\":[0,2]}", "no such node");
  refused("\"started\":{\"3\":[0,1]}", "\"resumed\":{\"3\":[0,1]}", "cannot be resumed");
  refused("{\"t\":20.0,", "{\"t\":21.0,", "submitted at another time");
  refused("{\"t\":60.0,", "{\"t\":61.0,", "completes after");
  refused("{\"t\":155.0,\"completed\":[3]}\n", "", "never ends");
  EXPECT_THROW(replay(trace, good, 300, true), ReplayError) << "shared nodes";
}

// By hand: job 1 has both nodes from 0 to 100; 2 starts at 100, and 3, which needs both nodes, when 2 has ended.
TEST(CliRun, FcfsOfASmallTraceByHand) {
  const RunFiles result = run_with_files(small_trace(), "FCFS");
  EXPECT_EQ(result.jobs,
            "job,submit,start,end,run_time,tasks,stretch,pauses,moves\n"
            "1,0,0,100,100,2,1,0,0\n"
            "2,10,100,150,50,1,2.8,0,0\n"
            "3,20,150,180,30,2,5.333333333333333,0,0\n");
  EXPECT_EQ(result.figures.at("makespan_s"), 180);
  EXPECT_DOUBLE_EQ(result.figures.at("mean_wait_s").get<double>(), 220.0 / 3);
  EXPECT_DOUBLE_EQ(result.figures.at("utilization").get<double>(), (200 + 25 + 15) / 360.0);
}

TEST(CliRun, TextAndJsonHaveTheSameFigures) {
  const std::string trace = crowded_trace();
  for (const std::string algorithm : {"EASY", "GreedyPM*/per/MINVT=600"}) {
    const json figures = run_with_files(trace, algorithm).figures;
    const std::string text = output_of({"run", "-", "-a", algorithm}, {.input = trace});
    std::map<std::string, std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      ASSERT_GT(line.size(), 23U);
      std::string name = line.substr(0, line.find("  ", 0));
      if (line.starts_with("degradation from bound ")) name = "degradation from bound";
      lines[name] = line.substr(std::max<std::size_t>(23, name.size() + 1));
    }
    const auto expect = [&](const std::string& name, const char* format, std::initializer_list<double> values) {
      std::string wanted;
      std::istringstream parts(format);
      auto value = values.begin();
      for (std::string part; std::getline(parts, part, '|');) {
        char buffer[64];
        std::snprintf(buffer, sizeof buffer, part.c_str(), *value++);
        wanted += buffer;
      }
      EXPECT_EQ(lines[name], wanted) << text;
    };
    const auto of = [&](const char* name) { return figures.at(name).get<double>(); };
    EXPECT_EQ(lines["algorithm"], figures.at("algorithm").get<std::string>());
    EXPECT_THAT(lines["instance"], HasSubstr(figures.at("instance").get<std::string>() + " (80 jobs, 8 nodes)"));
    expect("max stretch", "%.3f", {of("max_stretch")});
    expect("lower bound", "%.3f divisible, |%.3f ls1", {of("bound_divisible"), of("bound_ls1")});
    expect("degradation from bound", "%.3f", {of("max_stretch") / of("bound_divisible")});
    expect("mean stretch", "%.3f", {of("mean_stretch")});
    expect("mean wait", "%.1f s", {of("mean_wait_s")});
    expect("mean turnaround", "%.1f s", {of("mean_turnaround_s")});
    expect("utilization", "%.4f", {of("utilization")});
    expect("underutilization", "%.4f", {of("underutilization")});
    expect("pauses", "%.3f per job, |%.2f per hour, |%.4f GB/s",
           {of("pauses_per_job"), of("pauses_per_hour"), of("pause_gb_per_s")});
    expect("moves", "%.3f per job, |%.2f per hour, |%.4f GB/s",
           {of("moves_per_job"), of("moves_per_hour"), of("move_gb_per_s")});
    EXPECT_EQ(std::stod(lines["makespan"]), of("makespan_s"));
  }
}

TEST(CliRun, WithoutBoundThereIsNone) {
  const json figures = run_with_files(small_trace(), "EASY", {"--no-bound"}).figures;
  EXPECT_FALSE(figures.contains("bound_ls1"));
  EXPECT_FALSE(figures.contains("bound_divisible"));
  EXPECT_EQ(output_of({"run", "-", "-a", "EASY", "--no-bound"}, {.input = small_trace()}).find("lower bound"),
            std::string::npos);
}

// Jobs without run time have a stretch because it is bounded, however low.
TEST(CliRun, JobsOfNoLength) {
  const std::string trace =
      "; dfrs-trace: 1\n; Name: zero\n; Nodes: 1 cpu 1 memory 10\n1 0 1 1 5 0 0\n2 5 1 1 5 100 100\n";
  for (const char* algorithm : {"EASY", "GreedyPM*/per", "MCB8*"}) {
    EXPECT_EQ(run_with_files(trace, algorithm).figures.at("max_stretch"), 1);
    const Outcome outcome = dfrs_sim({"run", "-", "-a", algorithm, "--stretch-floor", "0.001"}, {.input = trace});
    EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("inf"), std::string::npos) << outcome.out;
  }
}

}  // namespace
}  // namespace dfrs::sim
