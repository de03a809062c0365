// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/workload/trace_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/errors.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

constexpr const char* kTrace =
    "; dfrs-trace: 1\n"
    "; Name: two kinds of nodes\n"
    "; Nodes: 2 cpu 1 memory 2048\n"
    "; Nodes: 1 cpu 2.5 memory 8192\n"
    "; any other comment\n"
    "1 0 4 1 204 100 120\n"
    "7 0.5 1 2.5 8192 0 0\n";

TEST(TraceFile, ReadsHeterogeneousNodes) {
  const std::vector<Instance> instances = or_throw(parse_traces(kTrace, "t"));
  ASSERT_EQ(instances.size(), 1u);
  const Instance& instance = instances[0];
  EXPECT_EQ(instance.name, "two kinds of nodes");
  ASSERT_EQ(instance.platform.nodes.size(), 3u);
  EXPECT_EQ(instance.platform.nodes[1], (NodeSpec{1.0, {2048}}));
  EXPECT_EQ(instance.platform.nodes[2], (NodeSpec{2.5, {8192}}));
  ASSERT_EQ(instance.jobs.size(), 2u);
  EXPECT_EQ(instance.jobs[0], (Job{1, 0, 4, 1.0, {204}, 100, 120}));
  EXPECT_EQ(instance.jobs[1], (Job{7, 0.5, 1, 2.5, {8192}, 0, 0}));
}

TEST(TraceFile, WritesTheDocumentedText) {
  EXPECT_EQ(or_throw(format_trace(or_throw(parse_traces(kTrace, "t"))[0])),
            "; dfrs-trace: 1\n"
            "; Name: two kinds of nodes\n"
            "; Nodes: 2 cpu 1 memory 2048\n"
            "; Nodes: 1 cpu 2.5 memory 8192\n"
            "; Fields: id submit tasks cpu_need memory_mib run_time estimate\n"
            "1 0 4 1 204 100 120\n"
            "7 0.5 1 2.5 8192 0 0\n");
}

TEST(TraceFile, ReservedStartsAreAFieldMore) {
  constexpr const char* kReserved =
      "; dfrs-trace: 1\n"
      "; Name: reserved\n"
      "; Nodes: 2 cpu 1 memory 0\n"
      "; Reserved: yes\n"
      "; Fields: id submit tasks cpu_need memory_mib run_time estimate reserved_start\n"
      "1 0 2 1 0 100 120 0\n"
      "2 5 2 1 0 100 120 900.5\n";
  const std::vector<Instance> instances = or_throw(parse_traces(std::string(kReserved) + kTrace, "t"));
  ASSERT_EQ(instances.size(), 2u);
  EXPECT_EQ(instances[0].jobs[0].reserved_start, 0);
  EXPECT_EQ(instances[0].jobs[1].reserved_start, 900.5);
  EXPECT_EQ(instances[1].jobs[0].reserved_start, 0);  // the header line applies to its own instance
  EXPECT_EQ(or_throw(format_trace(instances[0])), kReserved);
  const std::string head = "; dfrs-trace: 1\n; Name: r\n; Nodes: 2 cpu 1 memory 0\n";
  EXPECT_EQ(code_of(parse_traces(head + "; Reserved: no\n1 0 2 1 0 100 120\n", "t")), kExitInput);
  EXPECT_EQ(code_of(parse_traces(head + "; Reserved: yes\n1 0 2 1 0 100 120\n", "t")), kExitInput);
  EXPECT_EQ(code_of(parse_traces(head + "; Reserved: yes\n1 0 2 1 0 100 120 -1\n", "t")), kExitInput);
  EXPECT_EQ(code_of(parse_traces(head + "1 0 2 1 0 100 120\n; Reserved: yes\n", "t")), kExitInput);
}

