// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/dynp/decider.h"

#include <algorithm>

#include "policy/core/compare.h"

namespace dfrs {
namespace {

constexpr std::size_t kFcfs = 0;
constexpr std::size_t kSjf = 1;
constexpr std::size_t kLjf = 2;

}  // namespace

QualityRanks rank_qualities(const std::array<double, 3>& quality) {
  std::array<std::size_t, 3> by_quality{kFcfs, kSjf, kLjf};
  std::stable_sort(by_quality.begin(), by_quality.end(),
                   [&](std::size_t a, std::size_t b) { return quality[a] < quality[b]; });
  QualityRanks ranks{};
  std::size_t best = by_quality[0];  // of those that share a rank
  for (std::size_t k = 1; k < by_quality.size(); ++k) {
    const std::size_t next = by_quality[k];
    ranks[next] = ranks[best];
    if (same_quality(quality[best], quality[next])) continue;
    ++ranks[next];
    best = next;
  }
  return ranks;
}

const char* decider_case_name(DeciderCase decided) {
  constexpr std::array<const char*, kDeciderCases> kNames{"1", "2",  "3",  "4a", "4b", "4c",  "6a",  "6b", "6c",
                                                          "7", "8a", "8b", "8c", "9",  "10a", "10b", "10c"};
  return kNames[static_cast<std::size_t>(decided)];
}

DeciderCase classify(const QualityRanks& ranks, QueueOrder current) {
  const int fcfs = ranks[kFcfs];
  const int sjf = ranks[kSjf];
  const int ljf = ranks[kLjf];
  const auto by_policy = [&](DeciderCase first) {  // a, b, c follow one another
    return static_cast<DeciderCase>(static_cast<int>(first) + static_cast<int>(current));
  };
  if (fcfs == sjf && sjf == ljf) return DeciderCase::k1;
  if (sjf < fcfs && sjf < ljf) return fcfs == ljf ? DeciderCase::k7 : DeciderCase::k2;
  if (fcfs < sjf && fcfs < ljf) return sjf == ljf ? DeciderCase::k9 : DeciderCase::k3;
  if (ljf < fcfs && ljf < sjf) {
    if (fcfs == sjf) return DeciderCase::k4b;
    return fcfs < sjf ? DeciderCase::k4a : DeciderCase::k4c;
  }
  if (fcfs == sjf) return by_policy(DeciderCase::k6a);
  return fcfs == ljf ? by_policy(DeciderCase::k8a) : by_policy(DeciderCase::k10a);
}

QueueOrder decide_simple(const QualityRanks& ranks) {
  if (ranks[kSjf] <= ranks[kLjf]) return ranks[kFcfs] <= ranks[kSjf] ? QueueOrder::fcfs : QueueOrder::sjf;
  return ranks[kFcfs] <= ranks[kLjf] ? QueueOrder::fcfs : QueueOrder::ljf;
}

QueueOrder decide_advanced(const QualityRanks& ranks, QueueOrder current) {
  return ranks[static_cast<std::size_t>(current)] == 0 ? current : decide_simple(ranks);
}

std::optional<QueueOrder> decide_basic(Seconds average_estimate, const BasicBounds& bounds) {
  if (!(average_estimate > 0)) return std::nullopt;
  if (average_estimate <= bounds.lower) return QueueOrder::sjf;
  return average_estimate <= bounds.upper ? QueueOrder::fcfs : QueueOrder::ljf;
}

}  // namespace dfrs
