// SPDX-License-Identifier: GPL-2.0-or-later
// Orders of a batch queue besides that of submission, from the literature on backfilling. They use what users say of
// their jobs (requested time r, processors n), the time of submission s and the wait w so far:
//
//   SJF     shortest first: r                      SAF     smallest area first: r n
//   LJF     longest first: -r                      XF      largest expansion factor first: -(w + r) / r
//   F1      log10(r) n + 870 log10(s)              F2      sqrt(r) n + 25600 log10(s)
//   F3      r n + 6.86e6 log10(s)                  F4      r sqrt(n) + 5.3e5 log10(s)
//   WFP3    -(w / r)^3 n                           UNICEF  -w / (log2(n) r)
//
// F1 to F4: Carastan-Santos and de Camargo, SC'17, table 3, fitted with s from the beginning of a log (here the time 0
// of the host's clock). WFP3 and UNICEF: Tang, Lan, Desai and Buettner, Cluster 2009. The lowest value goes first;
// among equal ones, the earlier submission.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/core/cluster_state.h"
#include "policy/core/units.h"
#include "policy/core/view.h"

namespace dfrs {

enum class QueueRank : std::uint8_t { fcfs, sjf, ljf, saf, xf, f1, f2, f3, f4, wfp3, unicef };

/// The names, by value: "FCFS", "SJF" ...
inline constexpr std::array<std::string_view, 11> kQueueRankNames{"FCFS", "SJF", "LJF", "SAF",  "XF",    "F1",
                                                                  "F2",   "F3",  "F4",  "WFP3", "UNICEF"};

/// The rank of that name; case does not matter. nullopt: there is none.
std::optional<QueueRank> queue_rank_of(std::string_view name);

/// The value by which the job is ranked at `now`, always finite. r counts as at least 1 s, s as at least 1 s, log2(n)
/// as at least 1.
double rank_value(QueueRank rank, const JobView& job, Seconds estimate, Seconds now);

/// Sorts the queue from there on, by rank and then by submission. `sorting` keeps its memory between calls.
template <typename Waiting>
void sort_by_rank(std::vector<Waiting>& queue, std::size_t from, QueueRank rank, const ClusterView& view,
                  const ClusterState& state, std::vector<std::pair<double, Waiting>>& sorting) {
  sorting.clear();
  for (std::size_t k = from; k < queue.size(); ++k) {
    sorting.emplace_back(rank_value(rank, view.jobs[queue[k].job], queue[k].estimate, view.now), queue[k]);
  }
  std::sort(sorting.begin(), sorting.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : state.order(a.second.job) < state.order(b.second.job);
  });
  for (std::size_t k = 0; k < sorting.size(); ++k) queue[from + k] = sorting[k].second;
}

}  // namespace dfrs
