// SPDX-License-Identifier: GPL-2.0-or-later
// The metrics that the authors of SC'15 published, for `reproduce sc15` and `compare`.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "sim/workload/swf.h"

namespace dfrs::sim {

struct Sc15Published {
  std::optional<double> mean_flow, mean_slowdown, max_slowdown;
  std::size_t jobs = 0;  ///< that the authors simulated
};

/// Of the algorithm, by its canonical name, on this log of the archive, whose machine has so many nodes of a processor
/// each; nothing where the authors published none.
std::optional<Sc15Published> sc15_published(std::string_view log, std::size_t nodes, std::string_view algorithm,
                                            SwfEstimates estimates);

}  // namespace dfrs::sim
