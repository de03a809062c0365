// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/checkpoint/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <thread>

#include "base/files.h"
#include "shim/agent/process.h"

namespace dfrs::shim {
namespace {

constexpr std::chrono::milliseconds kPoll{2};
constexpr std::chrono::milliseconds kAttempt{250};
constexpr std::chrono::milliseconds kBetween{7};

std::optional<pid_t> pid_of(std::string_view name) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return pid;
}

std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> all;
  const auto open = base::open_folder(AT_FDCWD, folder);
  const auto names = open ? base::list_folder(open->get(), true) : tl::unexpected(0);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    if (const auto pid = pid_of((*names)[i])) all.push_back(*pid);
  }
  std::sort(all.begin(), all.end());
  return all;
}

bool halted(char state) { return state == 'T' || state == 't' || state == 'Z' || state == 'X' || state == '\0'; }

bool threads_halted(pid_t pid) {
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  const std::vector<pid_t> threads = numbers_in(tasks);
  return std::all_of(threads.begin(), threads.end(),
                     [&](pid_t thread) { return halted(process_state(tasks, thread)); });
}

}  // namespace

ino_t ProcessTree::namespace_of(pid_t pid) {
  struct stat about{};
  return ::stat(fmt::format("/proc/{}/ns/pid", pid).c_str(), &about) == 0 ? about.st_ino : 0;
}

std::vector<pid_t> ProcessTree::members() const {
  const ino_t ours = namespace_of(init_);
  std::vector<pid_t> all;
  if (ours == 0 || ours == namespace_of(::getpid())) return all;
  for (const pid_t pid : numbers_in("/proc")) {
    if (pid != init_ && namespace_of(pid) == ours) all.push_back(pid);
  }
  return all;
}

pid_t ProcessTree::inner(pid_t pid) {
  const auto status = base::read_file_at(AT_FDCWD, fmt::format("/proc/{}/status", pid));
  const std::size_t at = status ? status->find("\nNSpid:") : std::string::npos;
  if (at == std::string::npos) return 0;
  const std::string line = status->substr(at + 7, status->find('\n', at + 1) - at - 7);
  const std::size_t last = line.find_last_of(" \t");
  return pid_of(last == std::string::npos ? std::string_view(line) : std::string_view(line).substr(last + 1))
      .value_or(0);
}

pid_t ProcessTree::program() const {
  for (const pid_t pid : members()) {
    if (inner(pid) == 2) return pid;
  }
  return 0;
}

// One attempt; `before` collects those that were stopped when it came to them.
bool ProcessTree::stop_once(std::chrono::milliseconds patience, std::set<pid_t>& before) const {
  std::set<pid_t> sent;
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    bool all = true;
    for (const pid_t pid : members()) {
      // One that was made while the others were being stopped shows up in a later round.
      if (!sent.contains(pid)) {
        if (process_stopped("/proc", pid)) before.insert(inner(pid));
        sent.insert(pid);
        ::kill(pid, SIGSTOP);
        all = false;
      } else if (!threads_halted(pid)) {
        all = false;
      }
    }
    if (all) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(kPoll);
  }
}

tl::expected<std::set<pid_t>, std::string> ProcessTree::stop(std::chrono::milliseconds patience) const {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    // A process in vfork() stops only when its child has called exec(), which a stopped child does not: let both go on
    // for a moment. Nearly always the next attempt does not hit such an instant.
    std::set<pid_t> before;
    if (stop_once(kAttempt, before)) return before;
    go_on(before);
    std::this_thread::sleep_for(kBetween);
  } while (std::chrono::steady_clock::now() < end);
  return tl::unexpected(fmt::format("its processes did not stop within {} s (one may wait for a disk or a file server)",
                                    patience.count() / 1000));
}

void ProcessTree::go_on(const std::set<pid_t>& stopped_before) const {
  for (const pid_t pid : members()) {
    if (!stopped_before.contains(inner(pid))) ::kill(pid, SIGCONT);
  }
  ::kill(init_, SIGCONT);  // CRIU stops it, too
}

std::uint64_t ProcessTree::memory() const {
  std::uint64_t kib = 0;
  for (const pid_t pid : members()) {
    // What processes share counts once: CRIU writes it once.
    const auto text = base::read_file_at(AT_FDCWD, fmt::format("/proc/{}/smaps_rollup", pid));
    for (const std::string_view key : {"\nPss:", "\nSwapPss:"}) {
      const std::size_t at = text ? text->find(key) : std::string::npos;
      if (at != std::string::npos) kib += std::strtoull(text->c_str() + at + key.size(), nullptr, 10);
    }
  }
  return kib << 10;
}

Hold::~Hold() { let_go(); }

tl::expected<void, std::string> Hold::take(const std::vector<pid_t>& processes) {
  for (const pid_t pid : processes) {
    for (const pid_t thread : numbers_in(fmt::format("/proc/{}/task", pid))) {
      if (::ptrace(PTRACE_SEIZE, thread, nullptr, PTRACE_O_EXITKILL) != 0) {
        const int error = errno;
        if (error == ESRCH || process_state("/proc", pid) == 'Z') continue;
        let_go();
        return tl::unexpected(fmt::format("its process {} cannot be held: {}", pid, strerror(error)));
      }
      threads_.push_back(thread);
      ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
    }
  }
  return {};
}

void Hold::let_go() {
  for (const pid_t thread : threads_) {
    // The kernel lets go only of those that have reported their stop.
    for (int i = 0; i < 100 && ::ptrace(PTRACE_DETACH, thread, nullptr, nullptr) != 0 && errno == ESRCH; ++i) {
      int status = 0;
      if (::waitpid(thread, &status, __WALL | WNOHANG) < 0 && errno == ECHILD) break;
      std::this_thread::sleep_for(kPoll);
    }
  }
  threads_.clear();
}

}  // namespace dfrs::shim