TEST(TraceFile, MarksAreAFieldMore) {
  constexpr const char* kMarked =
      "; dfrs-trace: 1\n"
      "; Name: marked\n"
      "; Nodes: 2 cpu 1 memory 0\n"
      "; Pauses: yes\n"
      "; Fields: id submit tasks cpu_need memory_mib run_time estimate pauses\n"
      "1 0 2 1 0 100 120 kept\n"
      "2 5 2 1 0 100 120 lost\n"
      "3 5 2 1 0 100 120 none\n"
      "4 5 2 1 0 100 120 -\n"
      "5 5 2 1 0 100 120 suspended\n";
  const std::vector<Instance> instances = or_throw(parse_traces(std::string(kMarked) + kTrace, "t"));
  ASSERT_EQ(instances.size(), 2u);
  EXPECT_EQ(instances[0].jobs[0].pauses, PauseEffect::kept);
  EXPECT_EQ(instances[0].jobs[1].pauses, PauseEffect::lost);
  EXPECT_EQ(instances[0].jobs[2].pauses, PauseEffect::none);
  EXPECT_FALSE(instances[0].jobs[3].pauses);
  EXPECT_EQ(instances[0].jobs[4].pauses, PauseEffect::suspended);
  EXPECT_FALSE(instances[1].jobs[0].pauses);
  EXPECT_EQ(or_throw(format_trace(instances[0])), kMarked);
  const std::string head = "; dfrs-trace: 1\n; Name: r\n; Nodes: 2 cpu 1 memory 0\n";
  EXPECT_THAT(message_of(kExitInput, parse_traces(head + "; Pauses: yes\n1 0 2 1 0 100 120 maybe\n", "t")),
              testing::HasSubstr("pauses is 'maybe', expected kept, suspended, none, lost or -"));
  EXPECT_EQ(code_of(parse_traces(head + "; Pauses: yes\n1 0 2 1 0 100 120\n", "t")), kExitInput);
  EXPECT_EQ(code_of(parse_traces(head + "; Pauses: no\n1 0 2 1 0 100 120\n", "t")), kExitInput);
}

TEST(TraceFile, HoldsSeveralInstances) {
  const std::vector<Instance> twice = or_throw(parse_traces(std::string(kTrace) + "\n" + kTrace, "t"));
  ASSERT_EQ(twice.size(), 2u);
  EXPECT_EQ(twice[0].jobs, twice[1].jobs);
  EXPECT_EQ(twice[0].platform, twice[1].platform);
}

RC_GTEST_PROP(TraceFile, GivesBackWhatWasWritten, ()) {
  Instance instance;
  instance.name = "rc " + std::to_string(*rc::gen::inRange(0, 1000));
  instance.platform.rigid_dims = *rc::gen::inRange<std::size_t>(1, kMaxRigid + 1);
  const auto any_seconds =
      rc::gen::map(rc::gen::pair(rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 52), rc::gen::inRange(0, 50)),
                   [](const auto& p) { return std::ldexp(static_cast<double>(p.first), -p.second - 20); });
  for (int group = *rc::gen::inRange(1, 4); group > 0; --group) {
    NodeSpec node;
    node.cpu = 0.001 * *rc::gen::inRange(1000, 9999);
    for (std::size_t d = 0; d < instance.platform.rigid_dims; ++d)
      node.rigid[d] = *rc::gen::inRange<RigidAmount>(1000, 100000);
    instance.platform.nodes.insert(instance.platform.nodes.end(), *rc::gen::inRange<std::size_t>(1, 5), node);
  }
  double submit = 0;
  for (JobId id = 1, jobs = *rc::gen::inRange<JobId>(2, 20); id < jobs; ++id) {
    Job job;
    job.id = id * 3;
    submit += *any_seconds / 100;
    job.submit = submit;
    job.tasks = *rc::gen::inRange(1, 4);
    job.cpu_need = 1.0 / *rc::gen::inRange(1, 9);
    for (std::size_t d = 0; d < instance.platform.rigid_dims; ++d)
      job.rigid[d] = *rc::gen::inRange<RigidAmount>(0, 300);
    job.run_time = *any_seconds;
    job.estimate = *any_seconds;
    instance.jobs.push_back(job);
  }
  const std::vector<Instance> back = or_throw(parse_traces(or_throw(format_trace(instance)), "rc"));
  RC_ASSERT(back.size() == 1u);
  RC_ASSERT(back[0].name == instance.name);
  RC_ASSERT(back[0].platform == instance.platform);
  RC_ASSERT(back[0].jobs == instance.jobs);
}

