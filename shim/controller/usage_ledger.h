// SPDX-License-Identifier: GPL-2.0-or-later
// What each run of a job was given over time: the integral of its share of its CPUs. Safe to use from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "policy/core/units.h"

namespace dfrs::shim {

/// One run of a job: a requeue increments `restarts`.
struct RunId {
  std::uint32_t job = 0;
  std::uint32_t restarts = 0;
};

class UsageLedger {
 public:
  /// How many changes of a run are kept apart. Beyond that, older ones are joined in pairs, which keeps their sum.
  static constexpr std::size_t kMostPoints = 256;
  /// How long a run is kept after it was last set.
  static constexpr Seconds kKeep = 3600;

  /// From `now` on the run is given `share` of its CPUs, 0 .. 1.
  void set(RunId run, Seconds now, double share);
  /// Enters what was saved of a run: its mean share from `begin` to `at`, and its share from then on. Does nothing if
  /// the run is known.
  void restore(RunId run, Seconds begin, double mean, Seconds at, double share);
  /// The mean share from one time to another; nothing: the run is not known, or the times are not ascending.
  std::optional<double> mean(RunId run, Seconds from, Seconds to) const;
  /// Forgets runs that were not set for kKeep. Looks once a minute.
  void drop_old(Seconds now);
  void clear();

 private:
  struct Point {
    Seconds at = 0;
    double given = 0;  // s of all its CPUs, until `at`
    double share = 0;  // from then on
  };
  struct Run {
    std::vector<Point> points;  // ascending by time, never empty
    Seconds last_set = 0;
  };
  static std::uint64_t key(RunId run) { return std::uint64_t{run.job} << 32 | run.restarts; }
  static double given(const Run& run, Seconds at);
  static void join_older(std::vector<Point>& points);

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Run> runs_;
  Seconds dropped_at_ = -kKeep;
};

/// The one that usage.h shows.
UsageLedger& usage_ledger();

}  // namespace dfrs::shim
