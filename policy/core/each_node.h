// SPDX-License-Identifier: GPL-2.0-or-later
// A job's nodes are listed once for each task; this goes over them node by node.
#pragma once

#include <cstddef>
#include <span>

#include "policy/core/units.h"

namespace dfrs {

/// Calls `visit` once for each node of a job, whose tasks on one node are neighbours.
template <typename Visit>
void each_node(std::span<const NodeIndex> nodes, Visit&& visit) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k == 0 || nodes[k] != nodes[k - 1]) visit(nodes[k]);
  }
}

}  // namespace dfrs
