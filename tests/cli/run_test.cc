// SPDX-License-Identifier: GPL-2.0-or-later
// What `dfrs-sim run` prints, its table of jobs and its log of decisions agree with each other, and a machine could
// carry them out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
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
  return {json::parse(text), without_origin(file_bytes(folder / "jobs")), without_origin(file_bytes(folder / "log"))};
}

// A job each minute, of two minutes' work on average, so that they pile up.
std::string overloaded_trace() {
  std::string log = "; Version: 2.2\n; MaxProcs: 4\n";
  for (int k = 0; k < 60; ++k) log += swf_line(k + 1, 60 * k, k % 2 == 0 ? 230 : 10, 4);
  return log;
}

TEST(CliRun, EndsARunInWhichJobsPileUp) {
  const Surroundings log{.input = overloaded_trace()};
  expect_failure(dfrs_sim({"run", "-", "-a", "FCFS", "--most-jobs", "10"}, log), kExitInput,
                 {"ran away", "11 jobs are in the system"});
  EXPECT_THAT(output_of({"run", "-", "-a", "FCFS", "--most-jobs", "60", "--no-bound"}, log), HasSubstr("max stretch"));
}

// A job a second of 1e5 s each: 5001 are there at once. Nothing is paused, so it ends, and says how many there are.
TEST(CliRun, SaysThatJobsPileUp) {
  std::string log = "; Version: 2.2\n; MaxProcs: 4\n";
  for (int k = 0; k <= 5000; ++k) log += swf_line(k + 1, k, 100'000, 4);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--most-jobs", "none"}}) {
    std::vector<std::string> arguments{"run", "-", "-a", "FCFS", "--no-bound"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = dfrs_sim(arguments, {.input = log});
    EXPECT_EQ(outcome.exit_code, kExitOk) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("5001 jobs are in the system"));
    EXPECT_THAT(outcome.out, HasSubstr("max stretch"));
    EXPECT_EQ(outcome.out.find("--most-jobs=none") != std::string::npos, !more.empty());
  }
}

// What ran away is kept as such: not simulated again, empty in the results, named beside the table.
TEST(CliCompare, LeavesOutWhatRanAway) {
  const TemporaryFolder folder;
  folder.write("log.swf", overloaded_trace());
  const std::vector<std::string> compare{
      "compare", folder / "log.swf", "-a", "EASY,yardstick/SRPT", "--penalty", "0", "--most-jobs", "25",
      "--store", folder / "s.db",    "-o", folder / "out.csv"};
  for (int time = 0; time < 2; ++time) {
    const Outcome outcome = dfrs_sim(compare);
    EXPECT_EQ(outcome.exit_code, kExitOk) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("Ran away"));
    EXPECT_THAT(outcome.err, HasSubstr("left out: EASY on log."));
    EXPECT_THAT(outcome.out, HasSubstr("yardstick/SRPT"));
  }
  const std::string results = file_bytes(folder / "out.csv");
  EXPECT_THAT(results, HasSubstr("\nlog,EASY,60,"));
  const Outcome report = dfrs_sim({"report", folder / "out.csv", "--format", "csv"});
  EXPECT_THAT(report.err, HasSubstr("EASY on log"));
  EXPECT_THAT(output_of({"compare", folder / "log.swf", "-a", "EASY", "--most-jobs", "60"}), HasSubstr("EASY"));
}

// Recomputes the figures from just the jobs' times.
void expect_figures(const RunFiles& result, const Replay& replayed) {
  const auto rows = csv(result.jobs);
  ASSERT_EQ(rows.size(), replayed.jobs.size() + 1);
  const std::vector<std::string> header{"job",     "submit", "start", "end",       "run_time", "tasks",
                                        "stretch", "pauses", "moves", "lost_runs", "lost_s"};
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
            "job,submit,start,end,run_time,tasks,stretch,pauses,moves,lost_runs,lost_s\n"
            "1,0,0,100,100,2,1,0,0,0,0\n"
            "2,10,100,150,50,1,2.8,0,0,0,0\n"
            "3,20,150,180,30,2,5.333333333333333,0,0,0,0\n");
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
    expect("degradation from bound", "%.3f divisible, |%.3f ls1",
           {of("max_stretch") / of("bound_divisible"), of("max_stretch") / of("bound_ls1")});
    expect("stretch percentiles", "%.3f (50), |%.3f (90), |%.3f (95), |%.3f (99)",
           {of("stretch_p50"), of("stretch_p90"), of("stretch_p95"), of("stretch_p99")});
    expect("weighted by tasks", "turnaround %.1f s (ARTwW), |slowdown %.3f (SLDwW)",
           {of("response_by_width_s"), of("slowdown60_by_width")});
    expect("loss of capacity", "%.4f (LOC)", {of("loss_of_capacity")});
    expect("mean stretch", "%.3f", {of("mean_stretch")});
    expect("mean wait", "%.1f s", {of("mean_wait_s")});
    expect("mean turnaround", "%.1f s", {of("mean_turnaround_s")});
    expect("utilization", "%.4f", {of("utilization")});
    expect("underutilization", "%.4f", {of("underutilization")});
    expect("pauses", "%.0f: |%.3f per job, |%.2f per hour, |%.4f GB/s",
           {of("pauses"), of("pauses_per_job"), of("pauses_per_hour"), of("pause_gb_per_s")});
    expect("moves", "%.0f: |%.3f per job, |%.2f per hour, |%.4f GB/s",
           {of("moves"), of("moves_per_job"), of("moves_per_hour"), of("move_gb_per_s")});
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

