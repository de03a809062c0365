// SPDX-License-Identifier: GPL-2.0-or-later
// What the record of a live run says about its jobs: hand-written records, as a controller would write them.
#include "sim/workload/recorded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/errors.h"
#include "sim/workload/trace_file.h"
#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHeader =
    R"({"dfrs-record":1,"version":"0.1.0","algorithm":"GreedyPM*/per/OPT=MIN/MINVT=600","period":100,"priority_floor":0,)"
    R"("ticks_apart":true,"pass_per_event":false,"pack_tasks":false})"
    "\n";
const std::string kNothing = R"("decisions":{"placements":[],"yields":[],"wake_at":"inf"}})";

std::string step(const std::string& members, const std::string& decisions = kNothing) {
  return "{" + members + "," + decisions + "\n";
}

const std::string kCluster = R"("rigid_dims":1,"node_count":3,"nodes":[[0,2,1,[1000],true],[2,1,0.5,[1000],false]])";

Result<RecordedRun> try_read(const std::string& text) {
  record::RecordReader reader(record::lines_of(text), "r");
  return read_recorded_run(reader, "r");
}
RecordedRun read(const std::string& text) { return or_throw(try_read(text)); }

// Started at 1010, at yield 0.5 from there, gone at 1050: 20 s of virtual time in 45 s.
TEST(Recorded, AJobFromItsSubmissionToItsEnd) {
  const RecordedRun run =
      read(kHeader +
           step(R"("t":1005,)" + kCluster +
                    R"(,"slots":1,"estimates":1,"jobs":[{"slot":0,"id":17,"state":"waiting","tasks":2,"cpu_need":0.25,)"
                    R"("rigid":[100],"submit":1005,"estimate":60}],"events":[["resync"],["submitted",0]])",
                R"("decisions":{"placements":[["start",0,[0,1]]],"yields":[[0,0.5]],"wake_at":1100}})") +
           step(R"("t":1010,"jobs":[{"slot":0,"state":"running","clock":[0,1010,0.5],"yield":0.5,"nodes":[0,1]}])",
                R"("decisions":{"placements":[["migrate",0,[0,0]]],"yields":[],"wake_at":1100}})") +
           step(R"("t":1050,"jobs":[{"slot":0,"state":"absent","nodes":[]}],"events":[["completed",0]])"));
  ASSERT_EQ(run.instance.jobs.size(), 1U);
  const Job& job = run.instance.jobs[0];
  EXPECT_EQ(run.origin, 1000) << "a multiple of the period, so that ticks fall where they fell";
  EXPECT_EQ(job.id, 17U);
  EXPECT_EQ(job.submit, 5);
  EXPECT_EQ(job.tasks, 2);
  EXPECT_EQ(job.cpu_need, 0.25);
  EXPECT_EQ(job.rigid[kMemory], 100);
  EXPECT_EQ(job.run_time, 20);
  EXPECT_EQ(job.estimate, 60);
  EXPECT_EQ(run.measured.jobs[0].start, 5);
  EXPECT_EQ(run.measured.jobs[0].end, 50);
  EXPECT_EQ(run.measured.jobs[0].moves, 1U);
  EXPECT_EQ(run.instance.platform.nodes.size(), 2U) << "the third was never usable";
  EXPECT_THAT(run.notes, ElementsAre());
  EXPECT_NO_THROW(or_throw(parse_traces(or_throw(format_trace(run.instance)), "written")));
}

// The host may stop a job's clock at its end, before the step that reports it; or forget the clock altogether.
TEST(Recorded, TheClockAtTheEnd) {
  const std::string begin =
      kHeader +
      step(R"("t":0,)" + kCluster +
           R"(,"slots":1,"jobs":[{"slot":0,"id":1,"state":"running","clock":[5,0,1],"yield":1,"nodes":[0]}])");
  const auto run_time = [&](const std::string& clock) {
    return read(begin + step(R"("t":50,"jobs":[{"slot":0,"state":"absent")" + clock +
                             R"(,"nodes":[]}],"events":[["completed",0]])"))
        .instance.jobs[0]
        .run_time;
  };
  EXPECT_EQ(run_time(""), 55);
  EXPECT_EQ(run_time(R"(,"clock":[45,40,0])"), 45);
  EXPECT_EQ(run_time(R"(,"clock":[0,0,0])"), 55);
}

