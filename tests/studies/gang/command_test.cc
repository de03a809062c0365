// SPDX-License-Identifier: GPL-2.0-or-later
// dfrs-sim gang: its table, CSV and JSON agree and depend only on the seed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/cli/process.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::sim {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::vector<std::string>> csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

std::size_t column(const std::vector<std::vector<std::string>>& rows, const std::string& name) {
  const auto at = std::find(rows[0].begin(), rows[0].end(), name);
  EXPECT_NE(at, rows[0].end()) << name;
  return static_cast<std::size_t>(at - rows[0].begin());
}

const std::vector<std::string> kSmall{"gang", "--gangs", "400", "--replications", "3", "--migration", "none,BF"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Two short replications have intervals far wider than their means; long ones agree.
TEST(CliGang, RowsWhoseIntervalsAreWiderThanTheirMeansAreMarked) {
  const std::vector<std::string> few{"gang", "--gangs", "30", "--replications", "2", "--migration", "none"};
  const auto rows = csv(output_of(with(few, {"--format", "csv"})));
  ASSERT_EQ(rows.size(), 3U);
  const auto unstable = column(rows, "unstable");
  bool any = false;
  const json figures = json::parse(output_of(with(few, {"--json"})));
  for (std::size_t k = 1; k < rows.size(); ++k) {
    bool wide = false;
    for (const std::string name : {"response_time", "bounded_slowdown", "lease_time", "machines"}) {
      const double mean = std::stod(rows[k][column(rows, name)]);
      wide = wide || 2 * std::stod(rows[k][column(rows, name + "_half_width")]) > mean;
    }
    EXPECT_EQ(rows[k][unstable], wide ? "1" : "0");
    EXPECT_EQ(figures.at("rows")[k - 1].at("unstable"), wide);
    any = any || wide;
  }
  EXPECT_TRUE(any);
  EXPECT_THAT(output_of(few), AllOf(HasSubstr("  unstable\n"), HasSubstr("an interval is wider than its mean")));

  const std::vector<std::string> many{"gang", "--gangs", "3000", "--replications", "8", "--migration", "none"};
  EXPECT_THAT(output_of(many), Not(HasSubstr("unstable")));
  const auto stable = csv(output_of(with(many, {"--format", "csv"})));
  for (std::size_t k = 1; k < stable.size(); ++k) EXPECT_EQ(stable[k][column(stable, "unstable")], "0");
}

// 45 tasks arrive in a time unit. If gangs do not migrate, 60 machines have work for a third of the time and cannot
// keep up.
TEST(CliGang, RowsWithMoreArrivalsThanMachinesBearAreMarked) {
  const std::vector<std::string> overloaded{"gang", "--limit", "60",   "--lambda",
                                            "2.75", "--gangs", "3000", "--replications"};
  for (const char* replications : {"1", "4"}) {
    const auto rows = csv(output_of(with(overloaded, {replications, "--migration", "none", "--format", "csv"})));
    for (std::size_t k = 1; k < rows.size(); ++k) {
      EXPECT_GT(std::stod(rows[k][column(rows, "response_rise")]), 1.5);
      EXPECT_EQ(rows[k][column(rows, "unstable")], "1");
    }
  }
  EXPECT_THAT(output_of(with(overloaded, {"4", "--migration", "none"})),
              AllOf(HasSubstr("  unstable\n"), HasSubstr("grow to the end"), Not(HasSubstr("wider than its mean"))));
}

TEST(CliGang, TableCsvAndJsonAgree) {
  const TemporaryFolder folder;
  const json figures = json::parse(output_of(with(kSmall, {"--json", "--runs-csv", folder / "runs"})));
  EXPECT_EQ(figures.at("gangs"), 400);
  EXPECT_EQ(figures.at("mean_tasks"), 16.5);
  ASSERT_EQ(figures.at("rows").size(), 4U);
  const auto summary = csv(output_of(with(kSmall, {"--format", "csv"})));
  const auto runs = csv(file_bytes(folder / "runs"));
  ASSERT_EQ(summary.size(), 5U);
  ASSERT_EQ(runs.size(), 13U);
  for (std::size_t k = 0; k < 4; ++k) {
    const json& row = figures.at("rows")[k];
    EXPECT_EQ(row.at("scheduler"), k % 2 == 0 ? "AFCFS" : "LJFS");
    EXPECT_EQ(row.at("migration"), k < 2 ? "none" : "BF");
    const double migrations = row.at("migrations").at("mean").get<double>();
    if (k < 2) {
      EXPECT_EQ(migrations, 0);
    } else {
      EXPECT_GT(migrations, 0);
    }
    EXPECT_EQ(row.contains("cpe"), k % 2 == 1);
    // The interval again, from the replications.
    for (const char* name : {"response_time", "lease_time"}) {
      double sum = 0, squares = 0;
      for (std::size_t r = 0; r < 3; ++r) {
        const double value = std::stod(runs[1 + 3 * k + r][column(runs, name)]);
        sum += value;
        squares += value * value;
      }
      const double mean = sum / 3;
      EXPECT_NEAR(row.at(name).at("mean").get<double>(), mean, 1e-9 * mean);
      const double deviation = std::sqrt((squares - 3 * mean * mean) / 2);
      EXPECT_NEAR(row.at(name).at("half_width").get<double>(), 4.30265 * deviation / std::sqrt(3.0), 1e-4 * mean);
      EXPECT_EQ(std::stod(summary[k + 1][column(summary, name)]), row.at(name).at("mean").get<double>());
    }
  }
  // CPE, from the means.
  const auto mean = [&](std::size_t k, const char* name) {
    return figures.at("rows")[k].at(name).at("mean").get<double>();
  };
  const double expected = (mean(0, "lease_time") - mean(1, "lease_time")) / mean(0, "lease_time") +
                          (mean(0, "response_time") - mean(1, "response_time")) / mean(0, "response_time");
  EXPECT_NEAR(mean(1, "cpe"), expected, 1e-12);
  const std::string table = output_of(kSmall);
  EXPECT_THAT(table, AllOf(HasSubstr("lambda 2, q 0.5 (16.5 tasks per gang on average)"), HasSubstr("LJFS"),
                           HasSubstr("BF"), HasSubstr("±"), HasSubstr("CPE")));
}

TEST(CliGang, TheSeedAloneDecides) {
  const std::string one = output_of(with(kSmall, {"--format", "csv", "-j", "1"}));
  EXPECT_EQ(output_of(with(kSmall, {"--format", "csv", "-j", "3"})), one);
  EXPECT_NE(output_of(with(kSmall, {"--format", "csv", "--seed", "2"})), one);
}

TEST(CliGang, EveryOptionChangesTheOutcome) {
  const std::vector<std::string> plain{"gang", "--gangs", "1500", "--replications", "1",   "--scheduler",
                                       "LJFS", "--q",     "0.25", "--lambda",       "2.5", "--json"};
  // Starved often enough for the order of starved gangs to matter.
  const std::vector<std::string> base = with(plain, {"--x-factor", "3"});
  const json rows = json::parse(output_of(base)).at("rows");
  for (const std::vector<std::string>& option : std::vector<std::vector<std::string>>{{"--mu", "1.25"},
                                                                                      {"--small", "8"},
                                                                                      {"--large", "40"},
                                                                                      {"--limit", "60"},
                                                                                      {"--minimum", "90"},
                                                                                      {"--setup", "0.5"},
                                                                                      {"--load-threshold", "none"},
                                                                                      {"--release-pause", "50"},
                                                                                      {"--migration-interval", "3"},
                                                                                      {"--queue-length", "waiting"},
                                                                                      {"--migrated-start", "at-once"},
                                                                                      {"--starved-order", "pass"},
                                                                                      {"--migration", "none"}}) {
    EXPECT_NE(json::parse(output_of(with(base, option))).at("rows")[0].at("response_time"), rows[0].at("response_time"))
        << option[0];
  }
  EXPECT_NE(json::parse(output_of(with(plain, {"--x-factor", "none"}))).at("rows")[0].at("response_time"),
            rows[0].at("response_time"));
  // Without AFCFS there is nothing to compare with, and with one replication no interval.
  EXPECT_FALSE(rows[0].contains("cpe"));
  EXPECT_TRUE(rows[0].at("response_time").at("half_width").is_null());
  EXPECT_THAT(output_of({"gang", "--gangs", "50", "--replications", "1", "--scheduler", "LJFS"}),
              AllOf(Not(HasSubstr("±")), Not(HasSubstr("CPE"))));
}

TEST(CliGang, WrongOptionsAreNamed) {
  const auto refused = [](const std::vector<std::string>& options, std::initializer_list<std::string_view> texts) {
    expect_failure(dfrs_sim(with({"gang", "--gangs", "10"}, options)), kExitUsage, texts);
  };
  refused({"--scheduler", "FCFS"}, {"--scheduler", "AFCFS"});
  refused({"--migration", "WF"}, {"--migration", "BF"});
  refused({"--x-factor", "0.5"}, {"--x-factor", "'0.5'", "none"});
  refused({"--x-factor", "never"}, {"--x-factor"});
  refused({"--lambda", "0"}, {"--lambda"});
  refused({"--q", "1.5"}, {"--q"});
  refused({"--load-threshold", "-1"}, {"--load-threshold"});
  refused({"--replications", "0"}, {"--replications"});
  refused({"--limit", "5000"}, {"--limit"});
  refused({"--limit", "20"}, {"--limit 20", "32 tasks"});
  refused({"--small", "40"}, {"--large 32", "--small 40"});
  refused({"--minimum", "121"}, {"--minimum", "limit is 120"});
  refused({"--lamda", "2"}, {"'--lamda'", "'--lambda'"});
}

TEST(CliGang, ListAndHelpNameIt) {
  EXPECT_THAT(output_of({"list"}), AllOf(HasSubstr("dfrs-sim gang"), HasSubstr("\nAFCFS "), HasSubstr("\nLJFS ")));
  EXPECT_THAT(output_of({"list", "--names"}), Not(HasSubstr("AFCFS")));
  EXPECT_THAT(output_of({"gang", "--help"}), AllOf(HasSubstr("--x-factor"), HasSubstr("Examples:")));
  EXPECT_THAT(output_of({"reproduce", "gang-cloud", "--list"}), AllOf(HasSubstr("table1"), HasSubstr("figure2a-q25")));
}

}  // namespace
}  // namespace dfrs::sim
