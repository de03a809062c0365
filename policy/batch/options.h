// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

namespace dfrs {

/// Options of the batch, shared, conservative and dynp families, whose jobs share no CPU.
struct BatchOptions {
  /// Schedule after each event of an instant instead of once per instant; simulators differ in this.
  bool pass_per_event = false;
  /// A node takes as many tasks of its job as it has CPU and rigid resources for. False: one task per node, the rule of
  /// RR-7659 (section 5.2).
  bool pack_tasks = false;
};

}  // namespace dfrs
