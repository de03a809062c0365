// SPDX-License-Identifier: GPL-2.0-or-later
// When machines are leased and released (section IV).
#pragma once

#include <algorithm>
#include <cstdint>

#include "studies/gang/rules/machine_set.h"
#include "studies/gang/rules/options.h"

namespace dfrs::gang {

/// The state when a gang arrives.
struct Demand {
  std::uint32_t tasks = 0;          ///< of the arriving gang
  std::uint32_t ready = 0;          ///< leased machines that are set up
  std::uint32_t leased = 0;         ///< including those being set up
  std::uint64_t waiting_tasks = 0;  ///< in the queues of all machines, not counting running ones
};

/// What to do with the gang.
struct Provision {
  bool hold = false;  ///< keep it in the dispatcher's queue until the machines are ready
  std::uint32_t lease =
      0;  ///< number of machines; 0 with hold: others are already being set up, and the limit allows no more
};

/// ALF: waiting tasks per leased machine (equation 3). 0 without machines.
constexpr double average_load_factor(std::uint64_t waiting_tasks, std::uint32_t leased) {
  return leased == 0 ? 0 : static_cast<double>(waiting_tasks) / leased;
}

/// Inadequate machines: a gang with more tasks than ready machines leases the difference. Overloaded machines: if the
/// average load factor exceeds the threshold, the gang leases a machine per task, or is dispatched at once if the limit
/// allows no lease. Never exceeds the limit.
constexpr Provision provision(const Options& options, const Demand& d) {
  const std::uint32_t room = options.machine_limit - d.leased;
  if (d.tasks > d.ready) return {true, std::min(d.tasks - d.ready, room)};
  if (room > 0 && average_load_factor(d.waiting_tasks, d.leased) > options.load_threshold) {
    return {true, std::min(d.tasks, room)};
  }
  return {};
}

/// Delays releases until the queues of new machines can fill.
class ReleasePause {
 public:
  explicit ReleasePause(std::uint32_t arrivals) : arrivals_(arrivals) {}

  void machines_ready() { left_ = arrivals_; }
  void arrival() {
    if (left_ > 0) --left_;
  }
  bool over() const { return left_ == 0; }

 private:
  std::uint32_t arrivals_;
  std::uint32_t left_ = 0;
};

}  // namespace dfrs::gang
