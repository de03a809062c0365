// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace dfrs::sim {

void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
                  const Progress& progress) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::size_t done = 0;
  std::size_t failed_index = count;
  std::exception_ptr failure;

  const auto run = [&] {
    while (!stop.load(std::memory_order_relaxed)) {
      const std::size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) return;
      try {
        work(index);
        if (progress) {
          const std::lock_guard lock(mutex);
          progress(++done, count);
        }
      } catch (...) {
        stop.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(mutex);
        if (index < failed_index) {
          failed_index = index;
          failure = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t wanted = std::min<std::size_t>(threads, count);
    for (std::size_t k = 1; k < wanted; ++k) helpers.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dfrs::sim
