// SPDX-License-Identifier: GPL-2.0-or-later
// The names of metrics in files. Everything that writes or averages all metrics goes through this table.
#pragma once

#include <span>
#include <string_view>

#include "sim/metrics/metrics.h"

namespace dfrs::sim {

struct MetricColumn {
  std::string_view name;
  double Metrics::* value;
  bool later = false;  ///< files of version 0.1 do not have it
};
std::span<const MetricColumn> metric_columns();

}  // namespace dfrs::sim
