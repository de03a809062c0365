// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/signals.h"

#include <gtest/gtest.h>

#include <thread>

namespace dfrs::base {
namespace {

bool blocked(int signal) {
  sigset_t set;
  pthread_sigmask(SIG_BLOCK, nullptr, &set);
  return sigismember(&set, signal) == 1;
}

TEST(SignalsBlocked, ThreadsThatAreStartedMeanwhileTakeNoSignals) {
  bool in_thread = false;
  std::thread thread;
  ASSERT_FALSE(blocked(SIGTERM));
  {
    const SignalsBlocked all;
    EXPECT_TRUE(blocked(SIGTERM));
    EXPECT_TRUE(blocked(SIGXFSZ));
    thread = std::thread([&] { in_thread = blocked(SIGTERM); });
  }
  EXPECT_FALSE(blocked(SIGTERM));
  thread.join();
  EXPECT_TRUE(in_thread);
}

TEST(ThreadWithoutSignals, TakesNone) {
  bool in_thread = false;
  thread_without_signals([&] { in_thread = blocked(SIGTERM); }).join();
  EXPECT_TRUE(in_thread);
  EXPECT_FALSE(blocked(SIGTERM));
}

}  // namespace
}  // namespace dfrs::base
