// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/agent/page_out.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/signals.h"

namespace dfrs::shim {
namespace {

constexpr const char* kProc = "/proc";
constexpr std::size_t kMaxMaps = std::size_t{64} << 20;
// Less memory than this may be shared or locked; of more, at least the tenth part is to go.
constexpr std::uint64_t kWorthAWord = std::uint64_t{16} << 20;
constexpr std::uint64_t kHardlyAnything = 10;

}  // namespace

std::vector<MemoryRange> KernelPageOut::ranges(pid_t pid) {
  const auto maps = base::read_file_at(AT_FDCWD, fmt::format("{}/{}/maps", kProc, pid), kMaxMaps);
  return maps ? private_ranges(*maps) : std::vector<MemoryRange>{};
}

bool KernelPageOut::stopped(pid_t pid) { return process_stopped(kProc, pid); }

SwapSpace KernelPageOut::swap() { return swap_space(kProc); }

ProcessMemory KernelPageOut::memory(pid_t pid) { return process_memory(kProc, pid); }

tl::expected<std::uint64_t, int> KernelPageOut::advise(pid_t pid, MemoryRange range) {
  // The number may belong to another process by now. That costs it only speed: its pages come back when used.
  const base::Fd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));  // glibc's header is not for C++
  if (!process) return tl::unexpected(errno);
  const iovec part{reinterpret_cast<void*>(range.begin), range.end - range.begin};
  const ssize_t advised = process_madvise(process.get(), &part, 1, MADV_PAGEOUT, 0);
  if (advised < 0) return tl::unexpected(errno);
  return static_cast<std::uint64_t>(advised);
}

PageOut::PageOut(PageOutSystem& system, PageOutOptions options,
                 std::function<std::vector<pid_t>(std::uint32_t job)> processes,
                 std::function<bool(std::uint32_t job, std::uint64_t bytes)> reclaim,
                 std::function<std::optional<std::uint64_t>(std::uint32_t job)> swap_left,
                 std::function<void(const std::string&)> log)
    : system_(system),
      options_(options),
      processes_(std::move(processes)),
      reclaim_(std::move(reclaim)),
      swap_left_(std::move(swap_left)),
      log_(std::move(log)),
      thread_(base::thread_without_signals([this] { run(); })) {}

PageOut::~PageOut() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PageOut::set_paused(const std::set<std::uint32_t>& jobs) {
  {
    const std::lock_guard lock(mutex_);
    if (jobs == paused_) return;
    for (const std::uint32_t job : jobs) {
      if (!paused_.contains(job)) waiting_[job] = std::chrono::steady_clock::now();
    }
    std::erase_if(waiting_, [&](const auto& entry) { return !jobs.contains(entry.first); });
    paused_ = jobs;
  }
  changed_.notify_all();
}

PageOutCounters PageOut::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

bool PageOut::wanted(std::uint32_t job) {
  const std::lock_guard lock(mutex_);
  return !stop_ && paused_.contains(job);
}

bool PageOut::room(std::uint64_t bytes) {
  const SwapSpace swap = system_.swap();
  return swap.free_kib * 1024 >= bytes + options_.keep_swap_free_bytes;
}

void PageOut::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const auto next = std::min_element(waiting_.begin(), waiting_.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (next == waiting_.end()) {
      changed_.wait(lock);
      continue;
    }
    if (next->second > std::chrono::steady_clock::now()) {
      changed_.wait_until(lock, std::chrono::steady_clock::time_point(next->second));
      continue;
    }
    const std::uint32_t job = next->first;
    lock.unlock();
    const Outcome outcome = move_out(job);
    lock.lock();
    const auto entry = waiting_.find(job);
    switch (outcome) {
      case Outcome::done:
        ++counters_.jobs;
        if (entry != waiting_.end()) waiting_.erase(entry);
        break;
      case Outcome::stayed:
        ++counters_.stayed;
        if (entry != waiting_.end()) waiting_.erase(entry);
        break;
      case Outcome::interrupted:
        ++counters_.interrupted;
        break;  // no longer waiting, unless it was paused again in the meantime
      case Outcome::not_stopped:
      case Outcome::no_swap:
        if (entry != waiting_.end()) entry->second = std::chrono::steady_clock::now() + options_.retry;
        break;
    }
  }
}

