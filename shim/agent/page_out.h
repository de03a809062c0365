// SPDX-License-Identifier: GPL-2.0-or-later
// Moves the memory of suspended jobs to swap, in a thread of its own: a few megabytes at a time, until a job is to
// continue. Does nothing on a machine without swap.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "shim/agent/process.h"

namespace dfrs::shim {

/// The system's functions that page-out uses; tests replace them.
class PageOutSystem {
 public:
  virtual ~PageOutSystem() = default;
  /// Private mappings of a process; empty if it is gone.
  virtual std::vector<MemoryRange> ranges(pid_t pid) = 0;
  /// Whether a signal has stopped it; false if it is gone.
  virtual bool stopped(pid_t pid) = 0;
  virtual SwapSpace swap() = 0;
  /// What it has in memory and in swap; nothing if it has gone.
  virtual ProcessMemory memory(pid_t pid) = 0;
  /// Advises the kernel to move the range to swap. The bytes advised; error: an errno, ENOSYS or EPERM if that is not
  /// possible at all.
  virtual tl::expected<std::uint64_t, int> advise(pid_t pid, MemoryRange range) = 0;
};

/// The real one, by process_madvise(MADV_PAGEOUT).
class KernelPageOut final : public PageOutSystem {
 public:
  std::vector<MemoryRange> ranges(pid_t pid) override;
  bool stopped(pid_t pid) override;
  SwapSpace swap() override;
  ProcessMemory memory(pid_t pid) override;
  tl::expected<std::uint64_t, int> advise(pid_t pid, MemoryRange range) override;
};

struct PageOutOptions {
  std::uint64_t step_bytes = std::uint64_t{32} << 20;  ///< most bytes between checks that the job is still paused
  std::uint64_t keep_swap_free_bytes = std::uint64_t{64} << 20;  ///< swap that is left free
  std::chrono::milliseconds retry{500};  ///< interval of attempts while processes are not stopped yet
};

struct PageOutCounters {
  std::uint64_t bytes = 0;        ///< seen in swap afterwards that were not there before
  std::uint64_t jobs = 0;         ///< jobs moved out completely
  std::uint64_t stayed = 0;       ///< jobs of whose memory hardly anything went, though the kernel was asked
  std::uint64_t interrupted = 0;  ///< jobs that continued before all their memory was moved
  std::uint64_t errors = 0;       ///< ranges that the kernel refused
};

class PageOut {
 public:
  /// processes: of a job. reclaim: the other way, where advise() is not permitted (may be empty). swap_left: bytes that
  /// the job's groups let it have in swap, none without a limit (may be empty). All are called on the thread of
  /// page-out. `system` must outlive this.
  PageOut(PageOutSystem& system, PageOutOptions options, std::function<std::vector<pid_t>(std::uint32_t job)> processes,
          std::function<bool(std::uint32_t job, std::uint64_t bytes)> reclaim,
          std::function<std::optional<std::uint64_t>(std::uint32_t job)> swap_left,
          std::function<void(const std::string&)> log);
  ~PageOut();  ///< waits for the current step
  PageOut(const PageOut&) = delete;
  PageOut& operator=(const PageOut&) = delete;

  /// Sets the jobs that are paused now. A new one is moved out once; one that is no longer paused is left alone at
  /// once. Returns at once. Any thread.
  void set_paused(const std::set<std::uint32_t>& jobs);
  PageOutCounters counters() const;  ///< any thread

 private:
  enum class Outcome { done, stayed, not_stopped, interrupted, no_swap };

  void run();
  Outcome move_out(std::uint32_t job);
  Outcome ask(std::uint32_t job, const std::vector<pid_t>& processes);
  Outcome judge(std::uint32_t job, const ProcessMemory& before, const ProcessMemory& after, Outcome outcome);
  ProcessMemory memory_of(const std::vector<pid_t>& processes);
  bool wanted(std::uint32_t job);
  bool room(std::uint64_t bytes);

  PageOutSystem& system_;
  const PageOutOptions options_;
  const std::function<std::vector<pid_t>(std::uint32_t)> processes_;
  const std::function<bool(std::uint32_t, std::uint64_t)> reclaim_;
  const std::function<std::optional<std::uint64_t>(std::uint32_t)> swap_left_;
  const std::function<void(const std::string&)> log_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint32_t, std::chrono::steady_clock::time_point>
      waiting_;  // paused, memory not out yet: time of the next attempt
  std::set<std::uint32_t> paused_;
  PageOutCounters counters_;
  bool stop_ = false;
  bool said_no_way_ = false;  // only the page-out thread uses it
  std::thread thread_;
};

}  // namespace dfrs::shim
