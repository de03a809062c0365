// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics of a schedule from the batch scheduling literature: weighted by width, and the owner's view (Streit 2003,
// section 5.1).
#pragma once

#include <array>
#include <cstdint>

#include "policy/dynp/dynp_policy.h"
#include "sim/host/simulation.h"

namespace dfrs::sim {

/// Jobs hold `tasks` of the platform's nodes from start to end. Weighted means are by width.
struct ScheduleMetrics {
  double utilization = 0;  ///< UTIL: held node seconds / (nodes x span); span: first submission to last end
  /// LOC, loss of capacity: node seconds idle while some job waited / (nodes x span) (Zhang, Franke, Moreira,
  /// Sivasubramaniam, IPDPS 2000). In saturation, when some job always waits, it is 1 - UTIL.
  double loss_of_capacity = 0;
  double wait = 0;                  ///< s
  double response = 0;              ///< ART, s: end - submission
  double response_by_width = 0;     ///< ARTwW, s
  double slowdown60_by_width = 0;   ///< SLDwW_60: response / (end - start), both at least 60 s
  double slowdown300_by_width = 0;  ///< SLDwW_300
  double backlog = 0;               ///< waiting jobs, mean over the span
};

/// O(n log n). All zero without jobs.
ScheduleMetrics measure_schedule(const Instance& instance, const RunResult& run);

/// What dynP did in one simulation (Streit 2003, tables 4 to 6).
class DynpStatistics final : public DynpListener {
 public:
  void on_decision(const DynpDecision& decision) override;
  void on_start(JobSlot job, QueueOrder policy) override;

  std::uint64_t decisions() const { return decisions_; }
  std::uint64_t started_by(QueueOrder policy) const { return started_[static_cast<std::size_t>(policy)]; }
  /// Decisions that switched to this policy from another.
  std::uint64_t switches_to(QueueOrder policy) const { return switches_[static_cast<std::size_t>(policy)]; }
  std::uint64_t switches() const { return switches_[0] + switches_[1] + switches_[2]; }
  std::uint64_t cases(DeciderCase found) const { return cases_[static_cast<std::size_t>(found)]; }
  /// Mean number of jobs waiting at a decision; 0 without decisions.
  double mean_backlog() const { return decisions_ == 0 ? 0 : backlog_ / static_cast<double>(decisions_); }

 private:
  std::uint64_t decisions_ = 0;
  std::array<std::uint64_t, 3> started_{};
  std::array<std::uint64_t, 3> switches_{};
  std::array<std::uint64_t, kDeciderCases> cases_{};
  double backlog_ = 0;
};

}  // namespace dfrs::sim
