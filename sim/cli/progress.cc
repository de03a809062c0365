// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "sim/io/unfinished_files.h"

namespace dfrs::sim {
namespace {

constexpr std::size_t kBar = 30;  // columns
constexpr std::chrono::milliseconds kBetween{100};

std::string clock_text(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(std::min(seconds, 1e9)));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

class Bar {
 public:
  explicit Bar(std::string what) : what_(std::move(what)) {}
  ~Bar() { clear(); }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  void show(std::size_t done, std::size_t total) {
    const auto now = Clock::now();
    if (done >= total) {
      clear();
      begin_ = now;  // of the next piece of work
      return;
    }
    if (shown_ && now - last_ < kBetween) return;
    last_ = now;
    shown_ = true;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    fmt::print(stderr, "\r{}\033[K", progress_line(what_, done, total, seconds));
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void clear() {
    if (std::exchange(shown_, false)) fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
  }

  std::string what_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_;
  bool shown_ = false;
};

}  // namespace

std::string progress_line(std::string_view what, std::size_t done, std::size_t total, double seconds) {
  const std::size_t full = total == 0 ? kBar : kBar * done / total;
  std::string bar(full, '=');
  if (full < kBar) bar += '>';
  bar.resize(kBar, ' ');
  std::string line =
      fmt::format("{}  [{}]  {} %  {} of {}", what, bar, total == 0 ? 100 : 100 * done / total, done, total);
  if (done == 0 || seconds <= 0) return line;
  const double rate = static_cast<double>(done) / seconds;
  return line + fmt::format("  {:.3g}/s  {} left", rate, clock_text(static_cast<double>(total - done) / rate));
}

Progress terminal_progress(std::string what) {
  if (isatty(STDERR_FILENO) == 0) return {};
  return
      [bar = std::make_shared<Bar>(std::move(what))](std::size_t done, std::size_t total) { bar->show(done, total); };
}

void warn_on_terminal(const std::string& sentence) {
  fmt::print(stderr, "{}dfrs-sim: {}\n", isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "", sentence);
}

void say_when_interrupted(std::string_view sentence) {
  if (isatty(STDERR_FILENO) != 0) set_last_words(fmt::format("\r\033[Kdfrs-sim: interrupted; {}\n", sentence));
}

}  // namespace dfrs::sim
