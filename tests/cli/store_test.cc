// SPDX-License-Identifier: GPL-2.0-or-later
// compare --store: killed and continued by one process and by two, with the same results as without a store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "sim/campaign/results.h"
#include "sim/campaign/sqlite.h"
#include "tests/cli/process.h"
#include "tests/cli/samples.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kSimulations = 6 * 4;

// Six small workloads in `folder`.
std::vector<std::string> campaign(const TemporaryFolder& folder) {
  output_of({"generate", "--count", "6", "--jobs", "120", "--nodes", "16", "--load", "0.9", "-o", folder / "traces"});
  std::vector<std::string> arguments{"compare"};
  for (int seed = 1; seed <= 6; ++seed) {
    arguments.push_back(folder / ("traces/lublin-" + std::to_string(seed) + "-load-0.9.dfrs"));
  }
  for (const char* more : {"-a", "EASY,GreedyPM*/per/MINVT=600,MCB8*,MCB8*/per", "-j", "1", "--times"})
    arguments.push_back(more);
  return arguments;
}

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<ResultRow> rows_of(const std::string& csv) { return or_throw(parse_results_csv(file_bytes(csv), csv)); }

std::string without_cpu_seconds(const std::vector<ResultRow>& rows) { return results_csv(rows, CpuSeconds::left_out); }

using Times = std::map<std::pair<std::string, std::string>, double>;

