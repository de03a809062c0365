// SPDX-License-Identifier: GPL-2.0-or-later
// What the page of dfrsctl web is told.
#include "shim/web/feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "shim/admin/status_json.h"
#include "tests/shim/admin/sample_status.h"

namespace dfrs::shim::web {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

Json status() { return status_json(sample_status(), {}); }
Json nodes() { return nodes_json(sample_status()); }

// The data of the first event of that name in a stream.
Json data_of(const std::string& stream, const std::string& event) {
  const std::string head = "event: " + event + "\ndata: ";
  const std::size_t at = stream.find(head);
  if (at == std::string::npos) return nullptr;
  const std::size_t from = at + head.size();
  return Json::parse(stream.substr(from, stream.find('\n', from) - from));
}

TEST(WebSample, CountsJobsAndTheCpusOfNodes) {
  Json seen{{"now", 100.5}, {"jobs", Json::array()}};
  for (const auto& [state, yield] : std::vector<std::pair<const char*, double>>{
           {"running", 0.5}, {"moving", 0.25}, {"waiting", 0}, {"suspended", 0}, {"requeued", 0}, {"blocked", 0}}) {
    seen["jobs"].push_back({{"state", state}, {"yield", yield}});
  }
  const Json on{{"nodes",
                 {{{"cpus", 8}, {"allocated_cpus", 3.0}, {"foreign_cpus", 1}, {"usable", true}},
                  {{"cpus", 8}, {"allocated_cpus", 0}, {"foreign_cpus", 0}, {"usable", false}},
                  {{"cpus", 0}, {"allocated_cpus", 0}, {"foreign_cpus", 0}, {"usable", true}}}}};
  const Sample sample = sample_of(seen, on);
  EXPECT_DOUBLE_EQ(sample.at, 100.5);
  EXPECT_EQ(sample.running, 2u);
  EXPECT_EQ(sample.waiting, 4u);
  EXPECT_EQ(sample.paused, 2u);
  EXPECT_DOUBLE_EQ(sample.mean_yield, 0.375);
  EXPECT_EQ(sample.nodes, (std::vector<std::uint8_t>{50, 255, 255}));
}

TEST(WebHistory, StaysSmallAndKeepsTheNewest) {
  History history(10, 1000);
  for (int k = 1; k <= 1000; ++k) {
    Sample sample;
    sample.at = k;
    history.add(sample);
    ASSERT_LE(history.samples().size(), 10u);
    ASSERT_EQ(history.samples().back().at, k);
  }
  EXPECT_GE(history.samples().size(), 5u);
  EXPECT_LT(history.samples().front().at, 500) << "it reaches back";
  History wide(1000, 100);
  for (int k = 0; k < 50; ++k) {
    Sample sample;
    sample.nodes.resize(25);
    wide.add(sample);
    ASSERT_LE(wide.samples().size(), 4u);
  }
}

TEST(WebFeed, BrowsersGetTheHistoryThenEachLook) {
  Feed feed;
  feed.publish(status(), nodes());
  std::uint64_t seen = 0;
  const std::string first = feed.begin(seen);
  EXPECT_EQ(seen, 1u);
  EXPECT_THAT(first, StartsWith("event: history\ndata: [["));
  const Json look = data_of(first, "look");
  EXPECT_EQ(look["status"]["cluster"], status()["cluster"]);
  EXPECT_EQ(look["nodes"], nodes()["nodes"]);
  EXPECT_EQ(feed.next(seen, milliseconds{1}), ": still here\n\n");
  feed.publish_error("slurmctld does not listen\nreally");
  const auto trouble = feed.next(seen, milliseconds{1000});
  ASSERT_TRUE(trouble);
  EXPECT_EQ(data_of(*trouble, "trouble")["error"], "slurmctld does not listen\nreally");
  EXPECT_EQ(data_of(feed.begin(seen), "history").size(), 1u);
}

TEST(WebFeed, ALookWakesThoseWhoWaitAndClosingEndsThem) {
  Feed feed;
  std::uint64_t seen = 0;
  (void)feed.begin(seen);
  std::thread teller([&] { feed.publish(status(), nodes()); });
  const auto told = feed.next(seen, std::chrono::minutes{1});
  teller.join();
  ASSERT_TRUE(told);
  EXPECT_THAT(*told, HasSubstr("event: look"));
  std::thread closer([&] { feed.close(); });
  EXPECT_FALSE(feed.next(seen, std::chrono::minutes{1}));
  closer.join();
}

}  // namespace
}  // namespace dfrs::shim::web
