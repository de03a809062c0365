// SPDX-License-Identifier: GPL-2.0-or-later
// The message of an expected error or exception, to compare with EXPECT_EQ or a matcher.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

#include "sim/errors.h"

namespace dfrs::sim {

/// The exit code of an error; kExitOk for a value.
template <typename T, typename E>
ExitCode code_of(const tl::expected<T, E>& result) {
  return result ? kExitOk : result.error().code;
}

/// The message of a result, which must be an error with this code; or a test failure.
template <typename T, typename E>
std::string message_of(ExitCode code, const tl::expected<T, E>& result) {
  EXPECT_EQ(code_of(result), code) << (result ? std::string("no error") : result.error().message);
  return result ? std::string() : result.error().message;
}

/// Runs `action`, which must throw an E; the message, or a test failure.
template <typename E, typename Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}

}  // namespace dfrs::sim
