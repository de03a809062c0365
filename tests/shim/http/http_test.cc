// SPDX-License-Identifier: GPL-2.0-or-later
// The server and the client together, and the server against clients that break the rules.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "shim/http/client.h"
#include "shim/http/server.h"
#include "tests/shim/support/as_nobody.h"
#include "tests/shim/support/munged.h"

namespace dfrs::shim {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMaxBody = 4096;

class Http : public testing::Test {
 protected:
  ConnectionLimits strangers;
  std::unique_ptr<HttpServer> server = start(Munged::shared().auth());
  Authenticator us{Munged::shared().auth()};
  std::atomic<int> handled = 0;

  std::unique_ptr<HttpServer> start(const AuthOptions& auth, uid_t administrator = getuid()) {
    HttpServerOptions options;
    options.bind_address = "127.0.0.1";
    options.receiver = "node:n1";
    options.auth = auth;
    options.administrator = administrator;
    options.max_body = kMaxBody;
    options.idle_timeout = std::chrono::seconds(2);
    options.requests_per_minute = 20;
    options.costly_requests_per_minute = 3;
    options.strangers = strangers;
    const auto echo = [this](const HttpRequest& request) {
      ++handled;
      std::string text = request.method + " " + request.path + " " + std::to_string(request.uid) +
                         (request.authenticated ? " known" : " unknown");
      for (const auto& [key, value] : request.query) text += " " + key + "=" + value;
      return HttpAnswer{200, text + " [" + request.body + "]", "text/plain"};
    };
    auto started =
        HttpServer::start(options, {{"GET", "/open", Access::anyone, echo},
                                    {"GET", "/mine", Access::user, echo},
                                    {"GET", "/costly", Access::user, echo, Cost::much},
                                    {"POST", "/v1/echo", Access::administrator, echo},
                                    {"POST", "/throw", Access::administrator,
                                     [](const HttpRequest&) -> HttpAnswer { throw std::runtime_error("broken"); }},
                                    {"GET", "/conflict", Access::administrator,
                                     [](const HttpRequest&) { return http_error(409, "stale", "too old"); }}});
    EXPECT_TRUE(started) << started.error();
    return started ? std::move(*started) : nullptr;
  }

  HttpCall call(const std::string& method, const std::string& target, const std::string& body = {}) const {
    return {"127.0.0.1", server->port(), method, target, "node:n1", body};
  }
  auto ask(const HttpCall& what, uid_t administrator = getuid()) const {
    return http_call(us, what, HttpCallLimits{}, administrator);
  }

  /// A call that is part of a session, or begins one if it can.
  auto ask_in(ClientSession& session, const HttpCall& what) const -> tl::expected<HttpCallAnswer, HttpCallError> {
    HttpTransfer transfer;
    if (const auto ready = transfer.prepare(us, what, HttpCallLimits{}, &session); !ready)
      return tl::unexpected(ready.error());
    return transfer.finish(us, curl_easy_perform(transfer.handle()), getuid());
  }

  /// Sends raw bytes and returns the whole answer.
  std::string raw(const std::string& bytes) const {
    const int fd = open_connection(bytes);
    ::shutdown(fd, SHUT_WR);
    return read_to_end(fd);
  }
  /// A connection on which these bytes have been sent.
  int open_connection(const std::string& bytes) const {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t n = ::send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    return fd;
  }
  static std::string read_to_end(int fd) {
    std::string answer;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::recv(fd, buffer, sizeof buffer, 0)) > 0;) answer.append(buffer, static_cast<size_t>(n));
    ::close(fd);
    return answer;
  }
  std::string signed_request(const std::string& method, const std::string& target, const std::string& body) const {
    return method + " " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nDFRS-Credential: " +
           us.sign_request({method, target, "node:n1", body})->credential +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  std::string ask_as_nobody(const std::string& method, const std::string& target) const {
    return raw(method + " " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nDFRS-Credential: " +
               credential_of_nobody(us, {method, target, "node:n1", ""}) + "\r\nContent-Length: 0\r\n\r\n");
  }
};

TEST_F(Http, AnswersSignedRequests) {
  const auto answer = ask(call("POST", "/v1/echo?job=7&x=a%20b", "hello"));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "POST /v1/echo " + std::to_string(getuid()) + " known job=7 x=a b [hello]");
  const auto get = ask(call("GET", "/mine"));
  ASSERT_TRUE(get) << get.error().message;
  EXPECT_EQ(get->body, "GET /mine " + std::to_string(getuid()) + " known []");
}

