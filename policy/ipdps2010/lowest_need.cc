// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/ipdps2010/lowest_need.h"

#include <algorithm>

#include "policy/ipdps2010/spare_cpu.h"

namespace dfrs::ipdps2010 {

void LowestNeed::solve(const CpuContention& contention, const ClusterView& view, Seconds /*horizon*/,
                       std::span<double> yields) {
  const double common = 1 / contention.max_load();
  std::fill(yields.begin(), yields.end(), common);
  spare_cpu(contention, yields, left_);

  order_.clear();
  for (std::uint32_t j = 0; j < yields.size(); ++j) {
    const JobView& spec = view.jobs[contention.jobs()[j].slot];
    order_.push_back({spec.cpu_need * spec.tasks, j});
  }
  // Job numbers follow the order of submission.
  std::sort(order_.begin(), order_.end(),
            [](const Ranked& a, const Ranked& b) { return a.need != b.need ? a.need < b.need : a.job < b.job; });
  for (const Ranked& ranked : order_) {
    const CpuContention::Job& job = contention.jobs()[ranked.job];
    const double more = possible_raise(contention, job, left_, yields[ranked.job]);
    raise_yield(contention, job, more, left_, yields[ranked.job]);
  }
  repair_yields(contention, yields);
}

}  // namespace dfrs::ipdps2010
