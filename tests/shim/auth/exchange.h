// SPDX-License-Identifier: GPL-2.0-or-later
// A request and its answer, as MUNGE's credentials and auth/slurm's must both bind them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "shim/auth/authenticator.h"

namespace dfrs::shim {

inline const RequestWords kRequest{"POST", "/v1/desired?x=1", "node:n1", "{\"a\":1}"};

Refusal reason_of(const auto& result) {
  EXPECT_FALSE(result.has_value());
  if (result.has_value()) return Refusal::malformed;
  EXPECT_NE(result.error().message, "");
  EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
  return result.error().reason;
}

inline void expect_request_and_answer(const Authenticator& us) {
  const auto request = us.sign_request(kRequest);
  ASSERT_TRUE(request) << request.error().message;
  const auto who = us.verify_request(request->credential, kRequest);
  ASSERT_TRUE(who) << who.error().message;
  EXPECT_EQ(who->uid, getuid());
  EXPECT_EQ(who->nonce, request->nonce);
  const auto answer = us.sign_answer(who->nonce, "node:n1", 200, "body");
  ASSERT_TRUE(answer);
  const auto from = us.verify_answer(*answer, request->nonce, "node:n1", 200, "body");
  ASSERT_TRUE(from) << from.error().message;
  EXPECT_EQ(*from, getuid());
}

}  // namespace dfrs::shim