TEST_F(Http, ASessionNeedsNoMoreCredentials) {
  Munged munged;
  us = Authenticator(munged.auth());
  server = start(munged.auth());
  ClientSession session(getuid());
  ASSERT_TRUE(ask_in(session, call("POST", "/v1/echo", "1")));
  munged.stop();
  for (const char* const body : {"2", "3"}) {
    const auto answer = ask_in(session, call("POST", "/v1/echo", body));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "POST /v1/echo " + std::to_string(getuid()) + " known [" + body + "]");
  }
  const auto conflict = ask_in(session, call("GET", "/conflict"));
  ASSERT_TRUE(conflict) << conflict.error().message;
  EXPECT_EQ(conflict->status, 409);
  EXPECT_THAT(ask(call("POST", "/v1/echo", "4")).error().message, HasSubstr("munge"));
}

TEST_F(Http, ASessionEndsWithItsServerAndAnotherBegins) {
  ClientSession session(getuid());
  ASSERT_TRUE(ask_in(session, call("POST", "/v1/echo", "1")));
  ASSERT_TRUE(session.usable(SessionClock::now()));
  server = start(Munged::shared().auth());
  const auto refused = ask_in(session, call("POST", "/v1/echo", "2"));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().session_ended);
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(server->counters().refusals[static_cast<std::size_t>(Refusal::unknown_session)], 1u);
  EXPECT_FALSE(session.usable(SessionClock::now()));
  EXPECT_TRUE(ask_in(session, call("POST", "/v1/echo", "3")));
  EXPECT_TRUE(session.usable(SessionClock::now()));
}

// A restart does not explain it.
TEST_F(Http, AnotherRefusalInASessionIsAnError) {
  ClientSession session(getuid());
  ASSERT_TRUE(ask_in(session, call("POST", "/v1/echo", "1")));
  ClientSession copy = session;
  ASSERT_TRUE(ask_in(session, call("POST", "/v1/echo", "2")));
  const auto refused = ask_in(copy, call("POST", "/v1/echo", "3"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("replayed"));
  EXPECT_TRUE(refused.error().refused);
  EXPECT_FALSE(refused.error().session_ended);
  EXPECT_FALSE(copy.usable(SessionClock::now()));
}

TEST_F(Http, OnlyAnAdministratorsSecretBeginsASession) {
  EXPECT_THAT(raw(signed_request("POST", "/v1/echo", "x")), AllOf(HasSubstr("200 OK"), Not(HasSubstr("DFRS-Session"))));
  if (getuid() != 0) GTEST_SKIP() << "needs root, to ask as another user";
  const std::string answer =
      raw("GET /mine HTTP/1.1\r\nHost: x\r\nConnection: close\r\nDFRS-Credential: " +
          credential_of_nobody(us, {"GET", "/mine", "node:n1", ""}, getuid()) + "\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(answer, AllOf(HasSubstr("200 OK"), HasSubstr("DFRS-Answer-Credential"), Not(HasSubstr("DFRS-Session"))));
}

TEST_F(Http, ForgedSessionsAreRefused) {
  ClientSession session(getuid());
  ASSERT_TRUE(ask_in(session, call("POST", "/v1/echo", "1")));
  const auto post = [&](const std::string& header, const std::string& body) {
    return raw("POST /v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nDFRS-Session: " + header +
               "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  const RequestWords words{"POST", "/v1/echo", "node:n1", "2"};
  EXPECT_THAT(post("x", "2"), AllOf(HasSubstr(" 401 "), HasSubstr("malformed")));
  EXPECT_THAT(post(std::string(32, '0') + session.sign(words).substr(32), "2"),
              AllOf(HasSubstr(" 401 "), HasSubstr("unknown_session")));
  EXPECT_THAT(post(session.sign(words), "3"), AllOf(HasSubstr(" 401 "), HasSubstr("other_message")));
  EXPECT_EQ(handled, 1);
  const std::string genuine = session.sign(words);
  EXPECT_THAT(post(genuine, "2"), HasSubstr("200 OK"));
  EXPECT_THAT(post(genuine, "2"), AllOf(HasSubstr(" 401 "), HasSubstr("replayed")));
  EXPECT_EQ(handled, 2);
}

TEST_F(Http, ErrorsOfHandlersAreSignedToo) {
  const auto answer = ask(call("GET", "/conflict"));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 409);
  EXPECT_EQ(nlohmann::json::parse(answer->body)["reason"], "stale");
  const auto thrown = ask(call("POST", "/throw", "x"));
  ASSERT_TRUE(thrown) << thrown.error().message;
  EXPECT_EQ(thrown->status, 500);
  EXPECT_THAT(thrown->body, HasSubstr("broken"));
}

TEST_F(Http, OpenRoutesNeedNoCredential) {
  const std::string answer = raw("GET /open?a=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("200 OK"));
  EXPECT_THAT(answer, HasSubstr("GET /open 0 unknown a=1 []"));
}

TEST_F(Http, RefusesRequestsWithoutACredential) {
  const std::string answer = raw("POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_THAT(answer, HasSubstr(" 401 "));
  EXPECT_THAT(answer, HasSubstr("\"no_credential\""));
  EXPECT_EQ(handled, 0);
  EXPECT_EQ(server->counters().refusals[static_cast<std::size_t>(Refusal::no_credential)], 1u);
  EXPECT_EQ((server->counters().answers[{"POST /v1/echo", 401}]), 1u);
}

TEST_F(Http, RefusesAReplayedRequest) {
  const std::string request = signed_request("POST", "/v1/echo", "once");
  EXPECT_THAT(raw(request), HasSubstr(" 200 "));
  const std::string again = raw(request);
  EXPECT_THAT(again, HasSubstr(" 401 "));
  EXPECT_THAT(again, HasSubstr("\"replayed\""));
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(server->counters().refusals[static_cast<std::size_t>(Refusal::replayed)], 1u);
}

TEST_F(Http, RefusesAChangedRequest) {
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"[good]", "[evil]"}, {"/v1/echo?n=1 ", "/v1/echo?n=2 "}}) {
    std::string request = signed_request("POST", "/v1/echo?n=1", "[good]");
    request.replace(request.rfind(from), from.size(), to);
    const std::string answer = raw(request);
    EXPECT_THAT(answer, HasSubstr(" 401 ")) << to;
    EXPECT_THAT(answer, HasSubstr("\"other_message\"")) << to;
  }
  EXPECT_EQ(handled, 0);
}

TEST_F(Http, RefusesARequestForAnotherReceiver) {
  HttpCall misled = call("POST", "/v1/echo", "x");
  misled.receiver = "node:n2";
  const auto answer = ask(misled);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().refused);
  EXPECT_THAT(answer.error().message, HasSubstr("401"));
  EXPECT_THAT(answer.error().message, HasSubstr("another request"));
}

TEST_F(Http, RefusesAnotherKey) {
  const Munged stranger("another key");
  const auto answer = http_call(Authenticator(stranger.auth()), call("POST", "/v1/echo", "x"), {}, getuid());
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().refused);
  EXPECT_THAT(answer.error().message, HasSubstr("another MUNGE key"));
  EXPECT_EQ(server->counters().refusals[static_cast<std::size_t>(Refusal::wrong_key)], 1u);
}