TEST(Recorded, WhatIsLeftOutIsSaid) {
  const RecordedRun run = read(
      kHeader +
      step(R"("t":0,)" + kCluster +
           R"(,"slots":6,"jobs":[)"
           R"({"slot":0,"id":1,"state":"running","clock":[0,0,1],"yield":1,"nodes":[0],"eligible":"0-1"},)"
           R"({"slot":1,"id":2,"state":"running","clock":[0,0,1],"yield":1,"nodes":[0],"flags":["exclusive"]},)"
           R"({"slot":2,"id":3,"state":"waiting"},{"slot":3,"id":4,"state":"waiting"},)"
           R"({"slot":4,"id":5,"state":"running","clock":[0,0,1],"yield":1,"nodes":[1]},)"
           R"({"slot":5,"id":6,"state":"waiting"}])") +
      // 1 ends; 3 is cancelled while it waits; 4 vanishes and 5 ends across a resync, in which a node changes; 2 stays.
      step(R"("t":10,"jobs":[{"slot":0,"state":"absent","nodes":[]},{"slot":2,"state":"absent"}],)"
           R"("events":[["completed",0],["completed",2]])") +
      step(R"("t":20,"nodes":[[2,1,0.5,[2000],true]],"jobs":[{"slot":3,"state":"absent"},)"
           R"({"slot":4,"state":"absent","nodes":[]}],"events":[["resync"]])") +
      step(R"("t":30,"nodes":[[2,1,0.5,[2000],false]])"));
  EXPECT_EQ(run.instance.jobs.size(), 2U);
  EXPECT_EQ(run.instance.jobs[1].id, 5U);
  EXPECT_EQ(run.instance.jobs[1].run_time, 20) << "what ran before a resync and is gone after it has ended";
  EXPECT_THAT(run.notes,
              ElementsAre(HasSubstr("2 jobs that had not completed"), HasSubstr("1 job that left without having run"),
                          HasSubstr("1 job that left while it waited"), HasSubstr("2 jobs were submitted before"),
                          HasSubstr("1 job could use some nodes only"), HasSubstr("1 job could not be paused"),
                          HasSubstr("nodes came, went or changed")));
  EXPECT_EQ(run.instance.platform.nodes.size(), 3U);
  EXPECT_EQ(run.instance.platform.nodes[2].rigid[kMemory], 2000);
}

// Slots are reused and, in a new epoch of job numbers, so are numbers.
TEST(Recorded, SlotsAndNumbersUsedAgain) {
  const auto submit_and_end = [](int t, const std::string& first) {
    return step(R"("t":)" + std::to_string(t) + first + R"("jobs":[{"slot":0,"id":9,"state":"waiting","submit":)" +
                    std::to_string(t) + R"(}],"events":[["submitted",0]])",
                R"("decisions":{"placements":[["start",0,[0]]],"yields":[[0,1]],"wake_at":"inf"}})") +
           step(R"("t":)" + std::to_string(t + 1) + R"(,"jobs":[{"slot":0,"state":"running","clock":[0,)" +
                std::to_string(t) + R"(,1],"yield":1,"nodes":[0]}])") +
           step(R"("t":)" + std::to_string(t + 7) +
                R"(,"jobs":[{"slot":0,"state":"absent","nodes":[]}],"events":[["completed",0]])");
  };
  const RecordedRun run =
      read(kHeader + submit_and_end(10, "," + kCluster + R"(,"slots":1,)") + submit_and_end(20, ","));
  ASSERT_EQ(run.instance.jobs.size(), 2U);
  EXPECT_EQ(run.instance.jobs[0].id, 9U);
  EXPECT_EQ(run.instance.jobs[1].id, 10U);
  EXPECT_EQ(run.instance.jobs[1].run_time, 7);
  EXPECT_THAT(run.notes, ElementsAre(HasSubstr("new number")));
}

TEST(Recorded, NothingToSimulate) {
  EXPECT_EQ(code_of(try_read(kHeader + step(R"("t":0,)" + kCluster))), kExitInput);
  EXPECT_EQ(code_of(try_read("x\n")), kExitInput);
}

}  // namespace
}  // namespace dfrs::sim
