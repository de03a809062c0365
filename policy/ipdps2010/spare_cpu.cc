// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/ipdps2010/spare_cpu.h"

#include <algorithm>

#include "policy/core/compare.h"

namespace dfrs::ipdps2010 {

void spare_cpu(const CpuContention& contention, std::span<const double> yields, std::vector<double>& left) {
  left.clear();
  for (const CpuContention::Node& node : contention.nodes()) {
    const double rest = node.capacity - cpu_used(contention, node, yields);
    left.push_back(rest > node.capacity * kCpuTolerance ? rest : 0);
  }
}

double possible_raise(const CpuContention& contention, const CpuContention::Job& job, std::span<const double> left,
                      double yield) {
  double more = 1 - yield;
  for (const CpuContention::Place& place : contention.places(job)) more = std::min(more, left[place.node] / place.need);
  return std::max(0.0, more);
}

void raise_yield(const CpuContention& contention, const CpuContention::Job& job, double more, std::span<double> left,
                 double& yield) {
  if (!(more > 0)) return;
  yield = std::min(1.0, yield + more);
  for (const CpuContention::Place& place : contention.places(job)) {
    const double rest = left[place.node] - more * place.need;
    left[place.node] = rest > contention.nodes()[place.node].capacity * kCpuTolerance ? rest : 0;
  }
}

}  // namespace dfrs::ipdps2010
