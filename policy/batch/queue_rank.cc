// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/batch/queue_rank.h"

#include <algorithm>
#include <cmath>

#include "policy/core/registry.h"

namespace dfrs {

std::optional<QueueRank> queue_rank_of(std::string_view name) {
  for (std::size_t k = 0; k < kQueueRankNames.size(); ++k) {
    if (same_name(name, kQueueRankNames[k])) return static_cast<QueueRank>(k);
  }
  return std::nullopt;
}

double rank_value(QueueRank rank, const JobView& job, Seconds estimate, Seconds now) {
  const double r = std::max(estimate, 1.0);
  const double n = job.tasks;
  const double log_s = std::log10(std::max(job.submit, 1.0));
  const Seconds w = job.flow_time(now);
  switch (rank) {
    case QueueRank::fcfs:
      return 0;
    case QueueRank::sjf:
      return r;
    case QueueRank::ljf:
      return -r;
    case QueueRank::saf:
      return r * n;
    case QueueRank::xf:
      return -(w + r) / r;
    case QueueRank::f1:
      return std::log10(r) * n + 870 * log_s;
    case QueueRank::f2:
      return std::sqrt(r) * n + 25600 * log_s;
    case QueueRank::f3:
      return r * n + 6.86e6 * log_s;
    case QueueRank::f4:
      return r * std::sqrt(n) + 5.3e5 * log_s;
    case QueueRank::wfp3: {
      const double x = w / r;
      return -x * x * x * n;
    }
    case QueueRank::unicef:
      return -w / (std::max(std::log2(n), 1.0) * r);
  }
  return 0;
}

}  // namespace dfrs
