// SPDX-License-Identifier: GPL-2.0-or-later
#include "shim/http/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace dfrs::shim {

double RateLimit::most() const { return std::max(1.0, std::ceil(per_minute_ / 2)); }

double RateLimit::left_now(const Account& account, Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - account.since).count();
  return std::min(most(), account.left + seconds * per_minute_ / 60);
}

std::optional<std::chrono::seconds> RateLimit::take(uid_t user, Clock::time_point now) {
  if (accounts_.size() >= forget_at_) forget_idle(now);
  const auto [entry, is_new] = accounts_.try_emplace(user, Account{most(), now});
  Account& account = entry->second;
  account.left = left_now(account, now);
  account.since = now;
  if (account.left >= 1) {
    account.left -= 1;
    return std::nullopt;
  }
  return std::chrono::seconds(std::llround(std::ceil((1 - account.left) * 60 / per_minute_)));
}

// An account that is full again is as good as none.
void RateLimit::forget_idle(Clock::time_point now) {
  std::erase_if(accounts_, [&](const auto& entry) { return left_now(entry.second, now) >= most(); });
  forget_at_ = std::max<std::size_t>(1024, 2 * accounts_.size());
}

}  // namespace dfrs::shim
