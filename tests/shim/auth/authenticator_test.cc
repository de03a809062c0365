// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/auth/authenticator.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "shim/auth/munge.h"
#include "tests/shim/auth/exchange.h"
#include "tests/shim/support/munged.h"

namespace dfrs::shim {
namespace {

TEST(Authenticator, RequestAndAnswer) { expect_request_and_answer(Authenticator(Munged::shared().auth())); }

TEST(Authenticator, NoncesDiffer) {
  const Authenticator us(Munged::shared().auth());
  EXPECT_NE(us.sign_request(kRequest)->nonce, us.sign_request(kRequest)->nonce);
}

TEST(Authenticator, RefusesWhatTheCredentialWasNotMadeFor) {
  const Authenticator us(Munged::shared().auth());
  for (const RequestWords& other : {RequestWords{"GET", "/v1/desired?x=1", "node:n1", "{\"a\":1}"},
                                    RequestWords{"POST", "/v1/desired?x=2", "node:n1", "{\"a\":1}"},
                                    RequestWords{"POST", "/v1/desired?x=1", "node:n2", "{\"a\":1}"},
                                    RequestWords{"POST", "/v1/desired?x=1", "node:n1", "{\"a\":2}"},
                                    // Fields may not run into each other.
                                    RequestWords{"POST", "/v1/desired?x=1\nnode:n1", "", "{\"a\":1}"}}) {
    EXPECT_EQ(reason_of(us.verify_request(us.sign_request(kRequest)->credential, other)), Refusal::other_message);
  }
}

TEST(Authenticator, RefusesAnswersOfAnotherExchange) {
  const Authenticator us(Munged::shared().auth());
  const std::string nonce(32, 'a');
  const auto answer = [&] { return *us.sign_answer(nonce, "node:n1", 200, "body"); };
  EXPECT_EQ(reason_of(us.verify_answer(answer(), std::string(32, 'b'), "node:n1", 200, "body")),
            Refusal::other_message);
  EXPECT_EQ(reason_of(us.verify_answer(answer(), nonce, "node:n2", 200, "body")), Refusal::other_message);
  EXPECT_EQ(reason_of(us.verify_answer(answer(), nonce, "node:n1", 409, "body")), Refusal::other_message);
  EXPECT_EQ(reason_of(us.verify_answer(answer(), nonce, "node:n1", 200, "Body")), Refusal::other_message);
  EXPECT_EQ(reason_of(us.verify_answer("", nonce, "node:n1", 200, "body")), Refusal::no_credential);
  // A request's credential is not valid for an answer, nor the other way round.
  EXPECT_EQ(reason_of(us.verify_answer(us.sign_request(kRequest)->credential, nonce, "node:n1", 200, "body")),
            Refusal::other_message);
  EXPECT_EQ(reason_of(us.verify_request(answer(), kRequest)), Refusal::malformed);
}

TEST(Authenticator, KnowsWhatOnlyItsUserCanRead) {
  const Authenticator us(Munged::shared().auth());
  EXPECT_FALSE(us.verify_request(us.sign_request(kRequest)->credential, kRequest)->secret);
  const auto for_us = us.verify_request(us.sign_request(kRequest, getuid())->credential, kRequest);
  ASSERT_TRUE(for_us) << for_us.error().message;
  EXPECT_TRUE(for_us->secret);
  EXPECT_EQ(reason_of(us.verify_request(us.sign_request(kRequest, getuid() + 1)->credential, kRequest)),
            Refusal::unauthorised);
}

// It may have been answered by who told what was in it.
TEST(Authenticator, WhatIsOlderThanItsReaderIsNoSecret) {
  const Authenticator us(Munged::shared().auth());
  const auto made = std::time(nullptr);
  const std::string credential = us.sign_request(kRequest, getuid())->credential;
  while (std::time(nullptr) <= made + 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const Authenticator restarted(Munged::shared().auth());
  const auto who = restarted.verify_request(credential, kRequest);
  ASSERT_TRUE(who) << who.error().message;
  EXPECT_FALSE(who->secret);
  EXPECT_TRUE(restarted.verify_request(us.sign_request(kRequest, getuid())->credential, kRequest)->secret);
}

// Anyone can read it.
TEST(Authenticator, AnAnswerThatBeginsASessionDoesNotTellTheNonce) {
  const Authenticator us(Munged::shared().auth());
  const Munge munge(Munged::shared().socket());
  const std::string nonce = us.sign_request(kRequest)->nonce;
  const std::string salt(32, 'a');
  const auto answer = [&] { return *us.sign_answer(nonce, "node:n1", 200, "body", salt); };
  EXPECT_EQ(munge.decode(answer())->payload.find(nonce), std::string::npos);
  EXPECT_TRUE(us.verify_answer(answer(), nonce, "node:n1", 200, "body", salt));
  // Nor can somebody on the way add a session, take one away, or change it.
  const std::string plain = *us.sign_answer(nonce, "node:n1", 200, "body");
  EXPECT_EQ(reason_of(us.verify_answer(plain, nonce, "node:n1", 200, "body", salt)), Refusal::other_message);
  EXPECT_EQ(reason_of(us.verify_answer(answer(), nonce, "node:n1", 200, "body")), Refusal::other_message);
  EXPECT_EQ(reason_of(us.verify_answer(answer(), nonce, "node:n1", 200, "body", std::string(32, 'b'))),
            Refusal::other_message);
  EXPECT_EQ(reason_of(us.verify_answer(answer(), std::string(32, '0'), "node:n1", 200, "body", salt)),
            Refusal::other_message);
}

TEST(Authenticator, RefusesReplays) {
  const Authenticator us(Munged::shared().auth());
  const auto request = us.sign_request(kRequest);
  ASSERT_TRUE(us.verify_request(request->credential, kRequest));
  EXPECT_EQ(reason_of(us.verify_request(request->credential, kRequest)), Refusal::replayed);
}

TEST(Authenticator, RefusesGarbage) {
  const Authenticator us(Munged::shared().auth());
  EXPECT_EQ(reason_of(us.verify_request("", kRequest)), Refusal::no_credential);
  for (const char* const garbage : {"x", "MUNGE:", "MUNGE:AwQD:", "\xff\xfe"}) {
    EXPECT_EQ(reason_of(us.verify_request(garbage, kRequest)), Refusal::malformed) << garbage;
  }
  EXPECT_EQ(reason_of(us.verify_request(std::string(1 << 20, 'A'), kRequest)), Refusal::malformed);
  const std::string genuine = *Munge(Munged::shared().socket()).encode("something else");
  EXPECT_EQ(reason_of(us.verify_request(genuine, kRequest)), Refusal::malformed);
  EXPECT_EQ(reason_of(us.sign_request({"GET", "/a\nb", "node:n1", ""})), Refusal::malformed);
}

TEST(Authenticator, RefusesAnotherKey) {
  const Munged stranger("another key");
  const Authenticator them(stranger.auth());
  const Authenticator us(Munged::shared().auth());
  EXPECT_EQ(reason_of(us.verify_request(them.sign_request(kRequest)->credential, kRequest)), Refusal::wrong_key);
}

TEST(Authenticator, TwoMungedsWithOneKeyAgree) {
  const Munged other("one key");
  const Authenticator them(other.auth());
  const Authenticator us(Munged::shared().auth());
  EXPECT_TRUE(us.verify_request(them.sign_request(kRequest)->credential, kRequest));
}

TEST(Authenticator, SaysThatMungedIsNotThere) {
  const Authenticator us({AuthType::munge, "/nowhere/munge.socket", {}});
  const auto request = us.sign_request(kRequest);
  EXPECT_EQ(reason_of(request), Refusal::unavailable);
  EXPECT_NE(request.error().message.find("/nowhere/munge.socket"), std::string::npos) << request.error().message;
  const Authenticator ours(Munged::shared().auth());
  EXPECT_EQ(reason_of(us.verify_request(ours.sign_request(kRequest)->credential, kRequest)), Refusal::unavailable);
}

}  // namespace
}  // namespace dfrs::shim
