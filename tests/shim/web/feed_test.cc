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

TEST(WebFeed, BrowsersGetTheNewestLookThenEachOne) {
  Feed feed;
  feed.publish(status(), nodes());
  std::uint64_t seen = 0;
  const std::string first = feed.begin(seen);
  EXPECT_EQ(seen, 1u);
  EXPECT_THAT(first, StartsWith("event: look\ndata: {"));
  const Json look = data_of(first, "look");
  EXPECT_EQ(look["status"]["cluster"], status()["cluster"]);
  EXPECT_EQ(look["nodes"], nodes()["nodes"]);
  EXPECT_EQ(feed.next(seen, milliseconds{1}), ": still here\n\n");
  feed.publish_error("slurmctld does not listen\nreally");
  const auto trouble = feed.next(seen, milliseconds{1000});
  ASSERT_TRUE(trouble);
  EXPECT_EQ(data_of(*trouble, "trouble")["error"], "slurmctld does not listen\nreally");
  EXPECT_EQ(feed.schedule().jobs.size(), status()["jobs"].size());
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
