// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/yield/average.h"

#include <algorithm>

#include "policy/core/compare.h"

namespace dfrs {

void AverageYield::solve(const CpuContention& contention, std::span<double> yields) {
  if (contention.jobs().empty()) return;
  simplex_.begin(contention);
  find_groups(contention);
  for (std::size_t first = 0; first < candidates_.size();) {
    members_.clear();
    std::size_t end = first;
    for (; end < candidates_.size() && candidates_[end].group == candidates_[first].group; ++end) {
      members_.push_back(candidates_[end].job);
    }
    simplex_.maximize(contention, members_);
    first = end;
  }
  const double minimum = 1 / contention.max_load();
  for (std::uint32_t j = 0; j < yields.size(); ++j) yields[j] = simplex_.at_top(j) ? 1.0 : minimum + simplex_.x(j);
  if (!fits(contention, yields)) repair_yields(contention, yields);
}

bool AverageYield::fits(const CpuContention& contention, std::span<const double> yields) const {
  return std::none_of(contention.nodes().begin(), contention.nodes().end(), [&](const CpuContention::Node& node) {
    return cpu_exceeds(cpu_used(contention, node, yields), node.capacity);
  });
}

// Collects the jobs that some node limits and no node holds at the minimum, group by group, in the order in which they
// rise.
void AverageYield::find_groups(const CpuContention& contention) {
  group_.assign(contention.nodes().size(), kNone);
  taken_.assign(contention.jobs().size(), 0);
  candidates_.clear();
  std::uint32_t groups = 0;
  for (std::uint32_t start = 0; start < contention.nodes().size(); ++start) {
    if (!simplex_.limits(start) || group_[start] != kNone) continue;
    const std::size_t first = candidates_.size();
    collect_group(contention, groups, start);
    std::sort(candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
              [](const Candidate& a, const Candidate& b) {
                return a.weight != b.weight ? a.weight < b.weight : a.job < b.job;
              });
    ++groups;
  }
}

// Adds the candidates that share limiting nodes with those of `start`, directly or through others.
void AverageYield::collect_group(const CpuContention& contention, std::uint32_t group, std::uint32_t start) {
  queue_.assign(1, start);
  group_[start] = group;
  for (std::size_t at = 0; at < queue_.size(); ++at) {
    for (const CpuContention::User& user : contention.users(contention.nodes()[queue_[at]])) {
      if (simplex_.held(user.job) || taken_[user.job] != 0) continue;
      taken_[user.job] = 1;
      double weight = 0;
      for (const CpuContention::Place& place : contention.places(contention.jobs()[user.job])) {
        if (!simplex_.limits(place.node)) continue;
        weight += place.need;
        if (group_[place.node] != kNone) continue;
        group_[place.node] = group;
        queue_.push_back(place.node);
      }
      candidates_.push_back({group, weight, user.job});
    }
  }
}

}  // namespace dfrs
