// SPDX-License-Identifier: GPL-2.0-or-later
// Another reading of Offline (readings.h): the parts of a solution of System (1) without its idle times.
#pragma once

#include <vector>

#include "studies/divisible/rules/flow_solver.h"
#include "studies/divisible/rules/model.h"

namespace dfrs::divisible {

/// OfflineReading::edf: each site keeps its parts of the optimal solution, but works on those of released jobs without
/// a break, first those that end in the earliest interval, as Online-EDF does. No deadline is missed, because the
/// earliest deadline first misses none that another order meets.
class OfflineEdf final : public Scheduler {
 public:
  OfflineEdf(const Platform& platform, std::span<const JobView> jobs, FlowSolver& solver);
  void decide(const View& view, Decision& decision) override;

 private:
  struct Portion {
    JobIndex job = 0;
    std::uint32_t last = 0;  // interval
    double left = 0;         // work
  };
  void account(const View& view);

  std::vector<std::vector<Portion>> sites_;  // by (last, size): the order of work
  std::vector<Portion*> runs_;               // by site, since then_
  std::vector<double> power_;                // by site
  Seconds then_ = 0;
};

}  // namespace dfrs::divisible