TEST_F(Http, SaysSoWhenTheServersMungedIsGone) {
  Munged own("one key");
  server = start(own.auth());
  EXPECT_TRUE(ask(call("POST", "/v1/echo", "x")));
  own.stop();
  const auto answer = ask(call("POST", "/v1/echo", "x"));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("503"));
  EXPECT_THAT(answer.error().message, HasSubstr("munged"));
  own.start();
  EXPECT_TRUE(ask(call("POST", "/v1/echo", "x")));
}

// Only root can be another user.
TEST_F(Http, RefusesUsersWhoMayNot) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to ask as another user";
  const std::string refused = ask_as_nobody("POST", "/v1/echo");
  EXPECT_THAT(refused, HasSubstr(" 401 "));
  EXPECT_THAT(refused, HasSubstr("\"unauthorised\""));
  EXPECT_THAT(refused, HasSubstr("65534"));
  EXPECT_EQ(handled, 0);
  EXPECT_EQ(server->counters().refusals[static_cast<std::size_t>(Refusal::unauthorised)], 1u);
  // Routes for any user answer, and know who asks.
  EXPECT_THAT(ask_as_nobody("GET", "/mine"), HasSubstr("GET /mine 65534 known"));
  // SlurmUser may, under any name.
  server = start(Munged::shared().auth(), kNobody);
  EXPECT_THAT(ask_as_nobody("POST", "/v1/echo"), HasSubstr(" 200 "));
}

// Only root can be another user.
TEST_F(Http, ClientRefusesAnswersOfOthers) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "starts threads in a forked process, which ThreadSanitizer does not take";
#endif
  if (getuid() != 0) GTEST_SKIP() << "needs root, to answer as another user";
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) _exit(1);
    const std::unique_ptr<HttpServer> imposter = start(Munged::shared().auth());
    const std::uint16_t port = imposter->port();
    if (::write(ends[1], &port, sizeof port) != sizeof port) _exit(2);
    ::pause();
    _exit(0);
  }
  HttpCall misled = call("GET", "/mine");
  EXPECT_EQ(::read(ends[0], &misled.port, sizeof misled.port), static_cast<ssize_t>(sizeof misled.port));
  const auto answer = ask(misled, 0);
  const auto as_slurm_user = ask(misled, kNobody);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().refused);
  EXPECT_THAT(answer.error().message, HasSubstr("from user id 65534"));
  EXPECT_TRUE(as_slurm_user) << as_slurm_user.error().message;
}

