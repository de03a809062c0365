// SPDX-License-Identifier: GPL-2.0-or-later
// Placement on the least loaded nodes, as RR-7659's Greedy does it.
#pragma once

#include "policy/greedy.h"
#include "policy/triage/placer.h"

namespace dfrs::triage {

class LoadPlacer final : public Placer {
 public:
  void begin(const ClusterView&, const ClusterState&) override {}
  std::span<const NodeIndex> find(const ClusterView& view, const ClusterState& state, JobSlot job) override {
    return greedy_.find(state, view.jobs[job]);
  }
  void placed(const ClusterView&, const ClusterState&, JobSlot) override {}
  void removed(JobSlot, std::span<const NodeIndex>) override {}

 private:
  Greedy greedy_;
};

}  // namespace dfrs::triage
