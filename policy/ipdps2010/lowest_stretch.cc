// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/ipdps2010/lowest_stretch.h"

#include <algorithm>

#include "policy/ipdps2010/spare_cpu.h"
#include "policy/mcb8/repack.h"

namespace dfrs::ipdps2010 {

void LowestStretch::solve(const CpuContention& contention, const ClusterView& view, Seconds horizon,
                          std::span<double> yields) {
  const std::size_t count = yields.size();
  if (count == 0) return;
  estimates_.clear();
  std::vector<double> need;  // of all the job's tasks
  for (const CpuContention::Job& job : contention.jobs()) {
    const JobView& spec = view.jobs[job.slot];
    estimates_.push_back({spec.flow_time(view.now) + horizon, spec.virtual_time(view.now), horizon});
    need.push_back(spec.cpu_need * spec.tasks);
  }
  common_stretch(contention, estimates_, kYieldAccuracy, yields);
  spare_cpu(contention, yields, left_);

  // A job that is raised as far as possible runs at full speed or has filled a node, so each job is raised at most
  // once.
  std::vector<bool> raised(count, false);
  for (;;) {
    std::size_t best = count;
    double best_gain = 0;
    double best_raise = 0;
    for (std::size_t j = 0; j < count; ++j) {
      if (raised[j]) continue;
      const double more = possible_raise(contention, contention.jobs()[j], left_, yields[j]);
      if (!(more > 0)) continue;
      const double gain = (estimates_[j].at(yields[j]) - estimates_[j].at(yields[j] + more)) / (more * need[j]);
      if (!(gain > best_gain)) continue;
      best = j;
      best_gain = gain;
      best_raise = more;
    }
    if (best == count) break;
    raise_yield(contention, contention.jobs()[best], best_raise, left_, yields[best]);
    raised[best] = true;
  }
  repair_yields(contention, yields);
}

}  // namespace dfrs::ipdps2010
