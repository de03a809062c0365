// SPDX-License-Identifier: GPL-2.0-or-later
// The schedule that is put together from looks at a cluster.
#include "shim/web/live_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace dfrs::shim::web {
namespace {

using testing::ElementsAre;
using timeline::StayBegin;
using timeline::StayEnd;

constexpr double kStart = 1'000'000;

// A cluster as a test sees it: jobs change between looks.
class WebSchedule : public testing::Test {
 protected:
  struct Seen {
    std::string state;
    double yield = 0;
    Json nodes = Json::object();
    int pauses = 0;
    int moves = 0;
    int user = 1000;
    double submit = kStart;
    int tasks = 1;
  };

  static Json nodes() {
    return {{"nodes",
             {{{"node", "a"}, {"cpus", 4}, {"memory_mib", 1000}}, {{"node", "b"}, {"cpus", 8}, {"memory_mib", 2000}}}}};
  }
  void look(double after, const std::map<int, Seen>& jobs) {
    Json told{{"now", kStart + after}, {"algorithm", "Triage"}, {"jobs", Json::array()}};
    for (const auto& [number, job] : jobs) {
      told["jobs"].push_back({{"job", number},
                              {"user_id", job.user},
                              {"state", job.state},
                              {"yield", job.yield},
                              {"submit", job.submit},
                              {"tasks", job.tasks},
                              {"cpus_per_task", 4.0},
                              {"cpu_need", 0.5},
                              {"memory_per_task_mib", 100},
                              {"nodes", job.nodes},
                              {"pauses", job.pauses},
                              {"moves", job.moves}});
    }
    live.update(told, nodes());
  }
  // Each stay of the job: from, to, how it began and ended.
  static std::vector<std::tuple<double, double, StayBegin, StayEnd>> stays(const timeline::Schedule& seen,
                                                                           JobId number) {
    std::vector<std::tuple<double, double, StayBegin, StayEnd>> out;
    for (const timeline::Stay& stay : seen.stays) {
      if (seen.jobs[stay.job].id == number)
        out.emplace_back(stay.from - kStart, stay.to - kStart, stay.begin, stay.end);
    }
    return out;
  }

  LiveSchedule live;
};

TEST_F(WebSchedule, FollowsAJobFromItsStartToItsEnd) {
  look(0, {{7, {"waiting"}}});
  look(10, {{7, {"running", 0.5, {{"b", 1}}}}});
  look(20, {{7, {"running", 0.5, {{"b", 1}}}}});
  look(30, {{7, {"running", 1, {{"b", 1}}}}});
  look(40, {});
  const timeline::Schedule seen = live.schedule();
  EXPECT_THAT(stays(seen, 7), ElementsAre(std::tuple(10.0, 40.0, StayBegin::start, StayEnd::completed)));
  ASSERT_EQ(seen.jobs.size(), 1u);
  EXPECT_EQ(seen.jobs[0].end, kStart + 40);
  EXPECT_EQ(seen.jobs[0].submit, kStart);
  // Of the largest node, which has 8 CPUs: half of 4.
  EXPECT_DOUBLE_EQ(seen.jobs[0].cpu_need, 0.25);
  EXPECT_THAT(seen.node_cpu, ElementsAre(0.5, 1));
  EXPECT_THAT(seen.node_names, ElementsAre("a", "b"));
  const auto steps = seen.steps_of(seen.stays[0]);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].at, kStart + 10);
  EXPECT_EQ(steps[0].yield, 0.5);
  EXPECT_EQ(steps[1].at, kStart + 30);
  EXPECT_EQ(steps[1].yield, 1);
}

TEST_F(WebSchedule, KnowsTheTimeOfTheCluster) {
  look(0, {});
  EXPECT_EQ(live.schedule().utc_offset, 0) << "a controller that does not say";
  Json told{{"now", kStart + 1}, {"algorithm", "Triage"}, {"jobs", Json::array()}, {"utc_offset_s", -18000}};
  live.update(told, nodes());
  EXPECT_EQ(live.schedule().utc_offset, -18000);
}

