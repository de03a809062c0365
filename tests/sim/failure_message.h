// SPDX-License-Identifier: GPL-2.0-or-later
// The message of an expected exception, to compare with EXPECT_EQ or a matcher.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace dfrs::sim {

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
