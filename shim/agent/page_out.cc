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

namespace dfrs::shim {
namespace {

constexpr const char* kProc = "/proc";
constexpr std::size_t kMaxMaps = std::size_t{64} << 20;

}  // namespace

std::vector<MemoryRange> KernelPageOut::ranges(pid_t pid) {
  const auto maps = base::read_file_at(AT_FDCWD, fmt::format("{}/{}/maps", kProc, pid), kMaxMaps);
  return maps ? private_ranges(*maps) : std::vector<MemoryRange>{};
}

bool KernelPageOut::stopped(pid_t pid) { return process_stopped(kProc, pid); }

SwapSpace KernelPageOut::swap() { return swap_space(kProc); }

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
                 std::function<void(const std::string&)> log)
    : system_(system),
      options_(options),
      processes_(std::move(processes)),
      reclaim_(std::move(reclaim)),
      log_(std::move(log)),
      thread_([this] { run(); }) {}

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
          const std::lock_guard lock(mutex_);
          counters_.bytes += step.end - step.begin;
          continue;
        }
        const std::lock_guard lock(mutex_);
        if (advised)
          counters_.bytes += *advised;
        else if (advised.error() != ESRCH)
          ++counters_.errors;  // locked memory, for instance: the rest can still go
      }
    }
  }
  return wanted(job) ? Outcome::done : Outcome::interrupted;
}

}  // namespace dfrs::shim
