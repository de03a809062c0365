// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/timeline/collector.h"

#include <gtest/gtest.h>

#include <array>

#include "sim/timeline/export.h"

namespace dfrs::sim {
namespace {

using timeline::Schedule;
using timeline::StayBegin;
using timeline::StayEnd;

// One node, one slot at least; a test changes what the view shows between steps.
struct Host {
  std::array<NodeView, 2> nodes{};
  std::vector<JobView> jobs = std::vector<JobView>(2);
  ScheduleCollector collector{"X"};
  std::array<NodeIndex, 1> first{0};
  std::array<NodeIndex, 1> second{1};

  void show(JobSlot slot, JobId id, JobState state, std::span<const NodeIndex> at = {}) {
    jobs[slot].id = id;
    jobs[slot].state = state;
    jobs[slot].nodes = at;
  }
  void step(Seconds now, std::vector<Event> events, Decisions decisions = {}) {
    collector.on_step(ClusterView{now, nodes, jobs, 1}, events, decisions);
  }
  static Decisions decided(DecisionKind kind, JobSlot job, std::vector<NodeIndex> at, double yield = 0) {
    Decisions out;
    out.placements.push_back({kind, job, 0, static_cast<std::uint32_t>(at.size())});
    out.nodes = std::move(at);
    if (yield > 0) out.yields.push_back({job, yield});
    return out;
  }
};

TEST(ScheduleCollector, KeepsStaysWithPenaltiesAndYields) {
  Host host;
  host.jobs[0].user = 12;
  host.show(0, 7, JobState::waiting);
  host.step(10, {{EventKind::submitted, 0}}, Host::decided(DecisionKind::start, 0, {0}, 1.0));
  host.show(0, 7, JobState::running, host.first);
  host.jobs[0].clock = {0, 10, 1};
  host.step(30, {}, Host::decided(DecisionKind::pause, 0, {}));
  host.show(0, 7, JobState::paused);
  host.jobs[0].clock = {20, 30, 0};
  host.step(50, {}, Host::decided(DecisionKind::resume, 0, {1}, 0.5));
  host.show(0, 7, JobState::running, host.second);
  host.jobs[0].clock = {20, 350, 0.5};
  Decisions faster;
  faster.yields.push_back({0, 1.0});
  host.step(400, {}, faster);
  host.jobs[0].clock = {45, 400, 1};
  host.step(450, {{EventKind::completed, 0}});

  const Schedule schedule = host.collector.finish();
  ASSERT_EQ(schedule.jobs.size(), 1U);
  EXPECT_EQ(schedule.jobs[0].end, 450);
  EXPECT_EQ(schedule.jobs[0].user, 12u);
  ASSERT_EQ(schedule.stays.size(), 2U);
  EXPECT_EQ(schedule.stays[0].begin, StayBegin::start);
  EXPECT_EQ(schedule.stays[0].end, StayEnd::paused);
  EXPECT_EQ(schedule.stays[0].to, 30);
  EXPECT_EQ(schedule.stays[0].served, 10);
  EXPECT_EQ(schedule.stays[1].begin, StayBegin::resume);
  EXPECT_EQ(schedule.stays[1].served, 350);
  EXPECT_EQ(schedule.nodes_of(schedule.stays[1])[0], 1U);
  ASSERT_EQ(schedule.stays[1].step_count, 2U);
  EXPECT_EQ(schedule.steps_of(schedule.stays[1])[1].at, 400);
}

TEST(ScheduleCollector, TakesAMeasuredClockForNoPenalty) {
  Host host;
  host.show(0, 7, JobState::waiting);
  host.step(0, {{EventKind::submitted, 0}}, Host::decided(DecisionKind::start, 0, {0}, 1.0));
  host.show(0, 7, JobState::running, host.first);
  host.jobs[0].clock = {18, 20, 1};  // set at 20, with 18 s of progress
  host.step(30, {{EventKind::completed, 0}});
  const Schedule schedule = host.collector.finish();
  ASSERT_EQ(schedule.stays.size(), 1U);
  EXPECT_EQ(schedule.stays[0].served, 0);
}

TEST(ScheduleCollector, TellsJobsOfOneSlotApart) {
  Host host;
  host.show(0, 7, JobState::waiting);
  host.step(0, {{EventKind::submitted, 0}}, Host::decided(DecisionKind::start, 0, {0}, 1.0));
  host.show(0, 7, JobState::running, host.first);
  host.step(5, {{EventKind::completed, 0}});
  host.show(0, 8, JobState::waiting);
  host.step(6, {{EventKind::submitted, 0}}, Host::decided(DecisionKind::start, 0, {1}, 1.0));
  host.show(0, 8, JobState::running, host.second);
  host.step(9, {});

  const Schedule schedule = host.collector.finish();
  ASSERT_EQ(schedule.jobs.size(), 2U);
  EXPECT_EQ(schedule.jobs[0].id, 7U);
  EXPECT_EQ(schedule.jobs[1].id, 8U);
  EXPECT_LT(schedule.jobs[1].end, 0);
  ASSERT_EQ(schedule.stays.size(), 2U);
  EXPECT_EQ(schedule.stays[1].job, 1U);
  EXPECT_EQ(schedule.stays[1].end, StayEnd::open);
  EXPECT_EQ(schedule.stays[1].to, 9);
}

TEST(ScheduleCollector, TakesOverWhatAResyncShows) {
  Host host;
  host.show(0, 7, JobState::waiting);
  host.step(0, {{EventKind::submitted, 0}}, Host::decided(DecisionKind::start, 0, {0}, 1.0));
  // The start failed, and a job runs that no step has started.
  host.show(0, 7, JobState::waiting);
  host.show(1, 9, JobState::running, host.second);
  host.jobs[1].yield = 0.5;
  host.step(20, {{EventKind::resync, kNoSlot}});

  const Schedule schedule = host.collector.finish();
  ASSERT_EQ(schedule.stays.size(), 2U);
  EXPECT_EQ(schedule.stays[0].end, StayEnd::paused);
  EXPECT_EQ(schedule.stays[0].to, 20);
  EXPECT_EQ(schedule.stays[1].begin, StayBegin::already);
  EXPECT_EQ(schedule.steps_of(schedule.stays[1])[0].yield, 0.5);
}

TEST(EvalysCsv, WritesARowPerStay) {
  Schedule schedule;
  schedule.jobs.push_back({.id = 17, .submit = 5, .end = 100, .tasks = 4});
  schedule.nodes = {0, 1, 2, 5, 3, 3};
  schedule.stays.push_back({.from = 10, .served = 10, .to = 40, .end = StayEnd::paused, .node_count = 4});
  schedule.stays.push_back({.from = 60,
                            .served = 60,
                            .to = 100,
                            .begin = StayBegin::resume,
                            .end = StayEnd::completed,
                            .first_node = 4,
                            .node_count = 2});
  const std::string text = evalys_csv(schedule, "program: p\nrepeat with: a, b");
  EXPECT_NE(text.find("\n17,dfrs,4,5,4,-1,0,COMPLETED_KILLED,10,30,40,5,35,"), std::string::npos) << text;
  EXPECT_NE(text.find(",0-2 5,-1,\"program: p; repeat with: a, b\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n17#2,dfrs,4,5,1,-1,1,COMPLETED_SUCCESSFULLY,60,40,100,55,95,2.375,3,-1,\n"), std::string::npos)
      << text;
}

// Job 1 holds two tasks of node 0 from 0 to 30, job 2 comes beside it at 10, and job 3 takes its lane at 30.
TEST(PajeTrace, PutsJobsThatShareANodeIntoLanes) {
  Schedule schedule;
  schedule.begin = 0;
  schedule.end = 50;
  schedule.node_cpu = {1, 1};
  schedule.jobs = {{.id = 1}, {.id = 2}, {.id = 3}};
  schedule.nodes = {0, 0, 0, 0, 1};
  schedule.stays = {{.job = 0, .from = 0, .to = 30, .first_node = 0, .node_count = 2},
                    {.job = 1, .from = 10, .to = 40, .first_node = 2, .node_count = 1},
                    {.job = 2, .from = 30, .to = 50, .first_node = 3, .node_count = 2}};
  const std::string text = paje_trace(schedule, "program: p\nsource: s");
  EXPECT_EQ(text.find("# program: p\n# source: s\n%EventDef"), 0U);
  EXPECT_EQ(text.substr(text.find("2 0 cluster C")),
            "2 0 cluster C 0 cluster\n2 0 n0 N cluster \"node 0\"\n2 0 n1 N cluster \"node 1\"\n"
            "2 0 n0l0 L n0 \"0\"\n4 0 J n0l0 idle\n2 0 n0l1 L n0 \"1\"\n4 0 J n0l1 idle\n"
            "2 0 n1l0 L n1 \"0\"\n4 0 J n1l0 idle\n"
            "4 0 J n0l0 \"job 1\"\n4 10 J n0l1 \"job 2\"\n4 30 J n0l0 idle\n4 30 J n0l0 \"job 3\"\n"
            "4 30 J n1l0 \"job 3\"\n4 40 J n0l1 idle\n4 50 J n0l0 idle\n4 50 J n1l0 idle\n"
            "3 50 L n0l0\n3 50 L n0l1\n3 50 L n1l0\n3 50 N n0\n3 50 N n1\n3 50 C cluster\n");
}

}  // namespace
}  // namespace dfrs::sim