// A job's rows follow each other from its submission to its end, and its virtual time grows by yield x length up to its
// run time. Nodes are those of the log of decisions.
TEST(CliRun, TheTimelineSaysWhereEachJobWasAndHowFarItCame) {
  const TemporaryFolder folder;
  const std::string trace = crowded_trace();
  output_of({"run", "-", "-a", "GreedyPM*/per", "--jobs-csv", folder / "jobs", "--timeline", folder / "timeline"},
            {.input = trace});
  const auto rows = csv(without_origin(file_bytes(folder / "timeline")));
  ASSERT_FALSE(rows.empty());
  ASSERT_EQ(rows[0], (std::vector<std::string>{"job", "from", "to", "state", "yield", "virtual_time", "nodes"}));
  struct Seen {
    double from = -1, to = 0, progress = 0, virtual_time = 0, penalty = 0;
    int pauses = 0;
  };
  std::map<std::string, Seen> seen;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const std::string& state = rows[k][3];
    Seen& job = seen[rows[k][0]];
    const double from = std::stod(rows[k][1]), to = std::stod(rows[k][2]), yield = std::stod(rows[k][4]);
    ASSERT_LT(from, to);
    if (job.from < 0) {
      job.from = from;
    } else {
      ASSERT_EQ(from, job.to) << "job " << rows[k][0];
    }
    job.to = to;
    job.progress += yield * (to - from);
    job.virtual_time = std::stod(rows[k][5]);
    ASSERT_NEAR(job.virtual_time, job.progress, 1e-6 * to) << "job " << rows[k][0];
    if (state == "penalty") job.penalty += to - from;
    const bool placed = state == "running" || state == "penalty";
    EXPECT_EQ(rows[k].size() == 7 && !rows[k][6].empty(), placed) << state;
    EXPECT_EQ(yield > 0, state == "running");
  }
  const auto jobs = csv(without_origin(file_bytes(folder / "jobs")));
  ASSERT_EQ(seen.size() + 1, jobs.size());
  double penalty = 0, changes = 0;
  for (std::size_t k = 1; k < jobs.size(); ++k) {
    const Seen& job = seen.at(jobs[k][0]);
    EXPECT_EQ(job.from, std::stod(jobs[k][1]));
    EXPECT_EQ(job.to, std::stod(jobs[k][3]));
    EXPECT_NEAR(job.virtual_time, std::stod(jobs[k][4]), 1e-6 * job.to);
    penalty += job.penalty;
    changes += std::stod(jobs[k][7]) + std::stod(jobs[k][8]);
  }
  ASSERT_GT(changes, 10);
  EXPECT_GT(penalty, 0);
  EXPECT_LE(penalty, 300 * changes);
}

TEST(CliRun, MeasuresBesideTheMaximumStretch) {
  const std::string trace = crowded_trace();
  const json figures =
      json::parse(output_of({"run", "-", "--algorithms", "GreedyPM*/per", "--json", "--times"}, {.input = trace}));
  const auto at = [&](const char* name) { return figures.at(name).get<double>(); };
  EXPECT_DOUBLE_EQ(at("degradation_divisible"), at("max_stretch") / at("bound_divisible"));
  EXPECT_DOUBLE_EQ(at("degradation_ls1"), at("max_stretch") / at("bound_ls1"));
  EXPECT_LE(at("stretch_p50"), at("stretch_p90"));
  EXPECT_LE(at("stretch_p90"), at("stretch_p95"));
  EXPECT_LE(at("stretch_p95"), at("stretch_p99"));
  EXPECT_LE(at("stretch_p99"), at("max_stretch"));
  EXPECT_NEAR(at("pauses"), at("pauses_per_job") * at("jobs"), 1e-9);
  EXPECT_NEAR(at("moves"), at("moves_per_job") * at("jobs"), 1e-9);
  EXPECT_GT(at("policy_call_longest_s"), 0);
  EXPECT_GE(at("policy_call_longest_s"), at("policy_call_mean_s"));
  EXPECT_GE(at("policy_calls"), at("jobs"));
  EXPECT_FALSE(
      json::parse(output_of({"run", "-", "-a", "EASY", "--json"}, {.input = trace})).contains("policy_call_mean_s"));
  EXPECT_THAT(output_of({"run", "-", "-a", "EASY", "--times"}, {.input = trace}), HasSubstr(" us the longest\n"));
}

