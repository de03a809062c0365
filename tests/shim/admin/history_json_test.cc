// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/admin/history_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shim/admin/status_json.h"
#include "timeline/observed.h"

namespace dfrs::shim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One job that was paused, one that has ended, and one that waits.
ObservedPast sample() {
  timeline::ObservedSchedule observed(100);
  const auto look = [&](Seconds now, std::vector<timeline::SeenJob> jobs) {
    observed.begin_sample(now);
    observed.node("a", 3, 100);
    observed.node("b", 7, 200);
    for (const timeline::SeenJob& job : jobs) observed.see(job);
    observed.end_sample();
  };
  const NodeIndex both[] = {0, 1};
  const std::span<const NodeIndex> first(both, 1);
  look(1000.5, {{.id = 1, .user_id = 0, .submit = 900, .cpus = 1.5, .memory = 10, .nodes = first, .yield = 0.25}});
  look(1010, {{.id = 1, .user_id = 0, .submit = 900, .cpus = 1.5, .memory = 10, .pauses = 1},
              {.id = 2, .user_id = 7, .submit = 1001, .tasks = 2, .nodes = both, .yield = 1}});
  look(1020, {{.id = 1, .user_id = 0, .submit = 900, .cpus = 1.5, .memory = 10, .pauses = 1},
              {.id = 3, .user_id = 8, .submit = 1015}});
  return {observed.schedule(), observed.reference_cpus()};
}

TEST(HistoryJson, SaysWhatRanWhere) {
  const Json json = history_json(sample());
  EXPECT_EQ(json["since"], 1000.5);
  EXPECT_EQ(json["now"], 1020);
  EXPECT_EQ(json["nodes"].dump(),
            R"([{"node":"a","cpus":3.0,"memory_mib":100.0},{"node":"b","cpus":7.0,"memory_mib":200.0}])");
  ASSERT_EQ(json["jobs"].size(), 3U);
  EXPECT_EQ(json["jobs"][0]["user_id"], 0);
  EXPECT_EQ(json["jobs"][0]["cpus"], 1.5);
  EXPECT_TRUE(json["jobs"][0]["end"].is_null());
  EXPECT_EQ(json["jobs"][0]["stays"].dump(),
            R"([{"from":1000.5,"to":1010.0,"begin":"already","end":"paused","nodes":[0],"yields":[[1000.5,0.25]]}])");
  EXPECT_EQ(json["jobs"][1]["end"], 1020);
  EXPECT_EQ(json["jobs"][1]["stays"][0]["nodes"].dump(), "[0,1]");
  EXPECT_EQ(json["jobs"][2]["stays"].dump(), "[]");
}

TEST(HistoryJson, ComesBackAsItWas) {
  const ObservedPast past = sample();
  const auto again = history_of(Json::parse(history_json(past).dump()));
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(history_json(*again).dump(), history_json(past).dump());
  EXPECT_EQ(again->reference_cpus, 7);
  EXPECT_EQ(again->schedule.jobs[0].user, timeline::kRootUser);
}

TEST(HistoryJson, WhatIsNotAsExpectedIsAnError) {
  const Json good = history_json(sample());
  const auto error = [](const Json& json) {
    const auto read = history_of(json);
    return read ? std::string("none") : read.error();
  };
  EXPECT_THAT(error(Json::array()), HasSubstr("cannot be read"));
  Json bad = good;
  bad["jobs"][1]["stays"][0]["nodes"][0] = 2;
  EXPECT_THAT(error(bad), HasSubstr("number is too large"));
  bad = good;
  bad["jobs"][0]["stays"][0]["end"] = "burnt";
  EXPECT_THAT(error(bad), HasSubstr("'burnt'"));
  bad = good;
  bad["jobs"][0]["stays"][0]["yields"] = Json::array();
  EXPECT_THAT(error(bad), HasSubstr("no yields"));
  // Any member missing, anywhere.
  for (const char* member : {"since", "now", "nodes", "jobs"}) {
    bad = good;
    bad.erase(member);
    EXPECT_NE(error(bad), "none") << member;
  }
  for (const auto& [member, value] : good["jobs"][0].items()) {
    bad = good;
    bad["jobs"][0].erase(member);
    EXPECT_NE(error(bad), "none") << member;
  }
}

}  // namespace
}  // namespace dfrs::shim
