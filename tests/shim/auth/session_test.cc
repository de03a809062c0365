// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/session.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/shim/auth/exchange.h"

namespace dfrs::shim {
namespace {

using std::chrono::minutes;

const std::string kNonce(32, '7');
constexpr uid_t kUser = 77;
const SessionClock::time_point kBegin{};

Requester secret_requester(std::string nonce = kNonce) {
  Requester requester;
  requester.uid = kUser;
  requester.nonce = std::move(nonce);
  requester.secret = true;
  return requester;
}

// A client and a server that have begun a session.
class SessionTest : public testing::Test {
 protected:
  ClientSession client{0};
  ServerSessions server;

  void SetUp() override {
    const auto salt = server.begin(secret_requester(), "node:n1", kBegin);
    ASSERT_TRUE(salt);
    client.begin(kNonce, "node:n1", *salt, kBegin);
    ASSERT_TRUE(client.usable(kBegin));
  }
  auto verify(const std::string& header, const RequestWords& request = kRequest,
              SessionClock::time_point now = kBegin) {
    return server.verify_head(header, request, now);
  }
};

TEST_F(SessionTest, RequestsAndAnswers) {
  for (std::uint64_t number = 1; number <= 3; ++number) {
    const auto who = verify(client.sign(kRequest));
    ASSERT_TRUE(who) << who.error().message;
    EXPECT_EQ(who->uid, kUser);
    EXPECT_EQ(who->number, number);
    EXPECT_TRUE(Authenticator::verify_body(*who, kRequest));
    const auto mac = server.sign_answer(*who, 200, "body");
    ASSERT_TRUE(mac);
    EXPECT_TRUE(client.verify_answer(*mac, 200, "body"));
  }
}

// By the definition, computed by Python's hmac.
TEST(Session, IsWhatIsDocumented) {
  ClientSession client(0);
  client.begin("0123456789abcdef0123456789abcdef", "node:n1", std::string(32, 'f'), kBegin);
  EXPECT_EQ(client.sign(kRequest),
            "3e3e05abcc91d582de71d1ee15a7248c 1 015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862 "
            "19f365d8417e58a88c794eb82b50cf5377e5d6516ab3ce7cb28e982647e55247");
  EXPECT_TRUE(client.verify_answer("9368bd7d04b4ff2471ed96fb5be27e88d458b46aeac8cf7acfeb89cbc7802c4e", 200, "body"));
}

TEST_F(SessionTest, RefusesWhatItWasNotMadeFor) {
  for (const RequestWords& other :
       {RequestWords{"GET", "/v1/desired?x=1", "node:n1", {}}, RequestWords{"POST", "/v1/desired?x=2", "node:n1", {}},
        RequestWords{"POST", "/v1/desired?x=1", "node:n2", {}},
        // Fields may not run into each other.
        RequestWords{"POST", "/v1/desired?x=1\nnode:n1", "", {}}}) {
    EXPECT_EQ(reason_of(verify(client.sign(kRequest), other)), Refusal::other_message);
  }
  const auto who = verify(client.sign(kRequest));
  ASSERT_TRUE(who);
  RequestWords changed = kRequest;
  changed.body = "{\"a\":2}";
  EXPECT_EQ(reason_of(Authenticator::verify_body(*who, changed)), Refusal::other_message);
}

// Whatever is changed in a header, the request is refused and the next one is not.
TEST_F(SessionTest, EachDigitCounts) {
  const std::string header = client.sign(kRequest);
  for (std::size_t at = 0; at < header.size(); ++at) {
    std::string changed = header;
    changed[at] = changed[at] == '0' ? '1' : '0';
    EXPECT_FALSE(verify(changed)) << changed;
    EXPECT_FALSE(verify(header.substr(0, at)));
  }
  EXPECT_FALSE(verify(header + "0"));
  EXPECT_FALSE(verify(header + " "));
  EXPECT_TRUE(verify(header));
}

TEST_F(SessionTest, RefusesGarbage) {
  for (const char* const garbage : {"", " ", "    ", "begun", "a b c d", "\xff\xfe", "1 2 3 4 5",
                                    "99999999999999999999999999999999999999999999999999999999999999999999999999"}) {
    EXPECT_EQ(reason_of(verify(garbage)), Refusal::malformed) << garbage;
  }
  std::string huge = client.sign(kRequest);
  huge.replace(huge.find(" 1 "), 3, " 18446744073709551616 ");
  EXPECT_EQ(reason_of(verify(huge)), Refusal::malformed);
}

TEST_F(SessionTest, RefusesReplaysAndWhatWasOvertaken) {
  const std::string first = client.sign(kRequest);
  const std::string second = client.sign(kRequest);
  ASSERT_TRUE(verify(second));
  EXPECT_EQ(reason_of(verify(second)), Refusal::replayed);
  EXPECT_EQ(reason_of(verify(first)), Refusal::replayed);
  EXPECT_TRUE(verify(client.sign(kRequest)));
}

// Its credential may be replayed after a restart of the whole node; what followed it may not.
TEST_F(SessionTest, ASecondBeginningIsAnotherSession) {
  const std::string request = client.sign(kRequest);
  ServerSessions restarted;
  ASSERT_TRUE(restarted.begin(secret_requester(), "node:n1", kBegin));
  EXPECT_EQ(reason_of(restarted.verify_head(request, kRequest, kBegin)), Refusal::unknown_session);
}

TEST_F(SessionTest, AnswersAreOfOneExchange) {
  const auto first = verify(client.sign(kRequest));
  const std::string old = *server.sign_answer(*first, 200, "body");
  const auto second = verify(client.sign(kRequest));
  EXPECT_FALSE(client.verify_answer(old, 200, "body"));
  const std::string answer = *server.sign_answer(*second, 200, "body");
  EXPECT_FALSE(client.verify_answer(answer, 409, "body"));
  EXPECT_FALSE(client.verify_answer(answer, 200, "Body"));
  EXPECT_FALSE(client.verify_answer("", 200, "body"));
  // A request's words are no answer.
  EXPECT_FALSE(client.verify_answer(client.sign(kRequest).substr(32), 200, "body"));
}

TEST_F(SessionTest, BeginsOnlyWithWhatNobodyElseCouldRead) {
  Requester open = secret_requester();
  open.secret = false;
  EXPECT_FALSE(server.begin(open, "node:n1", kBegin));
}

TEST_F(SessionTest, TheClientEndsItFirst) {
  EXPECT_TRUE(client.usable(kBegin + kClientSessionLife - minutes(1)));
  EXPECT_FALSE(client.usable(kBegin + kClientSessionLife));
  EXPECT_TRUE(verify(client.sign(kRequest), kRequest, kBegin + kClientSessionLife + std::chrono::seconds(30)));
  EXPECT_EQ(reason_of(verify(client.sign(kRequest), kRequest, kBegin + kServerSessionLife)), Refusal::unknown_session);
  client.end();
  EXPECT_FALSE(client.usable(kBegin));
  EXPECT_FALSE(client.verify_answer("", 200, "body"));
}

TEST(Session, TheHeaderThatBeginsOne) {
  const std::string salt(32, 'a');
  EXPECT_EQ(parse_beginning(format_beginning(salt)), salt);
  for (const char* const header :
       {"", "begun", "begun ", "begun xyz", "ended", "begun 0123456789ABCDEF",
        "begun 0123456789abcdef0123456789abcdef0", "begun  123456789abcdef0123456789abcdef"}) {
    EXPECT_EQ(parse_beginning(header), "") << header;
  }
}

TEST_F(SessionTest, TheOneThatIsUsedStays) {
  std::vector<ClientSession> others;
  for (std::size_t i = 0; i < 3 * kMaxSessions; ++i) {
    const std::string nonce = std::string(31, 'a') + static_cast<char>('a' + i);
    others.emplace_back(0).begin(nonce, "node:n1", *server.begin(secret_requester(nonce), "node:n1", kBegin), kBegin);
    EXPECT_TRUE(verify(client.sign(kRequest))) << i;
  }
  EXPECT_EQ(reason_of(verify(others.front().sign(kRequest))), Refusal::unknown_session);
  EXPECT_TRUE(verify(others.back().sign(kRequest)));
}

TEST_F(SessionTest, ASessionThatHasEndedSignsNoAnswer) {
  const auto who = verify(client.sign(kRequest));
  for (std::size_t i = 0; i < kMaxSessions; ++i) server.begin(secret_requester(), "node:n1", kBegin);
  EXPECT_FALSE(server.sign_answer(*who, 200, "body"));
}

}  // namespace
}  // namespace dfrs::shim
