// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace dfrs::sim {

Result<void> try_parallel_for(std::size_t count, unsigned threads, const std::function<Result<void>(std::size_t)>& work,
                              const Progress& progress) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::size_t done = 0;
  std::size_t failed_index = count;
  std::exception_ptr exception;
  std::optional<Error> failure;

  // Of the lowest failed index, an error or an exception.
  const auto fail = [&](std::size_t index, std::optional<Error> error) {
    stop.store(true, std::memory_order_relaxed);
    const std::lock_guard lock(mutex);
    if (index >= failed_index) return;
    failed_index = index;
    exception = error ? nullptr : std::current_exception();
    failure = std::move(error);
  };
  const auto run = [&] {
    while (!stop.load(std::memory_order_relaxed)) {
      const std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) return;
      try {
        if (auto worked = work(index); !worked) {
          fail(index, std::move(worked).error());
        } else if (progress) {
          const std::lock_guard lock(mutex);
          progress(++done, count);
        }
      } catch (...) {
        fail(index, std::nullopt);
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t wanted = std::min<std::size_t>(threads, count);
    for (std::size_t k = 1; k < wanted; ++k) helpers.emplace_back(run);
    run();
  }
  if (exception) std::rethrow_exception(exception);
  if (failure) return tl::unexpected(*std::move(failure));
  return {};
}

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                  const Progress& progress) {
  const auto never_fails = [&](std::size_t index) -> Result<void> {
    work(index);
    return {};
  };
  (void)try_parallel_for(count, threads, never_fails, progress);
}

}  // namespace dfrs::sim
