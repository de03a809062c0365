// SPDX-License-Identifier: GPL-2.0-or-later
// Moving a waiting gang's tasks from the queues of busy machines to the heads of the queues of idle ones
// (section III.C).
#pragma once

#include <optional>
#include <span>

#include "studies/gang/rules/options.h"
#include "studies/gang/rules/waiting_gang.h"

namespace dfrs::gang {

/// Lets a gang migrate only after every S_n normal starts.
class MigrationMonitor {
 public:
  explicit MigrationMonitor(std::uint32_t interval) : interval_(interval) {}

  bool allows() const { return starts_ >= interval_; }
  /// A gang started on the machines it was dispatched to.
  void started() {
    if (starts_ < interval_) ++starts_;
  }
  void migrated() { starts_ = 0; }

 private:
  std::uint32_t interval_;
  std::uint32_t starts_ = 0;
};

/// The gang that migrates onto `idle` idle machines, as an index into `waiting` (in the order of dispatch): the first
/// that fits (first fit), or the largest that fits with ties to the first (best fit); nothing if none fits. O(waiting).
std::optional<std::size_t> gang_to_migrate(Migration fit, std::span<const WaitingGang> waiting, std::uint32_t idle);

/// The machines of a gang after migration: tasks on idle machines stay, the others go to the idle machines with the
/// shortest queues. `length`: by machine. Requires machines.size() <= idle.size().
MachineSet migration_target(const MachineSet& machines, const MachineSet& idle, std::span<const std::uint32_t> length);

}  // namespace dfrs::gang
