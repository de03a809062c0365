// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace dfrs {

/// Options of the policies that give nodes to one job alone or share no CPU: batch, shared, conservative, dynp.
struct BatchOptions {
  /// Schedule after each event of an instant instead of once per instant (simulators differ in this).
  bool pass_per_event = false;
  /// A node takes as many tasks of its job as it has CPU and rigid resources for, instead of one (RR-7659's rule).
  bool pack_tasks = false;
};

}  // namespace dfrs