Times times_in_store(const std::string& path) {
  Times times;
  if (!std::filesystem::exists(path)) return times;
  Database database = or_throw(Database::open(path));
  if (or_throw(database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'results'")) == 0) return times;
  Statement select = or_throw(database.prepare("SELECT instance, algorithm, cpu_seconds FROM results"));
  while (or_throw(select.step())) times[{select.text(0), select.text(1)}] = or_throw(select.number(2));
  return times;
}

TEST(CliStore, GivesTheResultsOfARunWithout) {
  const TemporaryFolder folder;
  const std::vector<std::string> run = campaign(folder);
  const std::string plain = output_of(with(run, {"-o", folder / "plain.csv"}));
  const std::vector<std::string> kept = with(run, {"--store", folder / "s.db", "-o", folder / "kept.csv"});
  EXPECT_EQ(output_of(kept), plain);
  EXPECT_EQ(without_cpu_seconds(rows_of(folder / "kept.csv")), without_cpu_seconds(rows_of(folder / "plain.csv")));
  // Again, all from the store: the CPU times are those of the first run.
  const std::string first = file_bytes(folder / "kept.csv");
  EXPECT_EQ(output_of(kept), plain);
  EXPECT_EQ(file_bytes(folder / "kept.csv"), first);
}

TEST(CliStore, MoreAlgorithmsMayBeAdded) {
  const TemporaryFolder folder;
  const std::vector<std::string> compare{"compare", "-",  "--store",          folder / "s.db",
                                         "--times", "-o", folder / "out.csv", "-a"};
  output_of(with(compare, {"EASY"}), {.input = small_trace()});
  const Times before = times_in_store(folder / "s.db");
  output_of(with(compare, {"FCFS,EASY"}), {.input = small_trace()});
  const std::vector<ResultRow> rows = rows_of(folder / "out.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].algorithm, "FCFS");
  EXPECT_EQ(rows[1].cpu_seconds, (before.at({"small", "EASY"})));
}

// Killed by SIGKILL after some simulations: finished ones are neither lost nor repeated.
TEST(CliStore, AKilledCampaignGoesOnWhereItWas) {
  const TemporaryFolder folder;
  const std::vector<std::string> run = campaign(folder);
  output_of(with(run, {"-o", folder / "plain.csv"}));
  const std::vector<std::string> kept = with(run, {"--store", folder / "s.db", "-o", folder / "kept.csv"});
  std::size_t at_least = 2;
  for (int death = 0; death < 3; ++death, at_least += 6) {
    BackgroundRun victim(kept);
    while (times_in_store(folder / "s.db").size() < at_least) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    victim.kill();
    ASSERT_EQ(victim.finish().exit_code, -9) << "it was over before it could be killed";
    const Times before = times_in_store(folder / "s.db");
    ASSERT_LT(before.size(), kSimulations) << "nothing was left to do when it was killed";
    if (death < 2) continue;
    output_of(kept);
    const std::vector<ResultRow> rows = rows_of(folder / "kept.csv");
    ASSERT_EQ(rows.size(), kSimulations);
    for (const ResultRow& row : rows) {
      const auto known = before.find({row.instance, row.algorithm});
      if (known == before.end()) continue;
      EXPECT_EQ(row.cpu_seconds, known->second) << row.instance << " " << row.algorithm;
    }
    EXPECT_EQ(without_cpu_seconds(rows), without_cpu_seconds(rows_of(folder / "plain.csv")));
  }
}

// If two processes ran the same simulation, the store's key would refuse it and their CPU times would differ.
TEST(CliStore, TwoProcessesShareTheWork) {
  const TemporaryFolder folder;
  const std::vector<std::string> run = campaign(folder);
  const std::string plain = output_of(with(run, {"-o", folder / "plain.csv"}));
  const auto kept = [&](const char* name) { return with(run, {"--store", folder / "s.db", "-o", folder / name}); };
  BackgroundRun first(kept("first.csv"));
  BackgroundRun second(kept("second.csv"));
  BackgroundRun third(kept("third.csv"));
  while (times_in_store(folder / "s.db").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  third.kill();  // the others take over its work
  for (BackgroundRun* process : {&first, &second}) {
    const Outcome outcome = process->finish();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, plain);
  }
  third.finish();
  EXPECT_EQ(file_bytes(folder / "first.csv"), file_bytes(folder / "second.csv"));
  EXPECT_EQ(without_cpu_seconds(rows_of(folder / "first.csv")), without_cpu_seconds(rows_of(folder / "plain.csv")));
  EXPECT_EQ(times_in_store(folder / "s.db").size(), kSimulations);
}

TEST(CliStore, StoresOfOtherCampaignsAreRefused) {
  const TemporaryFolder folder;
  const std::vector<std::string> compare{"compare", "-", "-a", "EASY", "--store", folder / "s.db"};
  output_of(compare, {.input = small_trace()});
  expect_failure(dfrs_sim(with(compare, {"--penalty", "0"}), {.input = small_trace()}), kExitUsage,
                 {"s.db", "other options", "penalty 300 s", "penalty 0 s"});
  expect_failure(dfrs_sim(compare, {.input = small_swf()}), kExitUsage, {"s.db", "other instances", "small"});
  expect_failure(dfrs_sim({"compare", "-", "-a", "EASY", "--store", folder.write("x", "no database, long enough")},
                          {.input = small_trace()}),
                 kExitInput, {"x: ", "not a store"});
  expect_failure(dfrs_sim({"compare", "-", "-a", "EASY", "--store", folder / "none/s.db"}, {.input = small_trace()}),
                 kExitIo, {"none/s.db"});
  expect_failure(
      dfrs_sim({"compare", "-", "-a", "EASY", "--store", folder / "y", "-o", folder / "y"}, {.input = small_trace()}),
      kExitUsage, {"--store", "--output"});
}

// A failure of one simulation leaves the others' results for the next time.
TEST(CliStore, AFullDiskIsAnErrorOfTheStore) {
  const TemporaryFolder folder;
  const std::vector<std::string> compare{"compare", "-", "-a", "EASY", "--store", folder / "s.db"};
  // 8 blocks of 512 bytes: not even the empty store fits.
  expect_failure(dfrs_sim(compare, {.input = small_trace(), .soft_limits = "-f 8"}), kExitIo, {"s.db"});
  output_of(compare, {.input = small_trace()});
}

}  // namespace
}  // namespace dfrs::sim
