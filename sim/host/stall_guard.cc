// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/stall_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/counted.h"

namespace dfrs::sim {

tl::expected<void, std::string> StallGuard::judge(const StallSnapshot& now) {
  if (!before_) {
    before_ = now;
    return {};
  }
  const StallSnapshot before = *before_;
  before_ = now;
  const Seconds length = now.now - before.now;
  const Seconds gained = now.done - before.done;
  const std::uint64_t changes = now.changes - before.changes;

  Seconds needed = std::numeric_limits<Seconds>::infinity();
  if (gained > 0) {
    needed = now.left / gained * length;
  } else if (changes == 0 && now.running > 0) {
    needed = std::max(0.0, now.last_penalty - now.now);  // all running jobs serve a penalty
  }
  // Without simulated time between ticks, nothing can be gained.
  const double ticks =
      length > 0 ? needed / length * static_cast<double>(kWindow) : std::numeric_limits<double>::infinity();
  if (ticks <= static_cast<double>(kMostTicks)) return {};

  const std::string since =
      fmt::format("no job has completed in the {} ticks from {:.6g} to {:.6g} s", kWindow, before.now, now.now);
  const std::string system =
      fmt::format("{} in the system, {} of them running", base::counted(now.jobs, "job"), now.running);
  if (gained > 0) {
    return tl::unexpected(fmt::format(
        "{}, with {}; they gained {:.6g} s of the {:.6g} s of work left, with {} pauses, moves, starts and resumes, "
        "and would need about {:.2g} more ticks: a longer period helps",
        since, system, gained, now.left, changes, ticks));
  }
  if (changes > 0) {
    return tl::unexpected(
        fmt::format("{}, with {}: {} pauses, moves, starts and resumes consumed all progress; a period well above the "
                    "penalty helps",
                    since, system, changes));
  }
  return tl::unexpected(fmt::format("{}, with {}: nothing starts and no work is done", since, system));
}

}  // namespace dfrs::sim