TEST(CliRun, InstancesAreChosenByName) {
  const TemporaryFolder folder;
  output_of({"generate", "--seed", "5", "--jobs", "20", "--nodes", "8", "--count", "3", "-o", folder / "traces"});
  const std::vector<std::string> traces{folder / "traces/lublin-5.dfrs", folder / "traces/lublin-6.dfrs",
                                        folder / "traces/lublin-7.dfrs"};
  const auto compare = [&](const std::string& names) {
    std::vector<std::string> words{"compare",          "--algorithms", "EASY,FCFS", "-o",
                                   folder / "results", "--instance",   names};
    words.insert(words.end(), traces.begin(), traces.end());
    return words;
  };
  output_of(compare("lublin-7,lublin-5"));
  const auto rows = csv(file_bytes(folder / "results"));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1][0], "lublin-5");
  EXPECT_EQ(rows[3][0], "lublin-7");
  expect_failure(dfrs_sim(compare("lublin-5,lublin-9")), kExitUsage,
                 {"--instance", "'lublin-9'", "lublin-5, lublin-6, lublin-7"});
}

// A task per processor, eight processors a node: the first job has 64 tasks for 16 nodes.
std::string log_of_processors() { return swf_line(1, 0, 100, 64) + swf_line(2, 5, 50, 64) + swf_line(3, 6, 10, 100); }

TEST(CliRun, BatchPoliciesPackTasksWhereALogCountsProcessors) {
  const auto run = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "-", "-a", "EASY", "--nodes", "16", "--cores", "8"};
    words.insert(words.end(), more.begin(), more.end());
    return dfrs_sim(words, {.input = log_of_processors()});
  };
  const Outcome chosen = run({"--json"});
  EXPECT_EQ(chosen.exit_code, 0) << chosen.err;
  EXPECT_THAT(chosen.err, HasSubstr("batch policies pack tasks: a task per processor, up to 8 processors a node "
                                    "(--batch-nodes packed)\n"));
  EXPECT_THAT(chosen.out, HasSubstr("--batch-nodes=packed"));
  const Outcome given = run({"--json", "--batch-nodes", "packed"});
  EXPECT_EQ(given.out, chosen.out);
  EXPECT_THAT(given.err, testing::Not(HasSubstr("batch policies pack tasks")));
  // The first two have eight nodes each from the start, the third 13 nodes from 100 s on.
  EXPECT_DOUBLE_EQ(json::parse(chosen.out).at("mean_wait_s"), (0 + 0 + 94) / 3.0);
  expect_failure(run({"--batch-nodes", "task"}), kExitInput, {"never start", "--batch-nodes packed"});
}

// A trace says nothing of processors; it is packed if a job could not start otherwise.
TEST(CliRun, BatchPoliciesPackTasksWhereAJobHasMoreThanThereAreNodes) {
  const std::string header = "; dfrs-trace: 1\n; Name: wide\n; Nodes: 2 cpu 1 memory 1000\n";
  const auto run = [&](const std::string& jobs) {
    return dfrs_sim({"run", "-", "-a", "EASY"}, {.input = header + jobs});
  };
  const Outcome wide = run("7 0 4 0.5 100 50 50\n");
  EXPECT_EQ(wide.exit_code, 0) << wide.err;
  EXPECT_THAT(wide.err, HasSubstr("batch policies pack tasks: wide: job 7 has 4 tasks for 2 nodes"));
  EXPECT_THAT(wide.out, HasSubstr("batch nodes packed"));
  EXPECT_THAT(run("7 0 2 0.5 100 50 50\n").out, HasSubstr("batch nodes task"));
  // It needs more CPU than both nodes have, and no option of batch policies changes that.
  expect_failure(run("7 0 4 1 100 50 50\n"), kExitInput, {"1 job never starts", "share no CPU"});
}

TEST(CliRun, CompareAndDemoPackTasksToo) {
  const TemporaryFolder folder;
  const std::string log = folder.write("jobs.swf", log_of_processors());
  const std::vector<std::string> machine{"--nodes", "16", "--cores", "8"};
  std::vector<std::string> words{"compare", log, "-a", "EASY,Triage", "--format", "json"};
  words.insert(words.end(), machine.begin(), machine.end());
  EXPECT_THAT(output_of(words), HasSubstr("--batch-nodes=packed"));
  words = {"demo", log, "-o", folder / "demo"};
  words.insert(words.end(), machine.begin(), machine.end());
  const Outcome demo = dfrs_sim(words);
  EXPECT_EQ(demo.exit_code, 0) << demo.err;
  EXPECT_THAT(demo.err, testing::Not(HasSubstr("left out")));
  EXPECT_THAT(demo.out, HasSubstr("1 instance, 3 jobs, 16 nodes"));
}

// It would hold CSV.
TEST(CliRun, ATimelineIsNoPage) {
  const TemporaryFolder folder;
  const std::string page = folder / "t.html";
  expect_failure(dfrs_sim({"run", "-", "-a", "EASY", "--timeline", page}, {.input = crowded_trace()}), kExitUsage,
                 {page, "--report FILE.html"});
  EXPECT_FALSE(std::filesystem::exists(page));
}

}  // namespace
}  // namespace dfrs::sim