TEST(TraceFile, RecognisesItsOwnFormat) {
  EXPECT_TRUE(is_trace_text("\n  ; dfrs-trace: 1\n"));
  EXPECT_TRUE(is_trace_text(";dfrs-trace:2"));
  EXPECT_FALSE(is_trace_text("; Version: 2.2\n; dfrs-trace: 1\n"));
  EXPECT_FALSE(is_trace_text("1 2 3"));
  EXPECT_FALSE(is_trace_text(""));
}

TEST(TraceFile, RefusesNamesThatWouldNotReadBack) {
  Instance instance = or_throw(parse_traces(kTrace, "t"))[0];
  for (const char* name : {"", " a", "a\nb"}) {
    instance.name = name;
    EXPECT_EQ(code_of(format_trace(instance)), kExitUsage) << name;
  }
}

struct BadJob {
  const char* line;
  const char* message;
};

class BadTraceJob : public testing::TestWithParam<BadJob> {};

TEST_P(BadTraceJob, NamesLineAndReason) {
  EXPECT_EQ(message_of(kExitInput, parse_traces(std::string(kTrace) + GetParam().line + "\n", "t")),
            std::string("t:8: ") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BadTraceJob,
    testing::Values(
        BadJob{"8 1 1 1 10 5", "6 fields, expected 7: id submit tasks cpu_need memory run_time estimate"},
        BadJob{"8 1 1 1 10 5 5 5", "8 fields, expected 7: id submit tasks cpu_need memory run_time estimate"},
        BadJob{"-8 1 1 1 10 5 5", "id is '-8', expected 0 to 9223372036854775807"},
        BadJob{"x 1 1 1 10 5 5", "id is 'x', expected an integer"},
        BadJob{"8 -1 1 1 10 5 5", "submit is '-1', expected 0 to 1e+10"},
        BadJob{"8 0.25 1 1 10 5 5",
               "submitted at 0.25, before the job of the line above (0.5); sort the jobs by submit time"},
        BadJob{"8 nan 1 1 10 5 5", "submit is 'nan', expected a number"},
        BadJob{"8 1 0 1 10 5 5", "tasks is '0', expected 1 to 1000000"},
        BadJob{"8 1 1.5 1 10 5 5", "tasks is '1.5', expected an integer"},
        BadJob{"8 1 99999999999999999999 1 10 5 5", "tasks is '99999999999999999999', expected 1 to 1000000"},
        BadJob{"8 1 1 0 10 5 5", "cpu_need is '0', expected 1e-06 to 1e+06"},
        BadJob{"8 1 1 3 10 5 5",
               "job 8 is larger than the machine: a task needs 3 of a node's CPU and the largest node has 2.5"},
        BadJob{"8 1 1 1 -1 5 5", "memory is '-1', expected 0 to 1000000000000"},
        BadJob{"8 1 1 1 8193 5 5",
               "job 8 is larger than the machine: 1 tasks of 8193 MiB each, but only 0 such tasks fit on the machine "
               "at once"},
        BadJob{"8 1 2 1 8000 5 5",
               "job 8 is larger than the machine: 2 tasks of 8000 MiB each, but only 1 such tasks fit on the machine "
               "at once"},
        BadJob{"8 1 1 1 10 -5 5", "run_time is '-5', expected 0 to 1e+10"},
        BadJob{"8 1 1 1 10 5 inf", "estimate is 'inf', expected a number"},
        BadJob{"8 1 1 1 10 5 1e300", "estimate is '1e300', expected 0 to 1e+10"},
        BadJob{"7 1 1 1 10 5 5", "id 7 is already used by an earlier job"},
        BadJob{"; Name: again", "'; Name:' after the first job; header lines come first"},
        BadJob{"; Nodes: 1 cpu 1 memory 1", "'; Nodes:' after the first job; header lines come first"},
        BadJob{"; dfrs-trace: 2", "dfrs-trace version '2', this program reads version 1"}));

class BadTraceNodes : public testing::TestWithParam<BadJob> {};

TEST_P(BadTraceNodes, NamesLineAndReason) {
  EXPECT_EQ(message_of(kExitInput, parse_traces("; dfrs-trace: 1\n; Name: n\n; Nodes: " + std::string(GetParam().line) +
                                                    "\n1 0 1 1 1 1 1\n",
                                                "t")),
            std::string("t:3: ") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BadTraceNodes,
    testing::Values(BadJob{"", "number of nodes missing; expected '; Nodes: COUNT cpu CPU memory MIB'"},
                    BadJob{"0 cpu 1 memory 1", "number of nodes is '0', expected 1 to 1000000"},
                    BadJob{"2 mem 1", "'mem', expected 'cpu' in '; Nodes: COUNT cpu CPU memory MIB'"},
                    BadJob{"2 cpu 0 memory 1", "CPU of a node is '0', expected 1e-06 to 1e+06"},
                    BadJob{"2 cpu 1 memory 1 gpu 2", "'gpu' after the node's resources"},
                    BadJob{"2 cpu 1 memory 1.5", "memory is '1.5', expected an integer"}));

TEST(TraceFile, RefusesWhatIsNotWhole) {
  const auto message = [](const char* text) { return message_of(kExitInput, parse_traces(text, "t")); };
  EXPECT_EQ(message(""), "t: empty; expected '; dfrs-trace: 1'");
  EXPECT_EQ(message("1 2 3\n"), "t:1: a job before '; dfrs-trace: 1'");
  EXPECT_EQ(message("; Name: x\n"), "t:1: '; Name:' before '; dfrs-trace: 1'");
  EXPECT_EQ(message("; dfrs-trace: 1\n; Nodes: 1 cpu 1 memory 1\n1 0 1 1 1 1 1\n"),
            "t:1: the trace that begins here has no '; Name:' line");
  EXPECT_EQ(message("; dfrs-trace: 1\n; Name: x\n1 0 1 1 1 1 1\n"),
            "t:3: a job before '; Nodes: COUNT cpu 1 memory MIB'");
  EXPECT_EQ(message("; dfrs-trace: 1\n; Name: x\n; Nodes: 1 cpu 1 memory 1\n"),
            "t:1: the trace that begins here has no jobs");
  EXPECT_EQ(message("; dfrs-trace: 1\n; Name: x\n; Name: y\n"), "t:3: a second '; Name:' line");
}

// Policies may see whose job it is, so a trace must not lose it.
TEST(TraceFile, UsersAreKept) {
  const std::string text =
      "; dfrs-trace: 1\n; Name: users\n; Nodes: 2 cpu 1 memory 1000\n; Users: yes\n1 0 1 1 10 5 5 7\n2 1 1 1 10 5 5 "
      "0\n";
  const std::vector<Instance> read = or_throw(parse_traces(text, "t"));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].jobs[0].user, 7u);
  EXPECT_EQ(read[0].jobs[1].user, 0u);
  EXPECT_EQ(or_throw(parse_traces(or_throw(format_trace(read[0])), "t"))[0].jobs, read[0].jobs);
  EXPECT_EQ(code_of(parse_traces(
                "; dfrs-trace: 1\n; Name: u\n; Nodes: 2 cpu 1 memory 1000\n; Users: yes\n1 0 1 1 10 5 5\n", "t")),
            kExitInput);
  EXPECT_EQ(code_of(parse_traces(
                "; dfrs-trace: 1\n; Name: u\n; Nodes: 2 cpu 1 memory 1000\n; Users: yes\n1 0 1 1 10 5 5 -1\n", "t")),
            kExitInput);
}

}  // namespace
}  // namespace dfrs::sim
