// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/host/instance.h"

#include <algorithm>

namespace dfrs::sim {

Platform Platform::homogeneous(std::size_t count, RigidAmount memory) {
  Platform platform;
  NodeSpec node;
  node.rigid[kMemory] = memory;
  platform.nodes.assign(count, node);
  return platform;
}

double Platform::total_cpu() const {
  double total = 0;
  for (const NodeSpec& node : nodes) total += node.cpu;
  return total;
}

std::uint32_t Platform::licence_set(const LicenceSet& set) {
  if (set.empty()) return 0;
  const auto at = std::find(licence_sets.begin(), licence_sets.end(), set);
  const auto number = static_cast<std::uint32_t>(at - licence_sets.begin()) + 1;
  if (at == licence_sets.end()) licence_sets.push_back(set);
  return number;
}

}  // namespace dfrs::sim
