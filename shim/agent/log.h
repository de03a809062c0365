// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "shim/agent/agent.h"

namespace dfrs::shim {

/// Sets up dfrsd's log: to standard error, with times or, under systemd, with the journal's levels. `level`: error,
/// warning, info or debug.
void start_log(const std::string& level);
/// Any thread.
void write_log(AgentLog level, const std::string& message);

/// Passes a few messages per minute, so that bad requests cannot fill the log. Any thread.
class LogLimit {
 public:
  using Clock = std::chrono::steady_clock;
  explicit LogLimit(unsigned per_minute) : per_minute_(per_minute) {}
  /// The message to log, or nothing. The first of a minute says how many were left out.
  std::optional<std::string> pass(const std::string& message, Clock::time_point now = Clock::now());

 private:
  const unsigned per_minute_;
  std::mutex mutex_;
  Clock::time_point begin_{};
  unsigned passed_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace dfrs::shim
