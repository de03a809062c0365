// SPDX-License-Identifier: GPL-2.0-or-later
// Credentials of auth/slurm: the binding to a request that MUNGE's have, and what munged does for those.
#include "shim/auth/sack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "shim/auth/authenticator.h"
#include "shim/auth/sack_token.h"
#include "tests/shim/auth/exchange.h"
#include "tests/shim/support/as_nobody.h"
#include "tests/shim/support/sack_server.h"

namespace dfrs::shim {
namespace {

using testing::HasSubstr;

class SackTest : public testing::Test {
 protected:
  SackServer slurm;
  Authenticator us{slurm.auth()};
};

TEST_F(SackTest, RequestAndAnswer) { expect_request_and_answer(us); }

// Anyone can read them.
TEST_F(SackTest, NoCredentialIsSecret) {
  const auto request = us.sign_request(kRequest, getuid());
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_FALSE(us.verify_request(request->credential, kRequest)->secret);
}

TEST_F(SackTest, AnyBytes) {
  const Sack sack(slurm.socket());
  for (std::size_t size : {0U, 1U, 2U, 3U, 1000U}) {
    std::string payload;
    for (std::size_t k = 0; k < size; ++k) payload += static_cast<char>(k * 7);
    const auto credential = sack.encode(payload);
    ASSERT_TRUE(credential) << credential.error().message;
    const auto decoded = sack.decode(*credential);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(decoded->payload, payload);
  }
}

TEST_F(SackTest, RefusesWhatTheCredentialWasNotMadeFor) {
  for (const RequestWords& other : {RequestWords{"GET", "/v1/desired?x=1", "node:n1", "{\"a\":1}"},
                                    RequestWords{"POST", "/v1/desired?x=2", "node:n1", "{\"a\":1}"},
                                    RequestWords{"POST", "/v1/desired?x=1", "node:n2", "{\"a\":1}"},
                                    RequestWords{"POST", "/v1/desired?x=1", "node:n1", "{\"a\":2}"}}) {
    EXPECT_EQ(reason_of(us.verify_request(us.sign_request(kRequest)->credential, other)), Refusal::other_message);
  }
  const std::string nonce(32, 'a');
  const std::string answer = *us.sign_answer(nonce, "node:n1", 200, "body");
  EXPECT_EQ(reason_of(us.verify_answer(answer, std::string(32, 'b'), "node:n1", 200, "body")), Refusal::other_message);
  EXPECT_EQ(reason_of(us.verify_request(us.sign_answer(nonce, "node:n1", 200, "").value(), kRequest)),
            Refusal::malformed);
}

// Slurm remembers no tokens: we do. Nor does another spelling of the signature make one new.
TEST_F(SackTest, RefusesReplays) {
  const std::string credential = us.sign_request(kRequest)->credential;
  ASSERT_TRUE(us.verify_request(credential, kRequest));
  EXPECT_EQ(reason_of(us.verify_request(credential, kRequest)), Refusal::replayed);
  // 32 bytes in 43 digits leave two bits that mean nothing.
  std::string spelt = credential;
  spelt.back() = spelt.back() == 'A' ? 'B' : static_cast<char>(spelt.back() + 1);
  EXPECT_FALSE(us.verify_request(spelt, kRequest));
}

TEST_F(SackTest, RefusesAChangedToken) {
  const std::string credential = us.sign_request(kRequest)->credential;
  // Another user in the claims, under the old signature.
  nlohmann::json claims = slurm.claims(getuid() + 1, "dfrs");
  const std::string other = slurm.sign(claims);
  const std::string mixed = other.substr(0, other.rfind('.')) + credential.substr(credential.rfind('.'));
  EXPECT_EQ(reason_of(us.verify_request(mixed, kRequest)), Refusal::wrong_key);
  slurm.hangs_up = true;
  EXPECT_EQ(reason_of(us.verify_request(mixed, kRequest)), Refusal::wrong_key) << "as 25.11 says no";
  EXPECT_TRUE(us.verify_request(credential, kRequest)) << "a refused one is no replay";
}

TEST_F(SackTest, RefusesAnotherKey) {
  const SackServer stranger("another key of sixteen bytes");
  const Authenticator them(stranger.auth());
  const auto who = us.verify_request(them.sign_request(kRequest)->credential, kRequest);
  EXPECT_EQ(reason_of(who), Refusal::wrong_key);
  EXPECT_THAT(who.error().message, HasSubstr("slurm.key"));
  EXPECT_EQ(slurm.verified, 0U);
}

TEST_F(SackTest, TwoServicesWithOneKeyAgree) {
  const SackServer other;
  EXPECT_TRUE(us.verify_request(Authenticator(other.auth()).sign_request(kRequest)->credential, kRequest));
}

TEST_F(SackTest, RefusesOldAndFutureTokens) {
  SackServer slow;
  slow.clock = -61;
  EXPECT_EQ(reason_of(us.verify_request(Authenticator(slow.auth()).sign_request(kRequest)->credential, kRequest)),
            Refusal::expired);
  SackServer fast;
  fast.clock = 400;
  EXPECT_EQ(reason_of(us.verify_request(Authenticator(fast.auth()).sign_request(kRequest)->credential, kRequest)),
            Refusal::rewound);
  fast.clock = 30;
  EXPECT_TRUE(us.verify_request(Authenticator(fast.auth()).sign_request(kRequest)->credential, kRequest));
  // However long Slurm lets a token live.
  nlohmann::json claims = slurm.claims(getuid(), "dfrs");
  claims["iat"] = std::time(nullptr) - 301;
  claims["exp"] = std::time(nullptr) + 3600;
  EXPECT_EQ(reason_of(us.verify_request(slurm.sign(claims), kRequest)), Refusal::expired);
}

TEST_F(SackTest, RefusesTokensMadeForSomethingElse) {
  for (const char* const context : {"launch", "sbcast", "net_aliases", ""}) {
    nlohmann::json claims = slurm.claims(0, "dfrs");
    claims["context"] = context;
    EXPECT_EQ(reason_of(us.verify_request(slurm.sign(claims), kRequest)), Refusal::malformed) << context;
  }
  EXPECT_EQ(reason_of(us.verify_request(slurm.sign(slurm.claims(0, "dfrs"), "none"), kRequest)), Refusal::malformed);
  for (const char* const claim : {"uid", "iat", "exp", "payload", "context"}) {
    nlohmann::json claims = slurm.claims(0, "dfrs");
    claims.erase(claim);
    EXPECT_EQ(reason_of(us.verify_request(slurm.sign(claims), kRequest)), Refusal::malformed) << claim;
    claims[claim] = nlohmann::json::array({-1});
    EXPECT_EQ(reason_of(us.verify_request(slurm.sign(claims), kRequest)), Refusal::malformed) << claim;
  }
  for (const auto& uid : {nlohmann::json(-1), nlohmann::json(4294967295), nlohmann::json(1.5), nlohmann::json("0"),
                          nlohmann::json(18446744073709551615U)}) {
    nlohmann::json claims = slurm.claims(0, "dfrs");
    claims["uid"] = uid;
    EXPECT_EQ(reason_of(us.verify_request(slurm.sign(claims), kRequest)), Refusal::malformed) << uid;
  }
}

TEST_F(SackTest, RefusesGarbage) {
  EXPECT_EQ(reason_of(us.verify_request("", kRequest)), Refusal::no_credential);
  const std::string good = us.sign_request(kRequest)->credential;
  for (const std::string& garbage :
       {std::string("x"), std::string("."), std::string(".."), std::string("a.b.c"), std::string("\xff.\xfe."),
        good + ".x", good.substr(0, good.find('.')), good.substr(good.find('.')), std::string(1 << 20, 'A'),
        std::string("MUNGE:AwQD:")}) {
    EXPECT_EQ(reason_of(us.verify_request(garbage, kRequest)), Refusal::malformed) << garbage.substr(0, 50);
  }
  EXPECT_EQ(slurm.verified, 0U);
}

// A token that python3's hmac made: `sign` of the fake is not the only one that is understood.
TEST(SackToken, ReadsATokenMadeElsewhere) {
  const std::string token =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
      "eyJpYXQiOiAxNzAwMDAwMDAwLCAiZXhwIjogMTcwMDAwMDA2MCwgInZlciI6IDEwNDk2LCAicnVpZCI6IDQyOTQ5NjcyOTUsICJj"
      "b250ZXh0IjogInNhY2siLCAiY2x1c3RlciI6ICJjIiwgInVpZCI6IDEwMDAsICJnaWQiOiAxMDAwLCAiaG9zdCI6ICJuMSIsICJw"
      "YXlsb2FkIjogIlpHWnljeTF5WlhGMVpYTjBMVEVLUHo0PSJ9."
      "2-9c6StXeEtT55ijXI9QpR7Sb2uXCLymyr_dnoOd9Uw";
  const auto claims = read_sack_token(token);
  ASSERT_TRUE(claims);
  EXPECT_EQ(claims->uid, 1000U);
  EXPECT_EQ(claims->issued, 1700000000);
  EXPECT_EQ(claims->expires, 1700000060);
  EXPECT_EQ(claims->payload, "dfrs-request-1\n?>");
  EXPECT_EQ(claims->covered, token.substr(0, token.rfind('.')));
}

TEST_F(SackTest, SaysThatNobodyIsThere) {
  slurm.stop();
  EXPECT_EQ(reason_of(us.sign_request(kRequest)), Refusal::unavailable);
  const Authenticator nowhere({AuthType::slurm, "/nowhere/sack.socket", {}});
  const auto request = nowhere.sign_request(kRequest);
  EXPECT_EQ(reason_of(request), Refusal::unavailable);
  EXPECT_THAT(request.error().message, HasSubstr("/nowhere/sack.socket"));
  EXPECT_THAT(request.error().message, HasSubstr("slurmd"));
}

TEST_F(SackTest, DoesNotWaitForever) {
  slurm.silent = true;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(reason_of(us.sign_request(kRequest)), Refusal::unavailable);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(6));
}

// As Slurm's commands do.
TEST_F(SackTest, TheEnvironmentNamesTheSocket) {
  ::setenv("SLURM_SACK_SOCKET", slurm.socket().c_str(), 1);
  const Authenticator found({AuthType::slurm, {}, "test"});
  ::unsetenv("SLURM_SACK_SOCKET");
  EXPECT_TRUE(found.sign_request(kRequest));
}

// Only root can be another user.
TEST_F(SackTest, TheUserIsTheSockets) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to ask as another user";
  const auto who = us.verify_request(credential_of_nobody(us, kRequest), kRequest);
  ASSERT_TRUE(who) << who.error().message;
  EXPECT_EQ(who->uid, kNobody);
}

TEST(SeenTokens, ForgetsWhatHasEndedAndNoMore) {
  SeenTokens seen(3);
  using Outcome = SeenTokens::Outcome;
  EXPECT_EQ(seen.add("a", 10, 5), Outcome::fresh);
  EXPECT_EQ(seen.add("a", 10, 10), Outcome::seen);
  EXPECT_EQ(seen.add("b", 20, 10), Outcome::fresh);
  EXPECT_EQ(seen.add("c", 15, 10), Outcome::fresh);
  EXPECT_EQ(seen.add("d", 20, 10), Outcome::full);
  EXPECT_EQ(seen.add("d", 20, 11), Outcome::fresh) << "a has ended";
  EXPECT_EQ(seen.add("b", 20, 16), Outcome::seen);
  EXPECT_EQ(seen.size(), 2U);
}

}  // namespace
}  // namespace dfrs::shim