TEST_F(WebSchedule, TellsPausesMovesAndResumesApart) {
  look(0, {{1, {"running", 1, {{"a", 1}}}}, {2, {"suspended", 0, {{"b", 1}}, 1}}});
  look(10, {{1, {"suspended", 0, {{"a", 1}}, 1}}, {2, {"running", 1, {{"b", 1}}, 1}}});
  look(20, {{1, {"running", 1, {{"a", 1}}, 1}}, {2, {"running", 1, {{"b", 1}}, 1}}});
  look(30, {{1, {"running", 1, {{"b", 1}}, 1, 1}}, {2, {"running", 1, {{"b", 1}}, 2}}});
  const timeline::Schedule seen = live.schedule();
  EXPECT_THAT(stays(seen, 1), ElementsAre(std::tuple(0.0, 10.0, StayBegin::already, StayEnd::paused),
                                          std::tuple(20.0, 30.0, StayBegin::resume, StayEnd::moved),
                                          std::tuple(30.0, 30.0, StayBegin::move, StayEnd::open)));
  // It was paused and came back between two looks.
  EXPECT_THAT(stays(seen, 2), ElementsAre(std::tuple(10.0, 30.0, StayBegin::resume, StayEnd::paused),
                                          std::tuple(30.0, 30.0, StayBegin::resume, StayEnd::open)));
  EXPECT_LT(seen.jobs[0].end, 0) << "it has not ended";
}

TEST_F(WebSchedule, JobsComeBySubmissionAndStaysByBegin) {
  Seen late{"running", 1, {{"a", 2}}};
  late.submit = kStart + 5;
  late.tasks = 2;
  Seen root{"running", 1, {{"b", 1}}};
  root.user = 0;
  look(0, {{9, root}});
  look(10, {{3, late}, {9, root}});
  const timeline::Schedule seen = live.schedule();
  ASSERT_EQ(seen.jobs.size(), 2u);
  EXPECT_EQ(seen.jobs[0].id, 9u);
  EXPECT_EQ(seen.jobs[0].user, 1U << 31) << "root is a user, too";
  EXPECT_EQ(seen.jobs[1].id, 3u);
  ASSERT_EQ(seen.stays.size(), 2u);
  EXPECT_THAT(std::vector<NodeIndex>(seen.nodes_of(seen.stays[1]).begin(), seen.nodes_of(seen.stays[1]).end()),
              ElementsAre(0, 0));
}

TEST_F(WebSchedule, ANumberThatIsGivenAgainIsAnotherJob) {
  look(0, {{5, {"running", 1, {{"a", 1}}}}});
  Seen other{"waiting"};
  other.submit = kStart + 8;
  look(10, {{5, other}});
  const timeline::Schedule seen = live.schedule();
  ASSERT_EQ(seen.jobs.size(), 2u);
  EXPECT_EQ(seen.jobs[0].end, kStart + 10);
  EXPECT_LT(seen.jobs[1].end, 0);
  EXPECT_EQ(seen.stays.size(), 1u);
}

TEST_F(WebSchedule, ForgetsWhatEndedFirstAndNeverWhatRuns) {
  live = LiveSchedule(300);
  for (int k = 0; k < 2000; ++k) {
    look(k, {{1, {"running", 1, {{"b", 1}}}}, {100 + k, {"running", 0.5, {{"a", 1}}}}});
    const timeline::Schedule seen = live.schedule();
    ASSERT_LE(seen.stays.size() + seen.nodes.size() + seen.steps.size(), 300u);
    ASSERT_EQ(stays(seen, 1).size(), 1u);
    ASSERT_EQ(stays(seen, static_cast<JobId>(100 + k)).size(), 1u);
  }
  const timeline::Schedule seen = live.schedule();
  EXPECT_GT(seen.jobs.size(), 40u);
  EXPECT_EQ(stays(seen, 1)[0], std::tuple(0.0, 1999.0, StayBegin::already, StayEnd::open));
}

}  // namespace
}  // namespace dfrs::shim::web
