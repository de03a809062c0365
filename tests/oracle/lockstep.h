// SPDX-License-Identifier: GPL-2.0-or-later
// Compares every decision of a run with the reference's for the same view.
#pragma once

#include <string>
#include <vector>

#include "policy/core/algorithm.h"
#include "policy/rr7659/algorithm.h"
#include "policy/rr7659/options.h"
#include "sim/host/simulation.h"
#include "tests/oracle/world.h"

namespace dfrs::oracle {

class Lockstep final : public sim::StepObserver {
 public:
  Lockstep(const DfrsAlgorithm& algorithm, const DfrsOptions& options) : algorithm_(algorithm), options_(options) {}

  void on_step(const ClusterView& view, std::span<const Event> events, const Decisions& decisions) override;
  /// The first difference, empty if there was none.
  const std::string& difference() const { return difference_; }

 private:
  std::string compare(const ClusterView& view, std::span<const Event> events, const Decisions& decisions);
  std::string compare_yields(const ClusterView& view, const World& world, const Decisions& decisions) const;

  DfrsAlgorithm algorithm_;
  DfrsOptions options_;
  std::vector<JobSlot> order_;
  bool first_ = true;
  Seconds last_tick_ = -1;
  std::string difference_;
};

}  // namespace dfrs::oracle
