// SPDX-License-Identifier: GPL-2.0-or-later
// Go over a job's nodes, which are listed in ascending order with an entry for each task: the tasks on one node are a
// run of equal entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "policy/core/units.h"

namespace dfrs {

/// Calls `visit(node)` once for each node. O(tasks).
template <typename Visit>
void each_node(std::span<const NodeIndex> nodes, Visit&& visit) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k == 0 || nodes[k] != nodes[k - 1]) visit(nodes[k]);
  }
}

/// Calls `test(node, tasks there)` once for each node until it returns false. True if it never did. O(tasks).
template <typename Test>
bool all_node_runs(std::span<const NodeIndex> nodes, Test&& test) {
  for (std::size_t k = 0, end = 0; k < nodes.size(); k = end) {
    while (end < nodes.size() && nodes[end] == nodes[k]) ++end;
    if (!test(nodes[k], static_cast<std::uint32_t>(end - k))) return false;
  }
  return true;
}

/// Calls `visit(node, tasks there)` once for each node. O(tasks).
template <typename Visit>
void each_node_run(std::span<const NodeIndex> nodes, Visit&& visit) {
  all_node_runs(nodes, [&](NodeIndex node, std::uint32_t tasks) {
    visit(node, tasks);
    return true;
  });
}

/// Number of different nodes. O(tasks).
inline std::uint32_t distinct_nodes(std::span<const NodeIndex> nodes) {
  std::uint32_t count = 0;
  each_node(nodes, [&](NodeIndex) { ++count; });
  return count;
}

}  // namespace dfrs
