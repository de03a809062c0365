// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/quota/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace dfrs::shim {
namespace {

using testing::HasSubstr;

TEST(Protocol, StatesComeThroughAsTheyWere) {
  const DesiredState state{
      "n1",
      {std::numeric_limits<std::uint64_t>::max(), 7},
      {{1, 0.1, false}, {12, 1.0 / 3, true, true}, {13, 1, false, true}, {4294967295, 1e5, false}}};
  const auto again = parse_desired(format_desired(state));
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(*again, state);
}

TEST(Protocol, JobsAreSorted) {
  const auto state = parse_desired(
      R"({"version":1,"node":"n","epoch":1,"sequence":0,"jobs":[{"job_id":9,"cpus":1,"paused":false,"suspended":false},
          {"job_id":2,"cpus":1,"paused":false,"suspended":false}],"later":"ignored"})");
  ASSERT_TRUE(state) << state.error();
  EXPECT_EQ(state->jobs[0].job_id, 2u);
}

TEST(Protocol, BadStatesAreRefusedByName) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text =
        R"({"version":1,"node":"n","epoch":1,"sequence":2,"jobs":[{"job_id":9,"cpus":1,"paused":false,"suspended":false}]})";
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  ASSERT_TRUE(parse_desired(with("9", "9")));
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "not JSON"},
      {"{", "not JSON"},
      {"\xff\xfe", "not JSON"},
      {"[]", "an object"},
      {"null", "an object"},
      {with("\"version\":1", "\"version\":2"), "version"},
      {with("\"version\":1,", ""), "version"},
      {with("\"n\"", "5"), "node"},
      {with("\"epoch\":1", "\"epoch\":0"), "epoch"},
      {with("\"epoch\":1", "\"epoch\":-1"), "epoch"},
      {with("\"epoch\":1", "\"epoch\":1.5"), "epoch"},
      {with("\"epoch\":1", "\"epoch\":18446744073709551616"), "epoch"},
      {with("\"sequence\":2", "\"sequence\":\"2\""), "sequence"},
      {with("[{\"job_id\":9,\"cpus\":1,\"paused\":false,\"suspended\":false}]", "{}"), "jobs"},
      {with("{\"job_id\":9,\"cpus\":1,\"paused\":false,\"suspended\":false}", "7"), "jobs[0]"},
      {with("\"job_id\":9", "\"job_id\":0"), "jobs[0].job_id"},
      {with("\"job_id\":9", "\"job_id\":4294967296"), "jobs[0].job_id"},
      {with("\"cpus\":1", "\"cpus\":-0.1"), "jobs[0].cpus"},
      {with("\"cpus\":1", "\"cpus\":100001"), "jobs[0].cpus"},
      {with("\"cpus\":1", "\"cpus\":1e400"), "not JSON"},
      {with("\"cpus\":1", "\"cpus\":null"), "jobs[0].cpus"},
      {with("\"paused\":false", "\"paused\":0"), "jobs[0].paused"},
      {with("\"paused\":false", "\"paused\":true"), "paused, but not suspended"},
      {with(",\"suspended\":false", ""), "jobs[0].suspended"},
      {with("\"paused\":false,\"suspended\":false", "\"paused\":true"), "jobs[0].suspended"},
      {with("}]", "},{\"job_id\":9,\"cpus\":1,\"paused\":false,\"suspended\":false}]"), "job 9 is listed twice"}};
  for (const auto& [text, expected] : cases) {
    const auto state = parse_desired(text);
    ASSERT_FALSE(state) << text;
    EXPECT_THAT(state.error(), HasSubstr(expected)) << text;
  }
  std::string many = "{\"version\":1,\"node\":\"n\",\"epoch\":1,\"sequence\":2,\"jobs\":[";
  for (std::size_t job = 1; job <= kMaxJobs + 1; ++job)
    many += (job > 1 ? ",{\"job_id\":" : "{\"job_id\":") + std::to_string(job) +
            ",\"cpus\":1,\"paused\":false,\"suspended\":false}";
  EXPECT_FALSE(parse_desired(many + "]}"));
  EXPECT_FALSE(parse_desired(std::string(1 << 20, '[')));
}

TEST(Protocol, ReportsComeThroughAsTheyWere) {
  AgentReport report;
  report.node = "n1";
  report.applied = {3, 4};
  report.jobs = {{7, 1.25, 300, 20}, {8, 0, 0, 0, 5}};
  report.errors = {{7, "no group"}, {0, "disk \"full\""}};
  report.swap_total_mib = 4096;
  report.swap_free_mib = 17;
  const auto again = parse_report(format_report(report));
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->node, "n1");
  EXPECT_EQ(again->applied, report.applied);
  ASSERT_EQ(again->jobs.size(), 2u);
  EXPECT_EQ(again->jobs[0].cpu_seconds, 1.25);
  EXPECT_EQ(again->jobs[0].memory_mib, 300u);
  EXPECT_EQ(again->jobs[0].swap_mib, 20u);
  EXPECT_EQ(again->jobs[0].swap_left_mib, std::nullopt);
  EXPECT_EQ(again->jobs[1].swap_left_mib, 5u);
  ASSERT_EQ(again->errors.size(), 2u);
  EXPECT_EQ(again->errors[1].message, "disk \"full\"");
  EXPECT_EQ(again->swap_total_mib, 4096u);
  EXPECT_EQ(again->swap_free_mib, 17u);
  for (const char* const bad : {"", "[]", "{}", "{\"version\":1}", "5"}) EXPECT_FALSE(parse_report(bad)) << bad;
}

TEST(Protocol, StaleAnswersNameTheStateThatHolds) {
  const auto have = parse_stale(format_stale({5, 6}, {4, 9}));
  ASSERT_TRUE(have) << have.error();
  EXPECT_EQ(*have, (StateOrder{5, 6}));
  EXPECT_THAT(format_stale({5, 6}, {4, 9}), HasSubstr("4.9 is not newer than 5.6"));
  EXPECT_FALSE(parse_stale("{\"error\":\"x\"}"));
  EXPECT_FALSE(parse_stale("x"));
}

}  // namespace
}  // namespace dfrs::shim
