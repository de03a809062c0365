// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>

#include "policy/core/units.h"

namespace dfrs::shim {

/// Limits how often something is done.
class Throttle {
 public:
  explicit Throttle(Seconds interval) : interval_(interval) {}

  /// True at most once per interval: the first time, after reset(), and when the clock was set back.
  bool due(Seconds now) {
    if (last_ && now >= *last_ && now - *last_ < interval_) return false;
    last_ = now;
    return true;
  }
  /// The next call of due() returns true.
  void reset() { last_.reset(); }

 private:
  Seconds interval_;
  std::optional<Seconds> last_;
};

}  // namespace dfrs::shim
