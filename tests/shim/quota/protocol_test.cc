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
  report.measured_ago = 0.75;
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
  EXPECT_EQ(again->measured_ago, 0.75);
  for (const char* const bad : {"", "[]", "{}", "{\"version\":1}", "5"}) EXPECT_FALSE(parse_report(bad)) << bad;
}

// A desired state of one job with these further members.
std::string one_job(const std::string& members) {
  return R"({"version":1,"node":"n","epoch":1,"sequence":2,"jobs":[{"job_id":9,"cpus":1,"paused":false,"suspended":false)" +
         members + "}]}";
}

// A report of one job with this value of the member `checkpoint`.
std::string one_use(const std::string& checkpoint) {
  return R"({"version":1,"node":"n","epoch":1,"sequence":2,"errors":[],"swap_total_mib":0,"swap_free_mib":0,)"
         R"("jobs":[{"job_id":9,"cpu_seconds":1,"memory_mib":2,"swap_mib":3,"checkpoint":)" +
         checkpoint + "}]}";
}

TEST(Protocol, CheckpointsComeThroughAsTheyWere) {
  DesiredState state{"n1", {1, 2}, {{7, 1}, {8, 1}, {9, 1}}};
  state.jobs[0].checkpointable = true;
  state.jobs[0].checkpoint = {
      std::numeric_limits<std::uint64_t>::max(), CheckpointPhase::kDump, 4294967295, 1001, "/scratch/dfrs images", 77};
  state.jobs[1].restoring = true;
  state.jobs[1].checkpoint = {1, CheckpointPhase::kFreeze, 0, 0, "/"};
  state.jobs[2].checkpoint = {2, CheckpointPhase::kResume, 1, 4294967295, "/" + std::string(kMaxFolder - 1, 'x')};
  const auto desired = parse_desired(format_desired(state));
  ASSERT_TRUE(desired) << desired.error();
  EXPECT_EQ(*desired, state);

  using enum CheckpointState;
  AgentReport report;
  report.node = "n1";
  for (const CheckpointState each : {kAble, kUnable, kFrozen, kDumped, kFailed, kResumed, kRestored, kPreDumping}) {
    report.jobs.push_back({static_cast<std::uint32_t>(report.jobs.size() + 1), 1, 2, 3});
    report.jobs.back().checkpoint = {report.jobs.size(), each, "holds a TCP connection to 10.0.0.1:443", 1ULL << 40,
                                     1.5};
  }
  report.jobs.push_back({99, 1, 2, 3});
  report.jobs.back().checkpoint = {0, kUnable, std::string(kMaxMessage, 'x'), 0, 0};
  report.jobs.push_back({99, 1, 2, 3});
  report.jobs.back().checkpoint = {4, kDumped, "", 7, 0.5, 12};
  report.jobs.push_back({100, 1, 2, 3});
  const auto again = parse_report(format_report(report));
  ASSERT_TRUE(again) << again.error();
  ASSERT_EQ(again->jobs.size(), report.jobs.size());
  for (std::size_t job = 0; job < report.jobs.size(); ++job)
    EXPECT_EQ(again->jobs[job].checkpoint, report.jobs[job].checkpoint) << job;
  EXPECT_EQ(again->jobs.back().checkpoint, std::nullopt);
}

// The words are a part of the protocol: agents and controllers of other versions know these.
TEST(Protocol, CheckpointsHaveTheseWords) {
  const auto phase = [](const std::string& word) {
    const auto state = parse_desired(one_job(R"(,"checkpointable":true,"checkpoint":{"attempt":3,"phase":")" + word +
                                             R"(","restarts":1,"uid":5,"folder":"/c","later":"ignored"})"));
    EXPECT_TRUE(state) << state.error();
    EXPECT_TRUE(state->jobs[0].checkpointable);
    return state->jobs[0].checkpoint.value();
  };
  EXPECT_EQ(phase("freeze"), (CheckpointOrder{3, CheckpointPhase::kFreeze, 1, 5, "/c"}));
  EXPECT_EQ(phase("dump").phase, CheckpointPhase::kDump);
  EXPECT_EQ(phase("resume").phase, CheckpointPhase::kResume);

  const std::vector<std::pair<std::string, CheckpointState>> states{
      {"able", CheckpointState::kAble},         {"unable", CheckpointState::kUnable},
      {"frozen", CheckpointState::kFrozen},     {"dumped", CheckpointState::kDumped},
      {"failed", CheckpointState::kFailed},     {"resumed", CheckpointState::kResumed},
      {"restored", CheckpointState::kRestored}, {"pre-dumping", CheckpointState::kPreDumping}};
  for (const auto& [word, expected] : states) {
    const auto report = parse_report(
        one_use(R"({"attempt":3,"state":")" + word + R"(","reason":"r","bytes":7,"seconds":0.5,"later":1})"));
    ASSERT_TRUE(report) << report.error();
    EXPECT_EQ(report->jobs[0].checkpoint, (CheckpointReport{3, expected, "r", 7, 0.5}));
    EXPECT_EQ(name_of(expected), word);
  }
}

