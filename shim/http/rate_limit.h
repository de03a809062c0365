// SPDX-License-Identifier: GPL-2.0-or-later
// How often each user may ask: so many times a minute, half of them at once.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <unordered_map>

namespace dfrs::shim {

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;
  explicit RateLimit(double per_minute) : per_minute_(per_minute) {}

  /// Counts a request; nothing if it may be answered, else in how many whole seconds the next one may. O(1), amortised.
  std::optional<std::chrono::seconds> take(uid_t user, Clock::time_point now);
  double per_minute() const { return per_minute_; }

 private:
  struct Account {
    double left = 0;  // requests that may come at once
    Clock::time_point since;
  };
  double most() const;
  double left_now(const Account& account, Clock::time_point now) const;
  void forget_idle(Clock::time_point now);

  double per_minute_;
  std::unordered_map<uid_t, Account> accounts_;
  std::size_t forget_at_ = 1024;
};

}  // namespace dfrs::shim
