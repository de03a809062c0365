// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the steps of an engine as lines of a record, each with what has changed since the line before.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "policy/core/engine.h"

namespace dfrs::record {

/// Decisions, or the error in their place, as lines have them. Equal texts mean decisions that are equal bit for bit.
std::string outcome_text(const tl::expected<const Decisions*, Error>& outcome);

/// Turns steps into lines and remembers what the lines so far contain.
class StepLines {
 public:
  /// Forgets all lines: the next one is complete.
  void reset();
  /// Appends the line of this step to `line`, without a newline. O(slots + nodes + tasks of changed jobs).
  void append(std::string& line, const ClusterView& view, const Estimates& estimates, std::span<const Event> events,
              const tl::expected<const Decisions*, Error>& outcome);

 private:
  class SlotText;
  // What the lines so far say about a slot.
  struct Slot {
    JobView view;  // its spans and pointers are not used
    std::vector<NodeIndex> nodes;
    bool restricted = false;                             // the job may use `eligible` alone
    std::optional<std::vector<std::uint64_t>> eligible;  // NodeSet::words(); nullopt: must be written again
    std::optional<Seconds> estimate;
  };

  void append_nodes(std::string& line, const ClusterView& view);
  /// False if nothing has changed; nothing is appended then.
  bool append_slot(std::string& line, JobSlot slot, const ClusterView& view, const Estimates& estimates, bool first);
  void append_eligible(SlotText& text, Slot& said, const NodeSet* eligible, std::size_t nodes);

  std::size_t rigid_dims_ = 0;
  std::size_t estimates_ = 0;
  std::vector<NodeView> nodes_;
  std::vector<Slot> slots_;
};

}  // namespace dfrs::record