TEST(Protocol, OlderSidesSayNothingAboutCheckpoints) {
  const auto state = parse_desired(one_job(""));
  ASSERT_TRUE(state) << state.error();
  EXPECT_FALSE(state->jobs[0].checkpointable);
  EXPECT_FALSE(state->jobs[0].checkpoint);
  // Nor does this side, unless there is something to say.
  EXPECT_EQ(format_desired(*state).find("checkpoint"), std::string::npos);
  const auto report = parse_report(one_use("null"));
  ASSERT_TRUE(report) << report.error();
  EXPECT_FALSE(report->jobs[0].checkpoint);
  EXPECT_EQ(format_report(*report).find("checkpoint"), std::string::npos);
}

TEST(Protocol, BadCheckpointsAreRefusedByName) {
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::string order = R"({"attempt":3,"phase":"dump","restarts":1,"uid":5,"folder":"/c"})";
  const std::vector<std::pair<std::string, std::string>> orders{
      {"7", "checkpoint."},
      {with(order, "3", "0"), "checkpoint.attempt: expected a whole number from 1"},
      {with(order, "3", "1.5"), "checkpoint.attempt"},
      {with(order, "\"dump\"", "\"thaw\""), "checkpoint.phase: expected one of freeze, dump, resume, not \"thaw\""},
      {with(order, "\"dump\"", "1"), "checkpoint.phase: expected one of freeze, dump, resume, not 1"},
      {with(order, "\"phase\":\"dump\",", ""), "checkpoint.phase: expected to be there"},
      {with(order, "\"restarts\":1", "\"restarts\":-1"), "checkpoint.restarts"},
      {with(order, "\"uid\":5", "\"uid\":4294967296"), "checkpoint.uid"},
      {with(order, "/c", "c"), "checkpoint.folder: expected an absolute path"},
      {with(order, "/c", ""), "checkpoint.folder: expected an absolute path"},
      {with(order, "/c", "/c\\u0000d"), "checkpoint.folder: expected an absolute path"},
      {with(order, "/c", "/" + std::string(kMaxFolder, 'x')), "checkpoint.folder: expected a string of at most 512"}};
  ASSERT_TRUE(parse_desired(one_job(",\"checkpoint\":" + order)));
  for (const auto& [text, expected] : orders) {
    const auto state = parse_desired(one_job(",\"checkpoint\":" + text));
    ASSERT_FALSE(state) << text;
    EXPECT_THAT(state.error(), HasSubstr("desired state: jobs[0]." + expected)) << text;
  }
  EXPECT_FALSE(parse_desired(one_job(",\"checkpointable\":1")));

  const std::string report = R"({"attempt":3,"state":"dumped","reason":"","bytes":7,"seconds":1})";
  const std::vector<std::pair<std::string, std::string>> reports{
      {"[]", "checkpoint."},
      {with(report, "3", "-3"), "checkpoint.attempt"},
      {with(report, "dumped", "melted"),
       "checkpoint.state: expected one of able, unable, frozen, dumped, failed, "
       "resumed, restored, pre-dumping, not \"melted\""},
      {with(report, "\"reason\":\"\"", "\"reason\":5"), "checkpoint.reason"},
      {with(report, "\"\"", "\"" + std::string(kMaxMessage + 1, 'x') + "\""), "checkpoint.reason"},
      {with(report, "7", "18446744073709551616"), "checkpoint.bytes"},
      {with(report, "\"seconds\":1", "\"seconds\":-1"), "checkpoint.seconds"}};
  ASSERT_TRUE(parse_report(one_use(report)));
  for (const auto& [text, expected] : reports) {
    const auto parsed = parse_report(one_use(text));
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error(), HasSubstr("report: jobs[0]." + expected)) << text;
  }
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
