// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/batch/options.h"
#include "policy/rr7659/options.h"
#include "policy/triage/options.h"
#include "tests/sim/io/compressed.h"
#include "tests/sim/temporary_folder.h"

namespace dfrs::record {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kHeader =
    R"({"dfrs-record":2,"version":"0.1.0","algorithm":"EASY","options":{"batch":{"pass_per_event":true},)"
    R"("rr7659":{"period":600,"priority_floor":30,"ticks_apart":false},"triage":{"penalty":100}},)"
    R"("host":{"penalty":12.5,"keeps_work":false,"min_progress":7,"max_lost_runs":2}})"
    "\n";
const std::string kHeader1 =
    R"({"dfrs-record":1,"version":"0.1.0","algorithm":"EASY","period":600,"priority_floor":30,"ticks_apart":false,)"
    R"("pass_per_event":true,"pack_tasks":true})"
    "\n";
const std::string kFirst =
    R"({"t":10,"rigid_dims":1,"node_count":3,"nodes":[[0,2,1,[1000],true],[2,1,0.5,[500],false]],"slots":2,"estimates":2,)"
    R"("jobs":[{"slot":0,"id":17,"state":"running","flags":["may_not_move"],"tasks":2,"cpu_need":0.25,"rigid":[100],)"
    R"("submit":5,"eligible":"0-1","clock":[1,10,0.5],"yield":0.5,"nodes":[0,1],"estimate":60}],)"
    R"("events":[["resync"]],"decisions":{"placements":[],"yields":[[0,1]],"wake_at":"inf"}})"
    "\n";
const std::string kSecond =
    R"({"t":11,"nodes":[[2,1,0.5,[500],true]],"jobs":[{"slot":0,"clock":[1.5,11,1],"yield":1},)"
    R"({"slot":1,"id":18,"state":"waiting","submit":11,"estimate":"inf"}],"events":[["submitted",1]],)"
    R"("error":{"code":"internal","message":"oops"}})"
    "\n";

// Reads a step; false at the end. An error fails the test.
bool next(RecordReader& reader) {
  const auto more = reader.next();
  EXPECT_TRUE(more.has_value()) << more.error().message;
  return more && *more;
}

TEST(RecordReader, ReadsWhatTheLinesSay) {
  const std::string text = kHeader + kFirst + kSecond;
  RecordReader reader(lines_of(text), "r");
  ASSERT_TRUE(next(reader));
  EXPECT_TRUE(reader.new_engine());
  EXPECT_EQ(reader.line(), 2U);
  EXPECT_EQ(reader.version(), "0.1.0");
  EXPECT_EQ(reader.setup().algorithm, "EASY");
  EXPECT_TRUE(reader.setup().options.of<BatchOptions>().pass_per_event);
  EXPECT_FALSE(reader.setup().options.of<BatchOptions>().pack_tasks) << "what is not said is the default";
  EXPECT_EQ(reader.setup().options.of<DfrsOptions>().priority_floor, 30);
  EXPECT_FALSE(reader.setup().options.of<DfrsOptions>().ticks_apart);
  EXPECT_EQ(reader.setup().options.of<TriageOptions>().penalty, 100);
  EXPECT_EQ(reader.setup().host, (HostRules{12.5, 0, 0, PauseWorld::all(PauseEffect::lost), 7, 2}));
  {
    const ClusterView view = reader.view();
    EXPECT_EQ(view.now, 10);
    ASSERT_EQ(view.nodes.size(), 3U);
    EXPECT_EQ(view.nodes[1].spec.rigid[kMemory], 1000);
    EXPECT_EQ(view.nodes[2].spec.cpu, 0.5);
    EXPECT_FALSE(view.nodes[2].usable);
    ASSERT_EQ(view.jobs.size(), 2U);
    const JobView& job = view.jobs[0];
    EXPECT_EQ(job.id, 17U);
    EXPECT_EQ(job.state, JobState::running);
    EXPECT_TRUE(job.flags.may_not_move);
    EXPECT_FALSE(job.flags.may_not_pause);
    EXPECT_EQ(job.clock.at(12), 2);
    EXPECT_THAT(std::vector<NodeIndex>(job.nodes.begin(), job.nodes.end()), ::testing::ElementsAre(0, 1));
    ASSERT_NE(job.eligible, nullptr);
    EXPECT_TRUE(job.eligible->contains(1));
    EXPECT_FALSE(job.eligible->contains(2));
    EXPECT_EQ(reader.estimates().run_time[0], 60);
    ASSERT_EQ(reader.events().size(), 1U);
    EXPECT_EQ(reader.events()[0].kind, EventKind::resync);
    ASSERT_TRUE(reader.outcome().has_value());
    EXPECT_EQ((*reader.outcome())->wake_at, kNever);
  }
  ASSERT_TRUE(next(reader));
  EXPECT_FALSE(reader.new_engine());
  EXPECT_TRUE(reader.view().nodes[2].usable);
  EXPECT_EQ(reader.view().jobs[0].clock.base, 1.5);
  EXPECT_EQ(reader.view().jobs[0].tasks, 2U) << "what is not said stays";
  EXPECT_EQ(reader.view().jobs[1].id, 18U);
  EXPECT_EQ(reader.estimates().run_time[1], kNever);
  ASSERT_FALSE(reader.outcome().has_value());
  EXPECT_EQ(reader.outcome().error().message, "oops");
  EXPECT_FALSE(next(reader));
  EXPECT_FALSE(reader.cut_off());
}

TEST(RecordReader, Format1) {
  std::string text = kHeader1 + kFirst;
  RecordReader reader(lines_of(text), "r");
  ASSERT_TRUE(next(reader));
  const EngineOptions& options = reader.setup().options;
  EXPECT_TRUE(options.of<BatchOptions>().pass_per_event);
  EXPECT_TRUE(options.of<BatchOptions>().pack_tasks);
  EXPECT_EQ(options.of<DfrsOptions>().priority_floor, 30);
  EXPECT_FALSE(options.of<DfrsOptions>().ticks_apart);
  EXPECT_FALSE(reader.setup().host);
  EXPECT_FALSE(reader.setup().lacks_triage_options);
  text.replace(text.find("EASY"), 4, "Triage");
  text.replace(text.find("\"placements\":[]"), 15, R"("placements":[["migrate",0,[0,1]]])");
  RecordReader triage(lines_of(text), "r");
  ASSERT_TRUE(next(triage));
  EXPECT_TRUE(triage.setup().lacks_triage_options);
  EXPECT_EQ((*triage.outcome())->placements.at(0).kind, DecisionKind::move);
}

// The message of the error to which reading `text` leads.
std::string error_of(const std::string& text) {
  RecordReader reader(lines_of(text), "r.jsonl");
  for (;;) {
    const auto more = reader.next();
    if (!more) {
      EXPECT_FALSE(more.error().unreadable);
      return more.error().message;
    }
    if (!*more) break;
  }
  ADD_FAILURE() << "accepted: " << text;
  return "";
}

// kFirst, changed.
std::string first_with(const std::string& what, const std::string& by) {
  std::string text = kFirst;
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return kHeader + text.replace(at, what.size(), by);
}

std::string header_with(const std::string& what, const std::string& by) {
  std::string text = kHeader;
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(RecordReader, WeightsCostsAndChangedNeeds) {
  const std::string more =
      R"({"t":11,"jobs":[{"slot":0,"cpu_need":0.125,"weight":2,"penalty":[12.5,-1],"pauses":"lost","lost_runs":2,"longest_run":7.5}],"events":[["changed",0]],)"
      R"("decisions":{"placements":[],"yields":[],"wake_at":"inf"}})"
      "\n";
  const std::string text = kHeader + kFirst + more;
  RecordReader reader(lines_of(text), "r");
  ASSERT_TRUE(next(reader));
  EXPECT_EQ(reader.view().jobs[0].weight, 1);
  EXPECT_EQ(reader.view().jobs[0].penalty, -1);
  ASSERT_TRUE(next(reader));
  const JobView job = reader.view().jobs[0];
  EXPECT_EQ(job.cpu_need, 0.125);
  EXPECT_EQ(job.weight, 2);
  EXPECT_EQ(job.penalty, 12.5);
  EXPECT_EQ(job.move_penalty, -1);
  EXPECT_EQ(job.pauses, Pauses::lost);
  EXPECT_EQ(job.lost_runs, 2U);
  EXPECT_EQ(job.longest_run, 7.5);
  ASSERT_EQ(reader.events().size(), 1U);
  EXPECT_EQ(reader.events()[0].kind, EventKind::changed);
  EXPECT_EQ(reader.events()[0].job, 0U);
}

TEST(RecordReader, ErrorsNameTheLineAndWhatWasExpected) {
  EXPECT_THAT(error_of(""), HasSubstr("r.jsonl:1: no record"));
  EXPECT_THAT(error_of("{\"dfrs-rec"), HasSubstr("no record"));
  EXPECT_THAT(error_of("; dfrs-trace: 1\n"), HasSubstr("r.jsonl:1: not a JSON object"));
  EXPECT_THAT(error_of("[1]\n"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(kFirst), HasSubstr("expected the first line of a record"));
  EXPECT_THAT(error_of("{\"dfrs-record\":3}\n"), HasSubstr("format 3; this program reads formats 1 to 2"));
  EXPECT_THAT(error_of("{\"dfrs-record\":0}\n"), HasSubstr("format 0"));
  EXPECT_THAT(error_of("{\"dfrs-record\":1}\n"), HasSubstr("has no \"version\""));
  EXPECT_THAT(error_of(kHeader + "{}\n"), HasSubstr("r.jsonl:2: a step has no \"t\""));
  EXPECT_THAT(error_of(kHeader + "{\"t\":1}\n"), HasSubstr("has no rigid_dims"));
  EXPECT_THAT(error_of(kHeader + "{\"t\":1,\"rigid_dims\":1}\n"), HasSubstr("either decisions or error"));
  EXPECT_THAT(error_of(kHeader + kFirst + "{broken\n"), HasSubstr("r.jsonl:3: not a JSON object"));
  EXPECT_THAT(error_of(first_with("\"events\"", "\"evnts\"")),
              HasSubstr("unknown member \"evnts\"; did you mean \"events\"?"));
  EXPECT_THAT(error_of(first_with("\"yield\":", "\"yeild\":")), HasSubstr("did you mean \"yield\"?"));
  EXPECT_THAT(error_of(first_with("\"running\"", "\"runing\"")), HasSubstr("did you mean 'running'?"));
  EXPECT_THAT(error_of(first_with("may_not_move", "may_move")), HasSubstr("did you mean 'may_not_move'?"));
  EXPECT_THAT(error_of(first_with("\"resync\"", "\"resynced\"")), HasSubstr("did you mean 'resync'?"));
  EXPECT_THAT(error_of(first_with("[\"resync\"]", "[\"resync\",0]")), HasSubstr("a slot, which it should not"));
  EXPECT_THAT(error_of(first_with("[\"resync\"]", "[\"completed\"]")), HasSubstr("no slot"));
  EXPECT_THAT(error_of(first_with("[\"resync\"]", "[\"completed\",2]")), HasSubstr("from 0 to 1"));
  EXPECT_THAT(error_of(first_with("\"t\":10", "\"t\":\"inf\"")), HasSubstr("t: \"inf\" is not a finite number"));
  EXPECT_THAT(error_of(first_with("\"t\":10", "\"t\":\"10\"")), HasSubstr("t: \"10\" is not a number"));
  EXPECT_THAT(error_of(first_with("\"rigid_dims\":1", "\"rigid_dims\":4")), HasSubstr("from 0 to 3"));
  EXPECT_THAT(error_of(first_with("\"slots\":2", "\"slots\":4000000000")), HasSubstr("slots"));
  EXPECT_THAT(error_of(first_with("\"node_count\":3", "\"node_count\":4000000000")), HasSubstr("node_count"));
  EXPECT_THAT(error_of(first_with("\"node_count\":3", "\"node_count\":4")), HasSubstr("each of the nodes must be"));
  EXPECT_THAT(error_of(first_with("\"slot\":0", "\"slot\":2")), HasSubstr("slot: 2 is not a whole number from 0 to 1"));
  EXPECT_THAT(error_of(first_with("\"tasks\":2", "\"tasks\":0")), HasSubstr("at least 1"));
  EXPECT_THAT(error_of(first_with("\"tasks\":2", "\"tasks\":3")), HasSubstr("a node for each task"));
  EXPECT_THAT(error_of(first_with("\"tasks\":2", "\"tasks\":-2")), HasSubstr("-2"));
  EXPECT_THAT(error_of(first_with("\"cpu_need\":0.25", "\"cpu_need\":0")), HasSubstr("above 0"));
  EXPECT_THAT(error_of(first_with("\"nodes\":[0,1]", "\"nodes\":[0,3]")), HasSubstr("from 0 to 2"));
  EXPECT_THAT(error_of(first_with("\"nodes\":[0,1]", "\"nodes\":[1,0]")), HasSubstr("do not ascend"));
  EXPECT_THAT(error_of(first_with("\"nodes\":[0,1]", "\"nodes\":[]")), HasSubstr("a node for each task"));
  for (const char* bad : {"0-", "-1", "0-3", "0,", "a", "0-1,9", ",", "1 ", "99999999999"}) {
    EXPECT_THAT(error_of(first_with("\"0-1\"", '"' + std::string(bad) + '"')), HasSubstr("eligible: expected")) << bad;
  }
  EXPECT_THAT(error_of(first_with("\"rigid\":[100]", "\"rigid\":[1,2,3,4]")), HasSubstr("list of 1 to 3"));
  EXPECT_THAT(error_of(first_with("\"clock\":[1,10,0.5]", "\"clock\":[1,10]")), HasSubstr("list of 3"));
  EXPECT_THAT(error_of(first_with("\"yields\":[[0,1]]", "\"yields\":[[2,1]]")), HasSubstr("the slot of a yield"));
  EXPECT_THAT(error_of(first_with("\"wake_at\":\"inf\"", "\"wake_at\":null")), HasSubstr("wake_at"));
  EXPECT_THAT(error_of(first_with("\"placements\":[]", "\"placements\":[[\"strat\",0,[]]]")), HasSubstr("'start'"));
  EXPECT_THAT(error_of(kHeader + kFirst +
                       "{\"t\":12,\"node_count\":1,\"nodes\":[[0,1,1,[1],true]],\"decisions\":"
                       "{\"placements\":[],\"yields\":[],\"wake_at\":1}}\n"),
              HasSubstr("job 17 is on node 1, and there are 1"));
  std::string header = kHeader;
  header.replace(header.find("EASY"), 4, "ESAY");
  EXPECT_THAT(error_of(header), HasSubstr("'EASY'"));
  EXPECT_THAT(error_of(header_with(":600", ":0")), HasSubstr("period: expected a finite number above 0"));
  EXPECT_THAT(error_of(header_with("\"period\"", "\"perod\"")),
              HasSubstr("the options of rr7659: unknown member \"perod\"; did you mean \"period\"?"));
  EXPECT_THAT(error_of(header_with("\"triage\"", "\"triag\"")),
              HasSubstr("options: unknown member \"triag\"; did you mean \"triage\"?"));
  EXPECT_THAT(error_of(header_with("\"penalty\":100", "\"penalty\":-1")), HasSubstr("penalty: expected"));
  EXPECT_THAT(error_of(header_with("\"penalty\":100", "\"stretch_power\":0.3")), HasSubstr("a multiple of 0.5"));
  EXPECT_THAT(error_of(header_with("true", "1")), HasSubstr("pass_per_event: 1 is neither true nor false"));
  EXPECT_THAT(error_of(header_with("{\"penalty\":100}", "7")), HasSubstr("expected an object"));
  EXPECT_THAT(error_of(header_with("\"options\"", "\"host\"")), HasSubstr("has no \"options\""));
  EXPECT_THAT(error_of(header_with("\"penalty\":12.5", "\"penalty\":-12.5")), HasSubstr("host: expected"));
  EXPECT_THAT(error_of(header_with("\"keeps_work\"", "\"keep_work\"")), HasSubstr("did you mean \"keeps_work\"?"));
  EXPECT_THAT(error_of(header_with("\"keeps_work\":false", "\"pauses\":\"mixed:2\"")),
              HasSubstr("pauses: 'mixed:2': X, the part"));
}

// What a former option did at its default is what this program does; another value would be another policy.
TEST(RecordReader, OptionsThatAreGoneMustHaveTheirDefaults) {
  const std::string former =
      header_with("\"penalty\":100", "\"penalty\":100,\"margin_new\":1,\"young_loss\":1") + kFirst;
  RecordReader reader(lines_of(former), "r");
  ASSERT_TRUE(next(reader));
  EXPECT_EQ(reader.setup().options.of<TriageOptions>().penalty, 100);
  EXPECT_THAT(error_of(header_with("\"penalty\":100", "\"margin_new\":1.1")),
              HasSubstr("margin_new is 1.1; this program no longer has that option and decides as with 1"));
  EXPECT_THAT(error_of(header_with("\"penalty\":100", "\"young_loss\":\"much\"")), HasSubstr("is not a number"));
  EXPECT_THAT(error_of(header_with("true", "true,\"young_loss\":1")), HasSubstr("unknown member \"young_loss\""));
}

// The host died while writing: the last line is dropped, the rest counts.
TEST(RecordReader, ALastLineThatWasCutIsDropped) {
  const std::string whole = kHeader + kFirst + kSecond;
  for (std::size_t size = kHeader.size() + kFirst.size(); size <= whole.size(); ++size) {
    const std::string text = whole.substr(0, size);
    RecordReader reader(lines_of(text), "r");
    std::size_t steps = 0;
    while (next(reader)) ++steps;
    EXPECT_EQ(steps, size == whole.size() ? 2U : 1U);
    EXPECT_EQ(reader.cut_off(), size != whole.size() && size != kHeader.size() + kFirst.size());
  }
}

TEST(RecordReader, FilesPlainAndCompressedAlsoWithoutTheirEnd) {
  const sim::TemporaryFolder folder;
  const std::string text = kHeader + kFirst + kSecond;
  const auto steps_of = [](const std::string& path, bool cut) {
    RecordReader reader = RecordReader::open(path).value();
    int steps = 0;
    while (next(reader)) ++steps;
    EXPECT_EQ(reader.cut_off(), cut) << path;
    return steps;
  };
  EXPECT_EQ(steps_of(folder.write("plain", text), false), 2);
  const std::string packed = sim::compressed(text, archive_write_add_filter_gzip);
  EXPECT_EQ(steps_of(folder.write("packed.gz", packed), false), 2);
  EXPECT_EQ(steps_of(folder.write("cut", text.substr(0, text.size() - 5)), true), 1);
  const std::string more = sim::compressed(kHeader + kFirst, archive_write_add_filter_gzip) + packed;
  EXPECT_EQ(steps_of(folder.write("two.gz", more), false), 3);
  EXPECT_LE(steps_of(folder.write("cut.gz", more.substr(0, more.size() - 12)), true), 3);
}

TEST(RecordReader, FilesThatCannotBeRead) {
  const sim::TemporaryFolder folder;
  for (const std::string& path : {folder / "missing", folder.path().string()}) {
    const auto opened = RecordReader::open(path);
    ASSERT_FALSE(opened) << path;
    EXPECT_TRUE(opened.error().unreadable);
    EXPECT_THAT(opened.error().message, HasSubstr(path));
  }
}

}  // namespace
}  // namespace dfrs::record
