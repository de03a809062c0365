// SPDX-License-Identifier: GPL-2.0-or-later
// What ran where in the last hours, for pages that begin to look at the cluster now. Since slurmctld started: it is not
// saved.
#pragma once

#include <vector>

#include "shim/controller/job_table.h"
#include "shim/controller/nodes.h"
#include "timeline/observed.h"

namespace dfrs::shim {

class ClusterHistory {
 public:
  /// Takes the state of the cluster if the last sample is kInterval old. O(jobs + nodes + tasks that run), else
  /// O(1).
  void sample(const JobTable& jobs, const Nodes& nodes, Seconds now);
  const timeline::ObservedSchedule& observed() const { return observed_; }

  static constexpr Seconds kInterval = 2;
  /// Jobs, stays, their nodes and yields that are kept: some 10 MB.
  static constexpr std::size_t kMost = 200'000;

 private:
  timeline::ObservedSchedule observed_{kMost};
  std::vector<NodeIndex> numbers_;  // of the nodes in `observed_`
  std::vector<NodeIndex> places_;   // scratch
  Seconds last_ = 0;
};

}  // namespace dfrs::shim
