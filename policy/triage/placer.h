// SPDX-License-Identifier: GPL-2.0-or-later
// Where a job's tasks go: the part of Triage that the registry can exchange.
#pragma once

#include <span>

#include "policy/cluster_state.h"

namespace dfrs::triage {

class Placer {
 public:
  virtual ~Placer() = default;
  /// A new call of the policy: what was remembered of the mapping is out of date.
  virtual void begin(const ClusterView& view, const ClusterState& state) = 0;
  /// Nodes for all tasks of the job, ascending, or an empty span where not all find room for their rigid resources. A
  /// job that may not move and has run before goes back to its own nodes or nowhere. Holds until the next call.
  virtual std::span<const NodeIndex> find(const ClusterView& view, const ClusterState& state, JobSlot job) = 0;
  /// The job has been put on these nodes, or taken from them.
  virtual void placed(const ClusterView& view, const ClusterState& state, JobSlot job) = 0;
  virtual void removed(JobSlot job, std::span<const NodeIndex> nodes) = 0;
};

}  // namespace dfrs::triage
