// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that need licences wait for them before the policy sees them, as under Slurm, which keeps such jobs back itself.
// A job has its licences from then until it ends, also while it is paused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/host/instance.h"

namespace dfrs::sim {

class LicenceGate {
 public:
  /// The instance must outlive the gate.
  explicit LicenceGate(const Instance& instance);

  /// A job arrives. True: it needs no licences, or has them now. False: it waits. Call this in the order of the jobs.
  bool arrive(std::size_t index) { return of(index).empty() || claim(index); }
  /// A job that had its licences has ended. Appends to `admitted` the jobs that have theirs now, in the order of their
  /// submission. No job overtakes another that waits for the same licence. O(waiting jobs x licences of a job).
  void leave(std::size_t index, std::vector<std::size_t>& admitted) {
    if (!of(index).empty()) give_back(index, admitted);
  }

 private:
  std::span<const LicenceUse> of(std::size_t index) const {
    return instance_.platform.licences_of(instance_.jobs[index]);
  }
  bool claim(std::size_t index);
  void give_back(std::size_t index, std::vector<std::size_t>& admitted);
  bool admit(std::size_t index);

  const Instance& instance_;
  std::vector<std::int64_t> free_;      // by licence
  std::vector<std::size_t> waiting_;    // jobs, in the order of submission
  std::vector<std::uint32_t> claimed_;  // by licence: how many of waiting_ need it
};

}  // namespace dfrs::sim
