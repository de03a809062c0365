// SPDX-License-Identifier: GPL-2.0-or-later
// The server of dfrsctl web, asked as a browser and as an intruder would ask it.
#include "shim/web/web_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "shim/admin/status_json.h"
#include "tests/shim/admin/sample_status.h"

namespace dfrs::shim::web {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class WebPage : public testing::Test {
 protected:
  void SetUp() override {
    feed.publish(status_json(sample_status(), {}), nodes_json(sample_status()));
    auto started =
        WebServer::start({0, kToken}, feed, [](std::uint32_t job) { return fmt::format("{{\"job\":{}}}", job); });
    ASSERT_TRUE(started) << started.error();
    server = std::move(*started);
  }
  int connected() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{20, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  // The answer, up to its end or to `until`.
  std::string get(const std::string& target, const std::string& until = "", std::string host = {},
                  const std::string& method = "GET") const {
    if (host.empty()) host = fmt::format("127.0.0.1:{}", server->port());
    const std::string request =
        fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", method, target, host);
    const int fd = connected();
    EXPECT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
    std::string answer;
    char buffer[65536];
    for (ssize_t n = 0; (n = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      answer.append(buffer, static_cast<std::size_t>(n));
      if (!until.empty() && answer.find(until) != std::string::npos) break;
    }
    ::close(fd);
    return answer;
  }

  static constexpr const char* kToken = "0123456789abcdef0123456789abcdef";
  const std::string with_token = std::string("token=") + kToken;
  Feed feed;
  std::unique_ptr<WebServer> server;
};

TEST_F(WebPage, IsOneFileThatLoadsNothingElse) {
  EXPECT_EQ(server->address(), fmt::format("http://127.0.0.1:{}/?token={}", server->port(), kToken));
  const std::string page = get("/?" + with_token);
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(page, AllOf(HasSubstr("default-src 'none'"), HasSubstr("no-store"), HasSubstr("<!DOCTYPE html>"),
                          HasSubstr("new EventSource("), HasSubstr("</html>")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("@STYLE@")), Not(HasSubstr("@SCRIPT@")), Not(HasSubstr("src=")),
                          Not(HasSubstr("https://")), Not(HasSubstr("@import"))));
}

TEST_F(WebPage, StrangersGetNothing) {
  for (const char* target : {"/", "/events", "/explain?job=7", "/timeline", "/schedule"}) {
    for (const std::string& token : {std::string(), std::string("token="), std::string("token=0123456789abcdef"),
                                     "token=f" + std::string(kToken).substr(1)}) {
      const std::string asked =
          std::string(target) + (std::string(target).find('?') == std::string::npos ? "?" : "&") + token;
      const std::string answer = get(asked);
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 403")) << asked;
      EXPECT_THAT(answer, Not(HasSubstr(kToken))) << asked;
    }
  }
  EXPECT_THAT(get("/?" + with_token, "", "evil.example"), StartsWith("HTTP/1.1 403")) << "a name that leads here";
  EXPECT_THAT(get("/?" + with_token, "", "", "POST"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(get("/etc/passwd?" + with_token), StartsWith("HTTP/1.1 404"));
}

TEST_F(WebPage, StreamsEvents) {
  const std::string stream = get("/events?" + with_token, "event: look");
  EXPECT_THAT(stream,
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("text/event-stream"), HasSubstr("event: look\ndata: {")));
}

TEST_F(WebPage, HasTheTimelineInAFrameOfItsOwn) {
  EXPECT_THAT(get("/?" + with_token), HasSubstr("frame-ancestors 'none'"));
  const std::string timeline = get("/timeline?" + with_token);
  EXPECT_THAT(timeline,
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("frame-ancestors 'self'"), HasSubstr("class=\"run\"")));
  const std::string schedule = get("/schedule?" + with_token);
  EXPECT_THAT(schedule, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("text/plain")));
  const std::string data = schedule.substr(schedule.find("\r\n\r\n") + 4);
  EXPECT_GT(data.size(), 100u);
  EXPECT_THAT(timeline, HasSubstr(data)) << "the same data in both";
}

// Not in the time of this machine, as the sentences of the controller are not either.
TEST_F(WebPage, TheTimelineBeginsInTheTimeOfTheCluster) {
  ControllerStatus status = sample_status();
  status.utc_offset = 5 * 3600 + 1800;
  feed.publish(status_json(status, {}), nodes_json(status));
  const auto begin = static_cast<std::time_t>(status.now) + status.utc_offset;
  EXPECT_THAT(get("/timeline?" + with_token),
              HasSubstr(fmt::format("<h1>Since {:%Y-%m-%d %H:%M} UTC+5:30</h1>", fmt::gmtime(begin))));
}

TEST_F(WebPage, PassesQuestionsOn) {
  EXPECT_THAT(get("/explain?job=7&" + with_token), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("{\"job\":7}")));
  for (const char* job : {"", "x", "-1", "99999999999"}) {
    EXPECT_THAT(get(fmt::format("/explain?job={}&{}", job, with_token)), StartsWith("HTTP/1.1 400")) << job;
  }
}

TEST_F(WebPage, EndsThoughABrowserListens) {
  const int fd = connected();
  const std::string request =
      fmt::format("GET /events?{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", with_token, server->port());
  ASSERT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  char first = 0;
  ASSERT_EQ(::recv(fd, &first, 1, 0), 1);
  server.reset();
  ::close(fd);
}

TEST(WebToken, IsLongAndNeverTheSame) {
  const auto a = new_token();
  const auto b = new_token();
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->size(), 32u);
  EXPECT_NE(*a, *b);
  EXPECT_EQ(a->find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(WebPort, InUseIsSaid) {
  Feed feed;
  const auto first = WebServer::start({0, "t"}, feed, {});
  ASSERT_TRUE(first);
  const auto second = WebServer::start({(*first)->port(), "t"}, feed, {});
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error(), AllOf(HasSubstr(fmt::format("port {}", (*first)->port())), HasSubstr("in use")));
}

}  // namespace
}  // namespace dfrs::shim::web
