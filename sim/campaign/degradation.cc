// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/campaign/degradation.h"

#include <cmath>
#include <string_view>
#include <unordered_map>

namespace dfrs::sim {

std::vector<double> degradation_from_best(std::span<const ResultRow> rows) {
  std::unordered_map<std::string_view, double> best;
  for (const ResultRow& row : rows) {
    const auto [at, is_new] = best.try_emplace(row.instance, row.metrics.max_stretch);
    if (!is_new) at->second = std::fmin(at->second, row.metrics.max_stretch);  // of runs that did not run away
  }
  std::vector<double> out;
  out.reserve(rows.size());
  for (const ResultRow& row : rows) out.push_back(row.metrics.max_stretch / best.at(row.instance));
  return out;
}

}  // namespace dfrs::sim