TEST_F(Http, ClientRefusesUnsignedAnswers) {
  const auto answer = ask(call("GET", "/open"));
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().refused);
  EXPECT_THAT(answer.error().message, HasSubstr("no credential"));
}

TEST_F(Http, ClientRefusesHugeAnswers) {
  HttpCallLimits limits;
  limits.max_answer = 8;
  const auto answer = http_call(us, call("POST", "/v1/echo", "more than that"), limits, getuid());
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("larger than 8 bytes"));
}

TEST_F(Http, RefusesBodiesThatAreTooLarge) {
  // Announced: refused before it is read.
  EXPECT_THAT(raw("POST /v1/echo HTTP/1.1\r\nHost: x\r\nDFRS-Credential: x\r\nContent-Length: 4097\r\n\r\n"),
              HasSubstr(" 413 "));
  EXPECT_THAT(raw("POST /v1/echo HTTP/1.1\r\nHost: x\r\nDFRS-Credential: x\r\nContent-Length: "
                  "18446744073709551615\r\n\r\n"),
              testing::AnyOf(HasSubstr(" 413 "), HasSubstr(" 400 ")));
  // Not announced, and sent by one who may: seen as it comes.
  const std::string chunk = "1000\r\n" + std::string(0x1000, 'x') + "\r\n";
  const auto head = [&] {
    return "POST /v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nDFRS-Credential: " +
           us.sign_request({"POST", "/v1/echo", "node:n1", ""})->credential + "\r\nTransfer-Encoding: chunked\r\n\r\n";
  };
  EXPECT_THAT(raw(head() + chunk + "1\r\nx\r\n0\r\n\r\n"), HasSubstr(" 413 "));
  // And on and on: hung up on.
  std::string endless = head();
  for (int i = 0; i < 100; ++i) endless += chunk;
  EXPECT_THAT(raw(endless), testing::Not(HasSubstr(" 200 ")));
  // A GET has none.
  EXPECT_THAT(raw("GET /open HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"),
              HasSubstr(" 413 "));
  EXPECT_EQ(handled, 0);
  // The largest body that is allowed.
  const auto largest = ask(call("POST", "/v1/echo", std::string(kMaxBody, 'x')));
  ASSERT_TRUE(largest) << largest.error().message;
  EXPECT_EQ(largest->status, 200);
}

// The head says who asks: what they may not ask is refused while the body is still to come.
TEST_F(Http, RefusesByTheHeadAlone) {
  const auto before_its_body = [&](const std::string& credential) {
    const int fd = open_connection("POST /v1/echo HTTP/1.1\r\nHost: x\r\nDFRS-Credential: " + credential +
                                   "\r\nContent-Length: 1000\r\n\r\n");
    const auto begin = std::chrono::steady_clock::now();
    const std::string answer = read_to_end(fd);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1500)) << "the body was waited for";
    return answer;
  };
  EXPECT_THAT(before_its_body("x"), testing::AllOf(HasSubstr(" 401 "), HasSubstr("\"malformed\"")));
  // Made for another route.
  const std::string credential = us.sign_request({"POST", "/throw", "node:n1", ""})->credential;
  EXPECT_THAT(before_its_body(credential), testing::AllOf(HasSubstr(" 401 "), HasSubstr("\"other_message\"")));
  if (getuid() == 0) {
    const std::string other_user = credential_of_nobody(us, {"POST", "/v1/echo", "node:n1", ""});
    EXPECT_THAT(before_its_body(other_user), testing::AllOf(HasSubstr(" 401 "), HasSubstr("\"unauthorised\"")));
  }
  EXPECT_EQ(handled, 0);
}

