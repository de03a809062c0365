// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/metrics/by_trace.h"

#include <algorithm>

namespace dfrs::sim {

std::vector<double> means_by_trace(std::span<const double> values, std::size_t traces) {
  std::vector<double> means(traces, 0);
  const double loads = static_cast<double>(values.size()) / static_cast<double>(traces);
  for (std::size_t k = 0; k < values.size(); ++k) means[k % traces] += values[k] / loads;
  return means;
}

std::vector<double> maxima_by_trace(std::span<const double> values, std::size_t traces) {
  std::vector<double> maxima(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(traces));
  for (std::size_t k = traces; k < values.size(); ++k) maxima[k % traces] = std::max(maxima[k % traces], values[k]);
  return maxima;
}

}  // namespace dfrs::sim
