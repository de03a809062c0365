// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/sim/failure_message.h"

namespace dfrs::sim {
namespace {

TEST(ParallelThreads, CallEachIndexOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 7U, 64U}) {
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
      std::vector<int> calls(count, 0);  // plain integers: ThreadSanitizer sees it if two threads share an index
      parallel_for(count, threads, [&](std::size_t index) { ++calls[index]; });
      EXPECT_EQ(calls, std::vector<int>(count, 1)) << threads << " threads, " << count << " pieces";
    }
  }
}

TEST(ParallelThreads, SeeWhatOtherThreadsWroteAfterTheCall) {
  std::vector<std::string> texts(500);
  parallel_for(texts.size(), 4, [&](std::size_t index) { texts[index] = std::string(index, 'x'); });
  for (std::size_t index = 0; index < texts.size(); ++index) EXPECT_EQ(texts[index].size(), index);
}

TEST(ParallelThreads, OneThreadKeepsTheOrder) {
  std::vector<std::size_t> order;
  parallel_for(5, 1, [&](std::size_t index) { order.push_back(index); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

// In whatever order threads fail, the caller gets the failure of the lowest index.
TEST(ParallelThreads, RethrowTheFailureOfTheLowestIndexAndBeginNoMore) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    std::atomic<std::size_t> begun{0};
    try {
      parallel_for(100000, threads, [&](std::size_t index) {
        ++begun;
        if (index >= 3) throw std::runtime_error(std::to_string(index));
      });
      ADD_FAILURE() << "no exception with " << threads << " threads";
    } catch (const std::runtime_error& error) {
      // Indices begin in order, so index 3 has begun, and failed, before any higher one could stop the work.
      EXPECT_STREQ(error.what(), "3") << threads << " threads";
    }
    EXPECT_LE(begun.load(), 3U + threads) << "a thread began work after its own failed";
  }
}

TEST(ParallelThreads, ReturnTheErrorOfTheLowestIndexAndBeginNoMore) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    std::atomic<std::size_t> begun{0};
    const Result<void> done = try_parallel_for(100000, threads, [&](std::size_t index) -> Result<void> {
      ++begun;
      if (index >= 3) return input_error(std::to_string(index));
      return {};
    });
    EXPECT_EQ(message_of(kExitInput, done), "3") << threads << " threads";
    EXPECT_LE(begun.load(), 3U + threads) << "a thread began work after its own failed";
  }
}

// Progress counts what succeeded.
TEST(ParallelThreads, CountNoFailure) {
  std::vector<std::size_t> done;
  const auto two_fails = [](std::size_t index) -> Result<void> {
    if (index == 2) return io_error("two");
    return {};
  };
  EXPECT_EQ(code_of(try_parallel_for(5, 1, two_fails, [&](std::size_t now, std::size_t) { done.push_back(now); })),
            kExitIo);
  EXPECT_EQ(done, (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(try_parallel_for(2, 1, two_fails));
}

}  // namespace
}  // namespace dfrs::sim
