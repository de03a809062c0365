// SPDX-License-Identifier: GPL-2.0-or-later
// Measures the capacity lost while jobs wait: nodes without a task, over the time in which some job has no nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/core/view.h"

namespace dfrs::sim {

class IdleMeter {
 public:
  explicit IdleMeter(std::size_t nodes) : tasks_(nodes), idle_(nodes) {}

  /// `jobs`: in the system during this time.
  void pass(Seconds length, std::size_t jobs) {
    if (jobs > placed_) node_seconds_ += static_cast<double>(idle_) * length;
  }
  /// A job gets these nodes, one per task.
  void place(std::span<const NodeIndex> nodes) {
    ++placed_;
    for (const NodeIndex n : nodes) idle_ -= tasks_[n]++ == 0 ? 1U : 0U;
  }
  /// A job leaves its nodes.
  void leave(std::span<const NodeIndex> nodes) {
    --placed_;
    for (const NodeIndex n : nodes) idle_ += --tasks_[n] == 0 ? 1U : 0U;
  }
  double node_seconds() const { return node_seconds_; }

 private:
  std::vector<std::uint32_t> tasks_;  // by node
  std::size_t idle_;                  // nodes without a task
  std::size_t placed_ = 0;            // jobs with nodes
  double node_seconds_ = 0;
};

}  // namespace dfrs::sim
