// SPDX-License-Identifier: GPL-2.0-or-later
// Yardsticks that know true run times: SRPT, the shortest remaining time first, and SWRPT, the smallest product of
// remaining time and run time (Legrand, Su and Vivien, RR-5724, section 4.3), on whole nodes with pauses. No live
// system can run them.
#pragma once

#include <vector>

#include "policy/pausing/seats.h"

namespace dfrs {

class ShortestFirstPolicy final : public BatchPolicy {
 public:
  /// `weighted`: SWRPT.
  explicit ShortestFirstPolicy(bool weighted) : weighted_(weighted) {}
  /// `estimates` are true run times (PolicyTraits::knows_run_times).
  void decide(const ClusterView& view, const Estimates& estimates, std::span<const Event> events, ClusterState& state,
              Outcome& outcome) override;

 private:
  struct Ranked {
    double key;
    JobSlot job;
  };
  bool weighted_;
  Seats seats_;
  std::vector<Ranked> ranked_;
  std::vector<JobSlot> order_;
};

}  // namespace dfrs