// Only root can be another user.
TEST_F(Http, UsersMayAskOnlySoOften) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to ask as another user";
  // Of 20 a minute, 10 at once; of 3 that cost much, 2.
  const auto answered = [&](const std::string& target, int most) {
    for (int k = 0; k < most + 3; ++k) {
      const std::string answer = ask_as_nobody("GET", target);
      if (answer.find(" 429 ") == std::string::npos) continue;
      EXPECT_THAT(answer, HasSubstr("\r\nRetry-After: "));
      EXPECT_THAT(answer, HasSubstr("\"too_many_requests\""));
      EXPECT_THAT(answer, HasSubstr("\r\nDFRS-Answer-Credential: ")) << "it can be distinguished from a stranger's";
      return k;
    }
    ADD_FAILURE() << "no limit";
    return 0;
  };
  EXPECT_EQ(answered("/costly", 2), 2);
  const int cheap = answered("/mine", 10);
  EXPECT_GE(cheap, 10);
  EXPECT_LE(cheap, 12) << "a few seconds may have passed";
  // Root and SlurmUser are not held up by it.
  for (int k = 0; k < 15; ++k) {
    const auto answer = ask(call("GET", "/costly"));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
  }
}

TEST_F(Http, StrangersHaveLittleTime) {
  strangers.time = std::chrono::milliseconds(300);
  server = start(Munged::shared().auth());
  // A byte now and then keeps a connection from being idle.
  const int slow = open_connection("GET /open HTTP/1.1\r\n");
  bool ended = false;
  const auto begin = std::chrono::steady_clock::now();
  while (!ended && std::chrono::steady_clock::now() - begin < std::chrono::seconds(5)) {
    ::usleep(50000);
    char byte = 0;
    const ssize_t got = ::recv(slow, &byte, 1, MSG_DONTWAIT);
    ended = got == 0 || (got < 0 && errno != EAGAIN) || ::send(slow, "a", 1, MSG_NOSIGNAL) < 0;
  }
  ::close(slow);
  EXPECT_TRUE(ended);
  EXPECT_EQ(server->counters().ended_connections, 1u);
  // An administrator's connection stays.
  const std::string request = signed_request("POST", "/v1/echo", "x");
  const int ours =
      open_connection(request.substr(0, request.find("Connection")) + request.substr(request.find("DFRS-Credential")));
  ::usleep(800000);
  char buffer[4096];
  EXPECT_GT(::recv(ours, buffer, sizeof buffer, MSG_DONTWAIT), 0);
  EXPECT_EQ(::recv(ours, buffer, sizeof buffer, MSG_DONTWAIT), -1) << "closed";
  ::close(ours);
}

// Those who only hold connections open do not keep others out.
TEST_F(Http, StrangersDoNotFillTheServer) {
  strangers.most = 4;
  strangers.grace = std::chrono::milliseconds(200);
  server = start(Munged::shared().auth());
  std::vector<int> held;
  for (int k = 0; k < 64; ++k) held.push_back(open_connection("GET /open HTTP/1.1\r\n"));  // as many as an address may
  ::usleep(600000);
  EXPECT_GE(server->counters().ended_connections, 60u);
  EXPECT_TRUE(ask(call("POST", "/v1/echo", "x")));
  for (const int fd : held) ::close(fd);
}

TEST_F(Http, SurvivesGarbage) {
  for (const std::string& bytes :
       {std::string("\0\0\0\0", 4), std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("POST /v1/echo HTTP/1.1\r\nHost: x\r\nDFRS-Credential: \xff\xfe\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST /v1/echo HTTP/1.1\r\nHost: x\r\nDFRS-Credential: x\r\nContent-Length: 100\r\n\r\nshort"),
        "GET /" + std::string(100000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: x\r\nX: " + std::string(100000, 'a') + "\r\n\r\n"}) {
    EXPECT_THAT(raw(bytes), testing::Not(HasSubstr(" 200 ")));
  }
  EXPECT_TRUE(ask(call("POST", "/v1/echo", "x")));
}

TEST_F(Http, NamesWhatIsNotThere) {
  EXPECT_THAT(raw("GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), HasSubstr(" 404 "));
  EXPECT_THAT(raw("GET /v1/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"), HasSubstr(" 405 "));
  EXPECT_EQ((server->counters().answers[{"other", 404}]), 1u);
}

TEST_F(Http, ErrorsNameTheAddress) {
  HttpServerOptions options;
  options.bind_address = "127.0.0.1";
  options.port = server->port();
  const auto taken = HttpServer::start(options, {});
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error(), HasSubstr(std::to_string(server->port())));
  EXPECT_THAT(taken.error(), HasSubstr("in use"));
  options.bind_address = "localhost";
  const auto name = HttpServer::start(options, {});
  ASSERT_FALSE(name);
  EXPECT_THAT(name.error(), HasSubstr("localhost"));

  HttpCall nobody = call("GET", "/mine");
  server.reset();
  const auto answer = ask(nobody);
  ASSERT_FALSE(answer);
  EXPECT_FALSE(answer.error().refused);
  EXPECT_THAT(answer.error().message, HasSubstr(std::to_string(nobody.port)));
}

}  // namespace
}  // namespace dfrs::shim