PageOut::Outcome PageOut::move_out(std::uint32_t job) {
  if (!room(0)) return Outcome::no_swap;
  const std::vector<pid_t> processes = processes_(job);
  // A process that still runs would fetch its pages back at once.
  if (processes.empty() ||
      !std::all_of(processes.begin(), processes.end(), [&](pid_t pid) { return system_.stopped(pid); }))
    return Outcome::not_stopped;
  const ProcessMemory before = memory_of(processes);
  const Outcome outcome = swap_left_ && swap_left_(job) == 0u ? Outcome::done : ask(job, processes);
  return judge(job, before, memory_of(processes), outcome);
}

ProcessMemory PageOut::memory_of(const std::vector<pid_t>& processes) {
  ProcessMemory sum;
  for (const pid_t pid : processes) {
    const ProcessMemory one = system_.memory(pid);
    sum.resident_kib += one.resident_kib;
    sum.swap_kib += one.swap_kib;
  }
  return sum;
}

// The kernel takes advice without a word where a limit of swap leaves no room: what counts is what is seen.
PageOut::Outcome PageOut::judge(std::uint32_t job, const ProcessMemory& before, const ProcessMemory& after,
                                Outcome outcome) {
  const std::uint64_t moved_kib = after.swap_kib > before.swap_kib ? after.swap_kib - before.swap_kib : 0;
  {
    const std::lock_guard lock(mutex_);
    counters_.bytes += moved_kib * 1024;
  }
  if (outcome != Outcome::done || before.resident_kib * 1024 < kWorthAWord ||
      moved_kib >= before.resident_kib / kHardlyAnything)
    return outcome;
  if (log_) {
    const auto left = swap_left_ ? swap_left_(job) : std::nullopt;
    const std::string why = left ? fmt::format(
                                       "; its control groups leave it {} MiB (memory.swap.max; "
                                       "ConstrainSwapSpace and AllowedSwapSpace in cgroup.conf)",
                                       *left >> 20)
                                 : std::string();
    log_(fmt::format("job {}: suspended, but its memory stays: {} of {} MiB are in swap{}", job, after.swap_kib / 1024,
                     (after.swap_kib + after.resident_kib) / 1024, why));
  }
  return Outcome::stayed;
}

PageOut::Outcome PageOut::ask(std::uint32_t job, const std::vector<pid_t>& processes) {
  for (const pid_t pid : processes) {
    for (const MemoryRange& range : system_.ranges(pid)) {
      for (std::uint64_t begin = range.begin; begin < range.end;) {
        const MemoryRange step{begin, std::min(range.end, begin + options_.step_bytes)};
        begin = step.end;
        if (!wanted(job)) return Outcome::interrupted;
        if (!room(step.end - step.begin)) return Outcome::no_swap;
        const auto advised = system_.advise(pid, step);
        if (!advised && (advised.error() == ENOSYS || advised.error() == EPERM)) {
          const bool other_way = reclaim_ && reclaim_(job, options_.step_bytes);
          if (!other_way) {
            if (!said_no_way_ && log_)
              log_(
                  fmt::format("memory of suspended jobs cannot be moved to swap: process_madvise: {}; dfrsd needs "
                              "CAP_SYS_PTRACE and CAP_SYS_NICE, and Linux 5.10 or newer",
                              strerror(advised.error())));
            said_no_way_ = true;
            const std::lock_guard lock(mutex_);
            ++counters_.errors;
            return Outcome::done;  // another attempt would fail the same way
          }
          continue;
        }
        if (advised || advised.error() == ESRCH) continue;
        const std::lock_guard lock(mutex_);
        ++counters_.errors;  // locked memory, for instance: the rest can still go
      }
    }
  }
  return wanted(job) ? Outcome::done : Outcome::interrupted;
}

}  // namespace dfrs::shim
